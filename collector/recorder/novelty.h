/* SPDX-License-Identifier: MIT */
/*
 * Is the recording long enough? As long as branches come that it has not seen yet, more of them are
 * missing: of what was recorded last, how much was new. And as long as random halves of it differ,
 * chance is in its counts (splits.h).
 */
#ifndef COLLECTOR_RECORDER_NOVELTY_H
#define COLLECTOR_RECORDER_NOVELTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "collector/recorder/splits.h"

#define NOVELTY_MARKS 64u

/* How things stood some time into the recording. */
struct novelty_mark {
	uint64_t time_ns, branches, distinct;
};

/* Start zeroed; novelty_deinit frees. */
struct novelty {
	struct map seen; /* branches, by what address-space randomisation leaves of them */
	struct splits splits;
	uint64_t trace_ns; /* of the trace that the last record was of */
	uint32_t trace_thread;
	uint64_t first_ns; /* the first sample's time */
	uint64_t branches;
	uint64_t last_ns; /* the latest sample's time */
	struct novelty_mark marks[NOVELTY_MARKS];
	unsigned mark_count;
	uint64_t mark_every; /* so many branches */
	bool tagged;	     /* more than traces is recorded: the owner's to set */
	bool full;	     /* too many to keep count, or no memory: nothing is known */
};

/* What is known at the end, of its last quarter. */
struct novelty_end {
	uint64_t distinct; /* branches in all; 0: nothing is known */
	double new_share;  /* of the quarter's branches, those that were never seen before it */
	double new_per_s;  /* distinct ones; 0 where no time passed */
	double noise;	   /* splits_noise: of all that was recorded; NaN: not known */
	double seconds;	   /* from the first sample to the last */
};

/* Take note of records of perf.data, as softlbr writes them. */
void novelty_take(struct novelty *n, const void *records, size_t bytes);
/* What is to be expected lost to chance by now, 0 to 1; NaN: not known. */
double novelty_noise(const struct novelty *n);
/* Seconds of recording like these @seconds until chance costs @target, if it costs @noise now. */
double novelty_seconds_to(double seconds, double noise, double target);
void novelty_measure(const struct novelty *n, struct novelty_end *out);
void novelty_deinit(struct novelty *n);

#endif
