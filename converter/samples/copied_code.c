/* SPDX-License-Identifier: MIT */
#include "converter/samples/copied_code.h"

enum { COPY_UNUSED, COPY_FITS, COPY_IS_OTHER_CODE };

/* Could the code at the branch's place in the file have taken it? Direct branches are as far from
 * their targets there. */
static bool fits_code(struct binary *b, uint64_t va, const struct step *step)
{
	struct isa_insn insn;

	return va != BRANCH_OUTSIDE && binary_decode(b, va, &insn) && isa_is_branch(insn.kind) &&
	       (!insn.target || insn.target - va == step->to - step->from);
}

/* Less than half of the branches is no accident of a few. Sampled addresses alone tell nothing. */
static int judge_map(const struct address_space *s, const struct address_map *map,
		     const struct modules *modules, struct binary *b)
{
	const struct map_entry *sample;
	const struct step *step = NULL;
	uint64_t all = 0, fitting = 0;

	while ((step = steps_next(&s->steps, step))) {
		if (step->from < map->start || step->from >= map->end)
			continue;
		all += step->n;
		if (fits_code(b, address_map_to_va(map, modules, b, step->from), step))
			fitting += step->n;
	}
	if (all)
		return fitting >= all - fitting ? COPY_FITS : COPY_IS_OTHER_CODE;
	map_each (&s->samples, sample)
		if (sample->a >= map->start && sample->a < map->end)
			return COPY_FITS;
	return COPY_UNUSED;
}

static void give_back(struct address_map *map)
{
	map->module = map->copied_to - 1;
	map->file_offset = map->start;
	map->copied_to = 0;
}

void copied_code_judge(struct aggregate_recording *recording, struct modules *modules,
		       size_t module, struct binary *b)
{
	struct module *its = &modules->items.items[module];
	struct address_space **s;
	struct address_map *map;

	if (!its->may_be_copied && !its->is_copied && !its->is_reused)
		return;
	vector_each (&recording->history.spaces, s)
		vector_each (&(*s)->maps, map) {
			int is = map->module == module && map->copied_to
					 ? judge_map(*s, map, modules, b)
					 : COPY_UNUSED;

			its->is_copied |= is == COPY_FITS;
			its->is_reused |= is == COPY_IS_OTHER_CODE;
			if (is == COPY_IS_OTHER_CODE)
				give_back(map);
		}
	its->may_be_copied = false;
}
