/* SPDX-License-Identifier: MIT */
/*
 * By how much the taken branches of a profile that was made of samples overlap with exact counts:
 * an estimate with its interval, from what is known of the samples, and the grade that it gets. All
 * who judge a recording ask here: the recorder while it has no more than the traces, and the
 * converter. The figures were fitted to recordings with exact counts (docs/scores.md).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The overlap that a good profile has at least. */
#define OVERLAP_GOOD 0.90

/* What is known of the samples; shares from 0 to 1. */
struct overlap_evidence {
	uint64_t traces;
	double noise; /* expected loss by sampling noise (split halves) */
	/* By how much one trace differs from the whole, 1 less the overlap, on average; and the
	 * part of that which is of code whose time was not measured. */
	double spread, spread_untimed;
	bool weighted; /* a timer began the traces, and they have weights */
	bool biased;   /* a timer began them, and they have none */
};

/* How much it matters that of the weight of some code only the share @timed is of traces that were
 * timed: one trace in a few is enough to know how fast the code of all is. */
static inline double overlap_untimed(double timed)
{
	double rest = timed < 1 ? 1 - timed : 0;

	return rest * rest * rest * rest;
}

enum overlap_grade { OVERLAP_IS_GOOD, OVERLAP_IS_FAIR, OVERLAP_IS_POOR };

/* What the loss is mostly of. */
enum overlap_cause { OVERLAP_BY_NOISE, OVERLAP_BY_UNTIMED, OVERLAP_BY_BIAS };

struct overlap_estimate {
	double value, low, high; /* overlap; 90 % of recordings are between low and high */
	double by_noise;	 /* the part of the loss that a longer recording makes smaller */
	enum overlap_cause cause;
};

/*
 * The mean loss is a sum: of the noise; of what a trace more could show, of which few traces say
 * nothing; of what weights that were measured miss; and of what those do that were not.
 */
#define OVERLAP_OF_NOISE   0.75
#define OVERLAP_OF_TRACES  0.75
#define OVERLAP_OF_SPREAD  0.02
#define OVERLAP_OF_UNTIMED 0.6
#define OVERLAP_OF_BIAS	   0.2
/* Without weights it does not matter how unlike traces are, if they are this unlike or more. */
#define OVERLAP_UNLIKE 0.3
/* The interval: so many times the mean loss. */
#define OVERLAP_LEAST	     0.35
#define OVERLAP_MOST	     3.0
#define OVERLAP_BIASED_LEAST 0.3
#define OVERLAP_BIASED_MOST  2.1

static inline double overlap_limited(double share)
{
	return share < 0 ? 0 : share > 1 ? 1 : share;
}

static inline struct overlap_estimate overlap_estimate(const struct overlap_evidence *e)
{
	double traces = e->traces ? (double)e->traces : 1;
	double noise = OVERLAP_OF_NOISE * e->noise + OVERLAP_OF_TRACES / traces;
	double bias = e->biased ? OVERLAP_OF_BIAS * overlap_limited(e->spread / OVERLAP_UNLIKE) : 0;
	double spread = e->weighted ? OVERLAP_OF_SPREAD * e->spread : 0;
	double untimed = e->weighted ? OVERLAP_OF_UNTIMED * e->spread_untimed : 0;
	double loss = noise + bias + spread + untimed;
	double most = e->biased ? OVERLAP_BIASED_MOST : OVERLAP_MOST;
	double least = e->biased ? OVERLAP_BIASED_LEAST : OVERLAP_LEAST;

	return (struct overlap_estimate){
		.value = overlap_limited(1 - loss),
		.low = overlap_limited(1 - most * loss),
		.high = overlap_limited(1 - least * loss),
		.by_noise = noise,
		.cause = bias >= noise && bias > 0	   ? OVERLAP_BY_BIAS
			 : untimed >= noise && untimed > 0 ? OVERLAP_BY_UNTIMED
							   : OVERLAP_BY_NOISE,
	};
}

/* Good: in 95 of 100 recordings the overlap is @least or more; poor: in 95 of 100 it is less. */
static inline enum overlap_grade overlap_grade(const struct overlap_estimate *o, double least)
{
	return o->low >= least	 ? OVERLAP_IS_GOOD
	       : o->high < least ? OVERLAP_IS_POOR
				 : OVERLAP_IS_FAIR;
}
