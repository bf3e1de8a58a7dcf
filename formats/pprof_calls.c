/* SPDX-License-Identifier: MIT */
#include "formats/pprof_calls.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/pprof_pack.h"

struct call_edges {
	const struct source_profile *from;
	struct strings *names; /* functions, then the unit */
	struct map functions;  /* (name, 0) */
	struct map locations;  /* (name, line) -> n = id */
	struct map calls;      /* (caller << 32 | line, callee) -> n = how often */
};

static uint64_t place_of(uint32_t name, int32_t line)
{
	return (uint64_t)name << 32 | (uint32_t)line;
}

static bool has_lines(const struct source_profile *p, uint32_t name)
{
	const struct map_entry *found = map_find(&p->by_name, name, 0);

	return found && p->functions.items[found->n].lines.count;
}

/* The callee's number among the names; STRINGS_NONE without memory. */
static uint32_t callee_name(struct call_edges *c, uint32_t name)
{
	const char *text = strings_text(c->from->strings, name);
	const char *begin = strstr(text, ".(*"), *end = begin ? strstr(begin, ").") : NULL;
	char *direct;
	uint32_t number;

	if (!end || has_lines(c->from, name))
		return strings_add_text(c->names, text);
	direct = memory_format("%.*s.%.*s%s", (int)(begin - text), text, (int)(end - begin - 3),
			       begin + 3, end + 1);
	number = direct ? strings_add_text(c->names, direct) : STRINGS_NONE;
	memory_free(direct);
	return number;
}

static int add_call(struct call_edges *c, uint32_t caller, int32_t line, uint32_t callee,
		    uint64_t count)
{
	if (callee == STRINGS_NONE)
		return -1;
	return !count || !caller || !callee ? 0
		      : map_add(&c->functions, caller, 0, 0, 0) ?:
			map_add(&c->functions, callee, 0, 0, 0) ?:
			map_add(&c->locations, caller, (uint32_t)line, 0, 0) ?:
			map_add(&c->locations, callee, 0, 0, 0) ?:
			map_add(&c->calls, place_of(caller, line), callee, count, 0);
}

/* How often an inlined function ran: as its first line did. */
static uint64_t entries_of(const struct source_function *f)
{
	return f->head ? f->head : f->lines.count ? f->lines.items[0].count : 0;
}

static int add_function(struct call_edges *c, const struct source_function *f)
{
	uint32_t name = strings_add_text(c->names, strings_text(c->from->strings, f->name));
	int rc = name == STRINGS_NONE ? -1 : 0;
	const struct source_callsite *inlined;
	const struct source_target *target;
	const struct source_line *line;

	vector_each (&f->lines, line)
		vector_each (&line->targets, target)
			if (!rc)
				rc = add_call(c, name, line->at.line, callee_name(c, target->name),
					      target->count);
	vector_each (&f->callsites, inlined) {
		if (!rc)
			rc = add_call(c, name, inlined->at.line,
				      callee_name(c, inlined->callee.name),
				      entries_of(&inlined->callee));
		if (!rc)
			rc = add_function(c, &inlined->callee);
	}
	return rc;
}

/* A message with all that it points to. */
struct calls_message {
	Pprof__Profile profile;
	Pprof__ValueType type, *types[1];
	Pprof__Function *functions, **function_list;
	Pprof__Location *locations, **location_list;
	Pprof__Line *lines, **line_list;
	Pprof__Sample *samples, **sample_list;
	uint64_t *stacks; /* two locations each */
	int64_t *values;
	char **texts;
};

static int make_texts(struct calls_message *m, struct strings *names)
{
	const uint32_t type = strings_add_text(names, "samples");
	const uint32_t unit = strings_add_text(names, "count"), count = strings_count(names);

	m->texts = memory_alloc_array(count, sizeof(*m->texts));
	if (!m->texts || type == STRINGS_NONE || unit == STRINGS_NONE)
		return -1;
	for (uint32_t i = 0; i < count; i++)
		m->texts[i] = (char *)(uintptr_t)strings_text(names, i);
	m->type = (Pprof__ValueType)PPROF__VALUE_TYPE__INIT;
	m->type.type = type;
	m->type.unit = unit;
	m->types[0] = &m->type;
	m->profile.sample_type = m->types;
	m->profile.n_sample_type = 1;
	m->profile.string_table = m->texts;
	m->profile.n_string_table = count;
	return 0;
}

/* A function's id is its name's number. */
static int make_functions(struct calls_message *m, const struct map *functions)
{
	struct map_entry **sorted = map_sorted(functions);

	m->functions = memory_alloc_array(functions->count + 1, sizeof(*m->functions));
	m->function_list = memory_alloc_array(functions->count + 1, sizeof(*m->function_list));
	if (!sorted || !m->functions || !m->function_list) {
		memory_free(sorted);
		return -1;
	}
	for (size_t i = 0; i < functions->count; i++) {
		Pprof__Function *f = m->function_list[i] = &m->functions[i];

		*f = (Pprof__Function)PPROF__FUNCTION__INIT;
		f->id = sorted[i]->a;
		f->name = f->system_name = (int64_t)sorted[i]->a;
		f->start_line = 1;
	}
	m->profile.function = m->function_list;
	m->profile.n_function = functions->count;
	memory_free(sorted);
	return 0;
}

