/* SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "converter/aggregate.h"

int aggregate_check(const struct aggregate *a, const char *name, struct softlbr_error *e)
{
	const char *binary = binary_path(a->binary);
	bool other = a->match == AGGREGATE_MATCH_OTHER_BUILD && !a->options.any_build;

	if (a->recordings && (a->match == AGGREGATE_MATCH_NONE || other))
		return error_set(e, SOFTLBR_E_BINARY, name,
				 "%s was not recorded of %s%s; give the binary that ran", name,
				 binary, other ? ", but of another build" : "");
	if (!a->profile.branches.count && !a->profile.ranges.count && !a->profile.samples.count)
		return error_set(e, SOFTLBR_E_EMPTY, name, "%s holds no branch of %s", name,
				 binary);
	return 0;
}
