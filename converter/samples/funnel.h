/* SPDX-License-Identifier: MIT */
/*
 * Where the samples, branches and ranges of recordings went: what is dropped is counted by cause,
 * and the causes add up to what was read.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

struct funnel {
	/* records */
	uint64_t samples, samples_without_stack, samples_in_binary;
	uint64_t samples_of_call_stacks;  /* by LBR: among those without a stack of branches */
	uint64_t samples_of_other_events; /* passed over, as asked for */
	uint64_t samples_lost;		  /* the recorder's own report; not among samples */

	uint64_t first_ns, last_ns; /* the samples' times, where they have one */

	/* branch entries: read = the sum of all those below */
	uint64_t entries;
	uint64_t entries_empty;	     /* all zero: the stack was not full yet */
	uint64_t entries_guest;	     /* of a virtual machine's guest */
	uint64_t entries_wrong_path; /* speculation that was thrown away */
	uint64_t entries_not_taken;  /* Arm SPE samples branches, taken or not */
	uint64_t entries_one_end;    /* where the branch came from or went is missing */
	uint64_t entries_repeated;   /* where softlbr cut a long trace in two */
	uint64_t entries_doubled;    /* the newest entry twice (Intel Skylake) */
	uint64_t branches_inside;    /* both ends in the binary */
	uint64_t branches_entering, branches_leaving; /* other end in another module, or
						       * where nothing is mapped */
	uint64_t branches_elsewhere;		      /* both ends in other modules */
	uint64_t branches_kernel;		      /* an end in the kernel */
	uint64_t branches_unmapped;		      /* none in the binary, one where nothing is */

	/* of all entries, with aggregate_options.predictions */
	uint64_t entries_predicted, entries_mispredicted;

	/* of some stacks: entries, and for each of them those of the same branch in its stack */
	uint64_t looked_at, alike;

	/* ranges between entries: possible = the sum of all those below */
	uint64_t ranges;
	uint64_t ranges_kept;
	uint64_t ranges_filtered; /* the event did not record every branch */
	uint64_t ranges_reversed; /* the end before the beginning */
	uint64_t ranges_too_long;
	uint64_t ranges_crossing; /* the ends in two modules */
	uint64_t ranges_elsewhere, ranges_kernel, ranges_unmapped;
};

/* How many branches were recorded: the entries but those that stand twice because a long trace
 * fills several records. */
static inline uint64_t funnel_branches(const struct funnel *f)
{
	return f->entries - f->entries_repeated;
}

/* From the first sample to the last; NaN: samples have no times, or there are none. */
static inline double funnel_seconds(const struct funnel *f)
{
	return f->last_ns > f->first_ns ? (double)(f->last_ns - f->first_ns) / 1e9 : NAN;
}

/* Do the parts add up to their wholes? */
static inline bool funnel_adds_up(const struct funnel *f)
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
