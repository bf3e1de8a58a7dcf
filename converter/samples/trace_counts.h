/* SPDX-License-Identifier: MIT */
/*
 * What estimates of frequencies (frequencies.h) are made of: the traces' weights, by where they
 * start or by their rates, and the transitions between branches.
 *
 * How much each trace counts by how fast the program ran there (docs/frequencies.md).
 */
#pragma once

#include "base/map.h"
#include "base/vector.h"
#include "converter/samples/frequencies.h"

/* Traces went from branch @before, or another one to the same target, to @branch. */
struct transition {
	uint32_t before, branch;
	double n;
	double seen;  /* n, as recorded */
	double share; /* of what leaves the target */
};

struct arrival {
	uint32_t from; /* target */
	double share;
};

struct trace_counts {
	const struct frequencies_traces *in;
	double traces, entries;	     /* with those seen repeatedly; whole traces */
	uint32_t *sources, *targets; /* of each branch, numbered from 0 */
	size_t source_count, target_count;
	double *starts, *middles, *all; /* by source: entries there */
	double *weights;		/* by source: of a trace that starts there */
	double *halves[2], *seen;	/* by branch: in every other trace, in all */
	double *rates;	       /* by trace, of each of its branches, about 1; NULL: not known */
	double *trace_weights; /* by trace */
	struct map numbers;    /* (target, branch) -> n = index of the transition + 1 */
	VECTOR(struct transition) transitions;
	size_t *last;	     /* by target: the transition that was seen last + 1; 0 = none */
	double *begin, *end; /* by target: traces after their first, or at their last branch */
	double *leave;	     /* by target: all that leaves it, closing included */
	double *x;	     /* by target: how often it is reached */
	size_t *first;	     /* by target: its arrivals */
	struct arrival *arrivals;
};

/* Start zeroed but for @in; frees. */
void trace_counts_deinit(struct trace_counts *s);
/* Free the results of a round: transitions and the chain. */
void trace_counts_forget_round(struct trace_counts *s);
/* The number behind the trace's last entry; how often the trace was seen. */
size_t trace_counts_end(const struct frequencies_traces *in, size_t trace);
/* Number the places in the order of the branches; 0, or -1 without memory. */
int trace_counts_number_places(const struct frequencies_traces *in, bool to, uint32_t **out,
			       size_t *count);
/* Count entries by source; 0, or -1 without memory. */
int trace_counts_by_source(struct trace_counts *s);
double trace_counts_sum_of(const double *a, size_t count);
/* How alike two distributions are: the degree of overlap, 0 to 1. */
double trace_counts_overlap(const double *a, double a_sum, const double *b, double b_sum,
			    size_t count);
void trace_counts_weigh_traces(struct trace_counts *s);
/* Count branches and transitions, each trace with its weight; 0, or -1 without memory. */
int trace_counts_add_traces(struct trace_counts *s, struct frequencies_result *r);

/* Make s->rates, if rates are known, of what is counted by source; 0, or -1 without memory. */
int trace_rates_take(struct trace_counts *s);
