/* SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "converter/samples/aggregate.h"

static int not_of_binary(const struct aggregate *a, const char *name, struct softlbr_error *e)
{
	return error_set(
		e, SOFTLBR_E_BINARY, name, "%s was not recorded of %s%s; give the binary that ran",
		name, binary_path(a->binary), a->other_build >= 0 ? ", but of another build" : "");
}

static uint64_t found(const struct funnel *f)
{
	return f->branches_inside + f->branches_entering + f->branches_leaving +
	       f->samples_in_binary;
}

int match_check_added(const struct aggregate *a, const struct funnel *before, const char *name,
		      struct softlbr_error *e)
{
	const struct funnel *now = &a->funnel;
	bool held = now->entries > before->entries || now->samples > before->samples;

	return held && found(now) == found(before) ? not_of_binary(a, name, e) : 0;
}

int match_check(const struct aggregate *a, const char *name, struct softlbr_error *e)
{
	if (a->recordings && (a->match == AGGREGATE_MATCH_NONE ||
			      (a->match == AGGREGATE_MATCH_OTHER_BUILD && !a->options.any_build)))
		return not_of_binary(a, name, e);
	if (!a->profile.branches.count && !a->profile.ranges.count && !a->profile.samples.count)
		return error_set(e, SOFTLBR_E_EMPTY, name, "%s holds no branch of %s", name,
				 binary_path(a->binary));
	return 0;
}