/* Notes their ids. */
static int make_locations(struct calls_message *m, const struct map *locations)
{
	const size_t count = locations->count;
	struct map_entry **sorted = map_sorted(locations);

	m->locations = memory_alloc_array(count + 1, sizeof(*m->locations));
	m->location_list = memory_alloc_array(count + 1, sizeof(*m->location_list));
	m->lines = memory_alloc_array(count + 1, sizeof(*m->lines));
	m->line_list = memory_alloc_array(count + 1, sizeof(*m->line_list));
	if (!sorted || !m->locations || !m->location_list || !m->lines || !m->line_list) {
		memory_free(sorted);
		return -1;
	}
	for (size_t i = 0; i < count; i++) {
		Pprof__Line *line = m->line_list[i] = &m->lines[i];
		Pprof__Location *location = m->location_list[i] = &m->locations[i];

		*line = (Pprof__Line)PPROF__LINE__INIT;
		line->function_id = sorted[i]->a;
		line->line = 1 + (int64_t)(int32_t)sorted[i]->b;
		*location = (Pprof__Location)PPROF__LOCATION__INIT;
		location->id = sorted[i]->n = i + 1;
		location->line = &m->line_list[i];
		location->n_line = 1;
	}
	m->profile.location = m->location_list;
	m->profile.n_location = count;
	memory_free(sorted);
	return 0;
}

static int make_samples(struct calls_message *m, const struct call_edges *c)
{
	const size_t count = c->calls.count;
	struct map_entry **sorted = map_sorted(&c->calls);

	m->samples = memory_alloc_array(count + 1, sizeof(*m->samples));
	m->sample_list = memory_alloc_array(count + 1, sizeof(*m->sample_list));
	m->stacks = memory_alloc_array(count + 1, 2 * sizeof(*m->stacks));
	m->values = memory_alloc_array(count + 1, sizeof(*m->values));
	if (!sorted || !m->samples || !m->sample_list || !m->stacks || !m->values) {
		memory_free(sorted);
		return -1;
	}
	for (size_t i = 0; i < count; i++) {
		Pprof__Sample *s = m->sample_list[i] = &m->samples[i];
		const uint64_t caller = sorted[i]->a;

		*s = (Pprof__Sample)PPROF__SAMPLE__INIT;
		s->location_id = m->stacks + 2 * i;
		s->n_location_id = 2;
		s->location_id[0] = map_find(&c->locations, sorted[i]->b, 0)->n;
		s->location_id[1] = map_find(&c->locations, caller >> 32, (uint32_t)caller)->n;
		s->value = &m->values[i];
		s->n_value = 1;
		m->values[i] = sorted[i]->n < INT64_MAX ? (int64_t)sorted[i]->n : INT64_MAX;
	}
	m->profile.sample = m->sample_list;
	m->profile.n_sample = count;
	memory_free(sorted);
	return 0;
}

static int write_message(const struct call_edges *c, FILE *out)
{
	struct calls_message m = {.profile = PPROF__PROFILE__INIT};
	int rc = make_texts(&m, c->names) ?: make_functions(&m, &c->functions) ?:
		 make_locations(&m, &c->locations) ?: make_samples(&m, c);

	if (!rc)
		rc = pprof_pack(&m.profile, out);
	memory_free(m.functions);
	memory_free(m.function_list);
	memory_free(m.locations);
	memory_free(m.location_list);
	memory_free(m.lines);
	memory_free(m.line_list);
	memory_free(m.samples);
	memory_free(m.sample_list);
	memory_free(m.stacks);
	memory_free(m.values);
	memory_free(m.texts);
	return rc;
}

/* Without suffixes of gcc's: beside Go's functions there are those of C. */
static int collect_calls(struct call_edges *c, const struct source_profile *p)
{
	struct source_profile named;
	const struct source_function *f;
	int rc = 0;

	if (source_profile_for_consumer(p, SOURCE_NAMES_GCC16, &named))
		return -1;
	c->from = &named;
	vector_each (&named.functions, f)
		if (!rc)
			rc = add_function(c, f);
	source_profile_deinit(&named);
	return rc;
}

int pprof_calls_write_to(const struct source_profile *p, FILE *out, struct softlbr_error *e)
{
	struct call_edges c = {.names = strings_new()};
	int rc = c.names ? collect_calls(&c, p) : -1;

	if (!rc && !c.calls.count)
		rc = error_set(
			e, SOFTLBR_E_EMPTY, NULL,
			"no call was seen, and calls are all that a pprof file for go build -pgo has: "
			"record more of the program's work");
	else if (rc || write_message(&c, out))
		rc = error_set_nomem(e);
	map_deinit(&c.functions);
	map_deinit(&c.locations);
	map_deinit(&c.calls);
	strings_free(c.names);
	return rc;
}
