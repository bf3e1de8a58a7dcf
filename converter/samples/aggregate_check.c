/* SPDX-License-Identifier: MIT */
#include "converter/samples/aggregate_check.h"

#include "base/error.h"

static int not_of_binary(const struct aggregate *a, const char *name, struct softlbr_error *e)
{
	return error_set(e, SOFTLBR_E_BINARY, name,
			 "%s was not recorded of %s%s; give the binary that ran", name,
			 binary_path(a->result.binary),
			 a->result.match.other_build >= 0 ? ", but of another build" : "");
}

static uint64_t found(const struct funnel *f)
{
	return f->branches_inside + f->branches_entering + f->branches_leaving +
	       f->samples_in_binary;
}

int aggregate_check_added(const struct aggregate *a, const struct funnel *before, const char *name,
			  struct softlbr_error *e)
{
	const struct funnel *now = &a->result.funnel;
	bool held = now->entries > before->entries || now->samples > before->samples;

	return held && found(now) == found(before) ? not_of_binary(a, name, e) : 0;
}

int aggregate_check(const struct aggregate *a, const char *name, struct softlbr_error *e)
{
	if (a->result.recordings &&
	    (a->result.match.kind == MATCH_NONE ||
	     (a->result.match.kind == MATCH_OTHER_BUILD && !a->options.any_build)))
		return not_of_binary(a, name, e);
	if (!a->result.profile.branches.count && !a->result.profile.ranges.count &&
	    !a->result.profile.samples.count)
		return error_set(e, SOFTLBR_E_EMPTY, name, "%s holds no branch of %s", name,
				 binary_path(a->result.binary));
	return 0;
}
