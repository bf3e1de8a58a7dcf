/* SPDX-License-Identifier: MIT */
/*
 * Is the recording long enough? Two measures tell, while it is made.
 *
 * Sampling noise, by split halves: each trace goes to one of two halves at random, in several ways
 * at once. With h the mean overlap of the halves' counts of branches, (1 - h) / 2 is about what the
 * whole misses by having so few traces (docs/scores.md). Bias, which no length removes, is not in
 * it, nor is what the program does later on. Counts are summed up anew when the recording has grown
 * by a sixteenth, so a trace costs what its branches do, and a part of the distinct ones.
 *
 * Coverage: as long as branches come that were not seen yet, more of them are missing. It is how
 * much was new of what was recorded last.
 *
 * The stop criterion is a noise. Where the user gave none, samples get rarer when the recording has
 * converged (BUDGET_CONVERGED).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"
#include "collector/recorder/control.h"
#include "base/overlap_estimate.h"

/* Fewer traces tell nothing: those of a loop are all alike. */
#define CONVERGENCE_TRACES_LEAST 100u
/* Ways to halve the recording. */
#define CONVERGENCE_WAYS  8u
#define CONVERGENCE_MARKS 64u
/* Branches whose numbers are not searched for again. */
#define CONVERGENCE_RECENT 512u

/* At this noise a recording has converged; above the second one it has not any more, since the
 * program shows something new. */
#define CONVERGENCE_NOISE      0.02
#define CONVERGENCE_NOISE_MOST 0.03

/* Counts of one branch, by the traces' weights. */
struct convergence_count {
	double all, first[CONVERGENCE_WAYS]; /* first: in the first half, by each way */
	double timed;			     /* of traces that were timed */
	uint32_t here;			     /* in the trace at hand */
};

struct convergence_halves {
	VECTOR(struct convergence_count) counts;
	uint64_t traces, weighted;
	double weights;	       /* of the weighted traces, summed up */
	double weight;	       /* of the trace at hand */
	unsigned sides;	       /* the same: a bit for each way, 1 = the first half */
	bool timed;	       /* the same */
	VECTOR(uint32_t) here; /* the same: its branches, each once */
	uint64_t length;       /* the same: of all of them */
	double all;	       /* of all branches */
	/* by how much traces differed from what there was by then, each by its weight; and the part
	 * of code that was hardly timed */
	double spread, spread_untimed;
	uint64_t looked_at; /* traces, when the overlap was last estimated */
	double overlap;	    /* then */
	double before;	    /* at the estimate before that; 0: there was none */
};

/* The state some time into the recording. */
struct convergence_mark {
	uint64_t time_ns, branches, distinct;
};

struct convergence_recent {
	uint64_t from, to, number; /* 0: none */
};

/* Start zeroed; convergence_deinit frees. */
struct convergence {
	struct map seen; /* branches, by what address-space randomisation leaves of them */
	struct convergence_recent recent[CONVERGENCE_RECENT];
	struct convergence_halves halves;
	uint64_t trace_ns; /* of the trace that the last record was of */
	uint32_t trace_thread;
	uint64_t first_ns; /* the first sample's time */
	uint64_t branches;
	uint64_t last_ns; /* the latest sample's time */
	struct convergence_mark marks[CONVERGENCE_MARKS];
	unsigned mark_count;
	uint64_t mark_every; /* so many branches */
	bool tagged;	     /* more than traces is recorded: the owner's to set */
	bool full;	     /* too many to keep count, or no memory: nothing is known */
};

/* What is known at the end, of the recording's last quarter. */
struct convergence_end {
	uint64_t distinct; /* branches in all; 0: nothing is known */
	double new_share;  /* of the quarter's branches, those that were never seen before it */
	double new_per_s;  /* distinct ones; 0 where no time passed */
	double noise;	   /* convergence_noise of all that was recorded; NaN: not known */
	/* of all modules together, without .biased; no traces: nothing is known */
	struct overlap_evidence evidence;
	double seconds; /* from the first sample to the last */
};

struct convergence_options {
	double noise; /* the recording ends at this noise, 0 to 1; 0: it does not end by itself */
	bool thins;   /* samples get rarer when it has converged */
	/* Reports each look while the recording is on: @noise is NaN as long as nothing is known.
	 * May be NULL. */
	void (*tell)(void *context, double noise, double seconds, bool reached);
	void *context;
};

/* Add records of perf.data, as softlbr writes them. */
void convergence_add(struct convergence *c, const void *records, size_t bytes);
/* Seconds of recording like these @seconds until the noise is @target, if it is @noise now. */
double convergence_seconds_to(double seconds, double noise, double target);
/* The last trace is complete. */
void convergence_measure(struct convergence *c, struct convergence_end *out);
void convergence_deinit(struct convergence *c);

/* End the recording through @control if its stop criterion is met; true if it was just now. */
bool convergence_stop(const struct convergence_options *o, const struct convergence *c,
		      struct control *control);
/* May samples be rarer? @before: the answer of the last look. */
bool convergence_is_reached(const struct convergence_options *o, const struct convergence *c,
			    bool before);
