/* SPDX-License-Identifier: MIT */
/*
 * How far a profile is from one that a program can have run: llvm-bolt's metrics of profile quality
 * (bolt/lib/Passes/ProfileQualityStats.cpp of LLVM 21), on blocks and edges as this program sees
 * them. Formulas: docs/scores.md.
 */
#pragma once

#include "base/vector.h"
#include "converter/binary/binary.h"
#include "formats/model/branch_profile.h"
#include "softlbr/error.h"

/* The figures of one function: shares in [0,1]. */
struct imbalance {
	const struct binary_function *function;
	uint64_t weight;      /* sum of its blocks' counts */
	uint64_t entered;     /* times its first block ran */
	double discontinuity; /* of counts, in blocks that nothing leads to */
	double gap;	      /* between what flows into blocks and out of them, weighted */
	double worst_gap;     /* the largest of a block that ran often */
	double call_gap;      /* between calls seen and times entered; NaN if neither */
	uint64_t blocks, blocks_run;
};

enum flow_figure { FLOW_DISCONTINUITY, FLOW_GAP, FLOW_WORST_GAP, FLOW_CALL_GAP, FLOW_FIGURES };

struct imbalances {
	VECTOR(struct imbalance) functions; /* that ran, by falling weight */
	uint64_t weight;
	double mean[FLOW_FIGURES]; /* weighted by the functions' weights */
	/* of the hottest FLOW_TOP functions the value that 5 % of them exceed */
	double top5[FLOW_FIGURES];
};

#define FLOW_TOP 1000

/* @clean: what the code can have done (converter/samples/validate.h). @out is zeroed, ended with
 * imbalances_deinit also on failure. 0 or a negative code. */
int imbalances_find(struct imbalances *out, struct binary *b, const struct branch_profile *clean,
		    struct softlbr_error *e);
void imbalances_deinit(struct imbalances *g);
