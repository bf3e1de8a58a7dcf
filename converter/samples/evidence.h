/* SPDX-License-Identifier: MIT */
/*
 * What counts rest on that were made of traces: how much of them is sampling noise, how much of
 * them is of traces whose paths were timed, and how much it would matter if the others' weights
 * were wrong. Verdicts are made of it (converter/pipeline/verdict.h). Only what is in the binary
 * counts.
 */
#pragma once

#include "base/vector.h"
#include "converter/samples/frequencies.h"
#include "formats/model/branch_profile.h"

#define EVIDENCE_ELSEWHERE UINT64_MAX

/* A place in the binary that branches begin at, or end at if they begin elsewhere. */
struct evidence_place {
	uint64_t va;
	double weight;	 /* of its branches */
	double timed;	 /* of that, what is of traces that were timed */
	uint64_t traces; /* that have it */
};

struct evidence {
	VECTOR(struct evidence_place) places; /* of each branch that was recorded, in no order */
	uint64_t traces;		      /* with a branch in the binary */
	double weight;			      /* of all places */
	bool weighted;			      /* traces have weights of their own */
	bool biased;  /* they have none, though a timer seems to have begun them */
	double timed; /* share of the weight that is of traces that were timed */
	/*
	 * How much a trace differs from the whole, 1 less their overlap, on average by weight:
	 * where all traces are alike, it does not matter how they are weighted. And of that the
	 * part of code that was never timed, or seldom.
	 */
	double spread, spread_untimed;
	double untimed; /* share of the weight that is of such code */
	double noise;	/* expected loss of overlap by sampling noise, 0 to 1; NaN: not known */
};

struct evidence_input {
	const struct frequencies_traces *traces;
	const double *weights;	/* by trace, of each of its branches; NULL: 1 */
	const uint64_t *places; /* by branch: where it is, or EVIDENCE_ELSEWHERE */
};

/*
 * Where there are no traces but counts of @traces stacks of branches, of which each tells the same
 * @alike times (at least 1): the noise alone. @e: zeroed.
 */
void evidence_of_counts(const struct branch_profile *p, uint64_t traces, double alike,
			struct evidence *e);
/* Start zeroed; frees. */
void evidence_deinit(struct evidence *e);
/* @e: zeroed. 0, or -1 without memory. */
int evidence_find(const struct evidence_input *in, struct evidence *e);
