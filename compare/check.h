/* SPDX-License-Identifier: MIT */
/*
 * Is a profile good before anything is built with it? Figures of a recording, branch profile or
 * fdata against its binary, of its hot code against another build, or of a source profile against
 * the binary's symbols. What each means: docs/scores.md.
 */
#pragma once

#include "base/vector.h"
#include "compare/counter_check.h"
#include "compare/side.h"
#include "converter/binary/binary.h"
#include "converter/pipeline/verdict.h"
#include "formats/model/branch_profile.h"
#include "softlbr/error.h"

/* ---- another build (staleness.c) ----------------------------------------------------------- */

enum stale_kind {
	STALE_SAME,  /* the same instructions, though elsewhere and with other distances */
	STALE_SHAPE, /* other instructions, the same blocks and edges */
	STALE_CHANGED,
	STALE_GONE, /* no function of its name */
	STALE_KINDS
};

struct stale_function {
	const struct binary_function *function; /* of the recorded build */
	double weight;				/* instructions run, as bytes of ranges */
	enum stale_kind kind;
};

struct staleness {
	VECTOR(struct stale_function) functions; /* that ran, by falling weight */
	double weight[STALE_KINDS], total;
};

/* @clean is of @recorded. @out is zeroed, ended with staleness_deinit also on failure. */
int staleness_find(struct staleness *out, struct binary *recorded, struct binary *now,
		   const struct branch_profile *clean, struct softlbr_error *e);
void staleness_deinit(struct staleness *s);
const char *staleness_kind_name(enum stale_kind kind);

/* ---- counts that do not fit each other (imbalance.c) --------------------------------------- */

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

struct check_options {
	const char *profile_path;
	const char *binary_path; /* NULL: what a recording says, as side_open_binary has it */
	const struct debug_search *search; /* may be NULL */
	const char *keys_path;		   /* of counters, or NULL */
	const char *against_path;	   /* another build, or its keys, or NULL */
	enum frequencies frequencies;	   /* of recordings: as convert has it */
	struct verdict limits;		   /* by verdict_init and verdict_limit */
	struct aggregate_progress progress;
};

struct check {
	struct side side;
	struct binary *binary, *against;
	struct verdict verdict;
	struct imbalances gaps;
	struct staleness stale;
	bool has_counters; /* then there is no binary, or one for names, and nothing else */
	struct counter_check counters;
};

/* @out is initialised by the call, ended with check_deinit also on failure. That the profile is
 * no good is no error: out->verdict. */
int check_make(struct check *out, const struct check_options *options, struct softlbr_error *e);
void check_deinit(struct check *c);
