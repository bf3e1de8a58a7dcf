/* SPDX-License-Identifier: MIT */
#include "converter/samples/best_module.h"

#include "base/map.h"
#include "converter/binary/linux_kernel.h"

struct search {
	struct binary *binary;
	const struct aggregate_result *result;
	struct map fitting; /* (module, 0) -> n = branches, m = samples */
};

/* Where @address would be in the binary; BRANCH_OUTSIDE if in no code of it. */
static uint64_t place(const struct search *s, const struct address_map *map, uint64_t address)
{
	uint64_t va = linux_kernel_map_to_va(s->binary,
					     modules_path(&s->result->modules, map->module),
					     map->start, map->file_offset, address);

	return va != BRANCH_OUTSIDE && binary_is_code(s->binary, va) ? va : BRANCH_OUTSIDE;
}

static int add_branch(struct search *s, const struct address_space *space, const struct step *step)
{
	const struct address_map *map = address_space_find(space, step->from);
	uint64_t va = map ? place(s, map, step->from) : BRANCH_OUTSIDE;
	struct map_entry *entry;
	struct isa_insn insn;

	if (va == BRANCH_OUTSIDE || !binary_decode(s->binary, va, &insn) ||
	    (!isa_is_branch(insn.kind) && insn.kind != ISA_UNKNOWN))
		return 0;
	entry = map_at(&s->fitting, map->module, 0);
	if (!entry)
		return -1;
	entry->n += step->n;
	return 0;
}

static int add_sample(struct search *s, const struct address_space *space,
		      const struct map_entry *sample)
{
	const struct address_map *map = address_space_find(space, sample->a);
	struct map_entry *entry;

	if (!map || place(s, map, sample->a) == BRANCH_OUTSIDE)
		return 0;
	entry = map_at(&s->fitting, map->module, 0);
	if (!entry)
		return -1;
	entry->m += sample->n;
	return 0;
}

static int add_space(struct search *s, const struct address_space *space)
{
	const struct map_entry *sample = NULL;
	const struct step *step = NULL;

	while ((step = steps_next(&space->steps, step)))
		if (add_branch(s, space, step))
			return -1;
	while ((sample = map_next(&space->samples, (struct map_entry *)sample)))
		if (add_sample(s, space, sample))
			return -1;
	return 0;
}

/* Is @a a better answer than @b, which may be NULL? The smaller number, of those alike. */
static bool is_better(const struct map_entry *a, const struct map_entry *b)
{
	if (!b || a->n != b->n)
		return !b || a->n > b->n;
	return a->m != b->m ? a->m > b->m : a->a < b->a;
}

int best_module_find(const struct aggregate_result *result, struct aggregate_recording *recording,
		     int64_t *module)
{
	struct search s = {.binary = result->binary, .result = result};
	const struct map_entry *best = NULL;
	struct address_space **space;
	int rc = 0;

	vector_each (&recording->history.spaces, space)
		if (!rc)
			rc = add_space(&s, *space);
	for (struct map_entry *i = NULL; (i = map_next(&s.fitting, i));)
		if (is_better(i, best))
			best = i;
	*module = best ? (int64_t)best->a : -1;
	map_deinit(&s.fitting);
	return rc;
}
