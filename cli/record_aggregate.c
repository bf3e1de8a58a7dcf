/* SPDX-License-Identifier: MIT */
#include "cli/record_aggregate.h"

#include <inttypes.h>
#include <stdio.h>

void record_aggregate_print(const struct accumulate *a)
{
	fprintf(stderr,
		"softlbr: %" PRIu64 " branches counted in %u parts, %" PRIu64
		" distinct branches and ranges -> %u files in %s\n",
		a->branches, a->parts, a->entries, a->files, a->directory);
	if (a->branches_elsewhere)
		fprintf(stderr,
			"softlbr:   %" PRIu64 " branches in modules that have no file here\n",
			a->branches_elsewhere);
	if (a->dropped)
		fprintf(stderr,
			"softlbr:   %" PRIu64
			" counts dropped: more distinct branches and ranges than %" PRIu64
			" (--aggregate-most)\n",
			a->dropped, a->entries_most);
}
