/* SPDX-License-Identifier: MIT */
/* Call trees for `go tool pprof` and the viewers that read its profiles: pprof.proto, packed by
 * gzip. */
#include "formats/call_tree_formats.h"

#include "base/error.h"
#include "base/memory.h"
#include "formats/pprof_pack.h"

/*
 * A message with all that it points to. Frames are functions, each with a location of its own of
 * the same number; inlined or not, pprof shows them alike.
 */
struct message {
	const struct call_tree *tree;
	Pprof__Profile profile;
	Pprof__ValueType type, *types[1];
	Pprof__Function *functions, **function_list;
	Pprof__Location *locations, **location_list;
	Pprof__Line *lines, **line_list;
	Pprof__Mapping *mappings, **mapping_list;
	Pprof__Sample *samples, **sample_list;
	uint64_t *stacks; /* of all samples, one behind the other */
	int64_t *values;
	char **texts;
	size_t mapping_count;
};

/* Texts are numbered as in the tree; behind them stands the unit. */
static int make_texts(struct message *m)
{
	const uint32_t count = strings_count(m->tree->strings);

	m->texts = memory_alloc_array(count + 1, sizeof(*m->texts));
	if (!m->texts)
		return -1;
	for (uint32_t i = 0; i < count; i++)
		m->texts[i] = (char *)(uintptr_t)strings_text(m->tree->strings, i);
	m->texts[count] = (char *)(uintptr_t)m->tree->unit;
	m->profile.string_table = m->texts;
	m->profile.n_string_table = count + 1;
	m->type = (Pprof__ValueType)PPROF__VALUE_TYPE__INIT;
	m->type.type = count;
	m->type.unit = count;
	m->types[0] = &m->type;
	m->profile.sample_type = m->types;
	m->profile.n_sample_type = 1;
	return 0;
}

/* The id of the module's mapping; 0 of none. */
static uint64_t mapping_of(struct message *m, uint32_t module)
{
	size_t i = 0;

	if (!module)
		return 0;
	while (i < m->mapping_count && m->mappings[i].filename != module)
		i++;
	if (i == m->mapping_count) {
		m->mappings[i] = (Pprof__Mapping)PPROF__MAPPING__INIT;
		m->mappings[i].id = i + 1;
		m->mappings[i].filename = module;
		m->mappings[i].has_functions = true;
		m->mapping_list[i] = &m->mappings[i];
		m->mapping_count++;
	}
	return i + 1;
}

static int make_functions(struct message *m)
{
	const size_t count = m->tree->frames.count;

	m->functions = memory_alloc_array(count + 1, sizeof(*m->functions));
	m->function_list = memory_alloc_array(count + 1, sizeof(*m->function_list));
	m->locations = memory_alloc_array(count + 1, sizeof(*m->locations));
	m->location_list = memory_alloc_array(count + 1, sizeof(*m->location_list));
	m->lines = memory_alloc_array(count + 1, sizeof(*m->lines));
	m->line_list = memory_alloc_array(count + 1, sizeof(*m->line_list));
	m->mappings = memory_alloc_array(count + 1, sizeof(*m->mappings));
	m->mapping_list = memory_alloc_array(count + 1, sizeof(*m->mapping_list));
	if (!m->functions || !m->function_list || !m->locations || !m->location_list || !m->lines ||
	    !m->line_list || !m->mappings || !m->mapping_list)
		return -1;
	for (size_t i = 0; i < count; i++) {
		const struct call_frame *frame = &m->tree->frames.items[i];

		m->functions[i] = (Pprof__Function)PPROF__FUNCTION__INIT;
		m->functions[i].id = i + 1;
		m->functions[i].name = frame->shown;
		m->functions[i].system_name = frame->name;
		m->function_list[i] = &m->functions[i];
		m->lines[i] = (Pprof__Line)PPROF__LINE__INIT;
		m->lines[i].function_id = i + 1;
		m->line_list[i] = &m->lines[i];
		m->locations[i] = (Pprof__Location)PPROF__LOCATION__INIT;
		m->locations[i].id = i + 1;
		m->locations[i].mapping_id = mapping_of(m, frame->module);
		m->locations[i].line = &m->line_list[i];
		m->locations[i].n_line = 1;
		m->location_list[i] = &m->locations[i];
	}
	m->profile.function = m->function_list;
	m->profile.location = m->location_list;
	m->profile.n_function = m->profile.n_location = count;
	m->profile.mapping = m->mapping_list;
	m->profile.n_mapping = m->mapping_count;
	return 0;
}

static void make_stack(struct message *m, size_t node, uint64_t *stack)
{
	const struct call_node *nodes = m->tree->nodes.items;

	for (; node != CALL_TREE_TOP; node = nodes[node].parent)
		*stack++ = nodes[node].frame + 1;
}

static int make_samples(struct message *m)
{
	const size_t count = m->tree->nodes.count;
	size_t places = 0, at = 0;

	for (size_t i = 1; i < count; i++)
		if (m->tree->nodes.items[i].self)
			places += call_tree_depth(m->tree, i) + 1;
	m->samples = memory_alloc_array(count, sizeof(*m->samples));
	m->sample_list = memory_alloc_array(count, sizeof(*m->sample_list));
	m->values = memory_alloc_array(count, sizeof(*m->values));
	m->stacks = memory_alloc_array(places + 1, sizeof(*m->stacks));
	if (!m->samples || !m->sample_list || !m->values || !m->stacks)
		return -1;
	for (size_t i = 1; i < count; i++) {
		const struct call_node *node = &m->tree->nodes.items[i];
		Pprof__Sample *s = &m->samples[m->profile.n_sample];

		if (!node->self)
			continue;
		*s = (Pprof__Sample)PPROF__SAMPLE__INIT;
		m->values[i] = (int64_t)node->self;
		s->value = &m->values[i];
		s->n_value = 1;
		s->location_id = m->stacks + at;
		s->n_location_id = call_tree_depth(m->tree, i) + 1;
		make_stack(m, i, s->location_id);
		at += s->n_location_id;
		m->sample_list[m->profile.n_sample++] = s;
	}
	m->profile.sample = m->sample_list;
	return 0;
}

static void free_message(struct message *m)
{
	memory_free(m->functions);
	memory_free(m->function_list);
	memory_free(m->locations);
	memory_free(m->location_list);
	memory_free(m->lines);
	memory_free(m->line_list);
	memory_free(m->mappings);
	memory_free(m->mapping_list);
	memory_free(m->samples);
	memory_free(m->sample_list);
	memory_free(m->stacks);
	memory_free(m->values);
	memory_free(m->texts);
}

bool pprof_is_file(const struct file_guard_kind *kind, const uint8_t *data, size_t size)
{
	(void)kind;
	return size >= 2 && data[0] == 0x1f && data[1] == 0x8b;
}

int pprof_write(const struct call_tree *t, FILE *stream, struct softlbr_error *e)
{
	struct message m = {.tree = t, .profile = PPROF__PROFILE__INIT};
	int rc = make_texts(&m) || make_functions(&m) || make_samples(&m) ? -1 : 0;

	if (!rc)
		rc = pprof_pack(&m.profile, stream);
	free_message(&m);
	return rc ? error_set_nomem(e) : 0;
}
