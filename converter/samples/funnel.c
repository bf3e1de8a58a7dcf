/* SPDX-License-Identifier: MIT */
#include "converter/samples/funnel.h"

uint64_t funnel_branches(const struct funnel *f)
{
	return f->entries - f->entries_repeated;
}

bool funnel_adds_up(const struct funnel *f)
{
	uint64_t entries = f->entries_empty + f->entries_guest + f->entries_wrong_path +
			   f->entries_not_taken + f->entries_one_end + f->entries_repeated +
			   f->entries_doubled + f->branches_inside + f->branches_entering +
			   f->branches_leaving + f->branches_elsewhere + f->branches_kernel +
			   f->branches_unmapped;
	uint64_t ranges = f->ranges_kept + f->ranges_filtered + f->ranges_reversed +
			  f->ranges_too_long + f->ranges_crossing + f->ranges_elsewhere +
			  f->ranges_kernel + f->ranges_unmapped;

	return entries == f->entries && ranges == f->ranges;
}
