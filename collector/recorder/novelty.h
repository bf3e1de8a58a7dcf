/* SPDX-License-Identifier: MIT */
/*
 * Is the recording long enough? As long as branches come that it has not seen yet, more of them are
 * missing: of what was recorded last, how much was new.
 */
#ifndef COLLECTOR_RECORDER_NOVELTY_H
#define COLLECTOR_RECORDER_NOVELTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

#define NOVELTY_MARKS 64u

/* How things stood some time into the recording. */
struct novelty_mark {
	uint64_t time_ns, branches, distinct;
};

/* Start zeroed; novelty_deinit frees. */
struct novelty {
	struct map seen; /* branches, by what address-space randomisation leaves of them */
	uint64_t branches;
	uint64_t last_ns; /* the latest sample's time */
	struct novelty_mark marks[NOVELTY_MARKS];
	unsigned mark_count;
	uint64_t mark_every; /* so many branches */
	bool tagged;	     /* values are recorded too: the owner's to set */
	bool full;	     /* too many to keep count, or no memory: nothing is known */
};

/* What is known at the end, of its last quarter. */
struct novelty_end {
	uint64_t distinct; /* branches in all; 0: nothing is known */
	double new_share;  /* of the quarter's branches, those that were never seen before it */
	double new_per_s;  /* distinct ones; 0 where no time passed */
};

/* Take note of records of perf.data, as softlbr writes them. */
void novelty_take(struct novelty *n, const void *records, size_t bytes);
void novelty_measure(const struct novelty *n, struct novelty_end *out);
void novelty_deinit(struct novelty *n);

#endif
