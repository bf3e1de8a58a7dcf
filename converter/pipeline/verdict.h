/* SPDX-License-Identifier: MIT */
/*
 * Is a profile good enough to be used? One table of limits and one judge for all who ask; what the
 * figures mean is in docs/scores.md and docs/attribution.md. Shares are in [0,1].
 */
#pragma once

#include "base/map.h"
#include "base/overlap_estimate.h"
#include "base/vector.h"
#include "converter/binary/binary.h"
#include "converter/samples/aggregate.h"
#include "converter/samples/evidence.h"
#include "converter/samples/funnel.h"
#include "converter/samples/validate.h"
#include "converter/source/attribute.h"
#include "softlbr/error.h"

/* ---- the overlap to expect (expected_overlap.c) -------------------------------------------- */

struct expected_overlap {
	bool known; /* else there is nothing below */
	struct overlap_estimate estimate;
	double spread, spread_untimed; /* as struct evidence has them */
	bool biased;
	double seconds;		/* that were recorded; NaN: not known */
	double untimed;		/* share of the weight that is of code which was hardly timed */
	const char *untimed_at; /* the function that most of it is in, borrowed; NULL: not known */
	uint64_t fewest_traces; /* of the hot function that has the fewest; 0: not known */
};

/* What the counts of a function rest on. */
struct expected_overlap_function {
	const struct binary_function *function;
	double weight, untimed; /* and how much of it is in code that was hardly timed */
	uint64_t traces;	/* that have its most frequent branch */
};

struct expected_overlap_functions {
	VECTOR(struct expected_overlap_function) items;
	struct map numbers; /* (first address, 0) -> n = index + 1 */
};

/* A hot function has so much of the weight. */
#define OVERLAP_FUNCTION_HOT 0.01

/* @list: zeroed, ended by expected_overlap_functions_deinit. Without memory some are missing. */
void expected_overlap_functions_find(struct expected_overlap_functions *list,
				     const struct evidence *evidence, const struct binary *binary);
/* That which begins there; NULL: no branch of it was recorded. */
const struct expected_overlap_function *
expected_overlap_functions_at(const struct expected_overlap_functions *list, uint64_t begin);
void expected_overlap_functions_deinit(struct expected_overlap_functions *list);

/* Of a recording of @seconds (NaN: not known), with names of @binary (may be NULL). */
struct expected_overlap expected_overlap_of(const struct evidence *evidence, double seconds,
					    const struct binary *binary);
/* "84 % (76 to 91 %) expected overlap with exact counts"; the text's length, as snprintf. */
int expected_overlap_print(const struct expected_overlap *o, char *text, size_t size);
/* What to do so that it becomes at least @wanted, as "record 20 s more"; the text's length. */
int expected_overlap_advise(const struct expected_overlap *o, double wanted, char *text,
			    size_t size);

enum verdict_figure {
	/* of recordings and branches; these two are numbers, as traces of functions are; all
	 * others shares */
	VERDICT_TRACES,
	VERDICT_BRANCHES,
	/* The expected overlap of taken branches with exact counts: verdict.overlap. */
	VERDICT_OVERLAP,
	VERDICT_NOISE,
	/* Of the hot function that has the fewest: a number. */
	VERDICT_FUNCTION_TRACES,
	/* Of the weight, what is of traces whose path was timed. */
	VERDICT_TIMED,
	/* Of the recording's branches, those that are in the binary. */
	VERDICT_SHARE,
	VERDICT_VALID_BRANCHES,
	VERDICT_INVALID_RANGES,
	VERDICT_FILTERED,
	VERDICT_UNMAPPED,
	VERDICT_GAP,
	VERDICT_GAP_TOP,
	VERDICT_WORST_GAP_TOP,
	VERDICT_DISCONTINUITY,
	VERDICT_DISCONTINUITY_TOP,
	VERDICT_CALL_GAP,
	VERDICT_FUNCTIONS_RUN,
	VERDICT_BLOCKS_RUN,
	/*
	 * Of what a compiler gets: is an attributed profile what the program did? A profile at
	 * shifted addresses, or of another build, still lands on source lines, and a compiler takes
	 * it without a word and makes slower code. These tell it (docs/attribution.md).
	 */
	/* In functions that are left as functions are that were called, and were never seen to be
	 * entered. Not those that run for long once entered, nor those that are entered by ways
	 * that no trace shows: docs/scores.md. */
	VERDICT_ZERO_HEAD,
	/* Calls that do not arrive at a function's first instruction or at a PLT stub. */
	VERDICT_CALLS_MISDIRECTED,
	/* By how much the counts of functions' first instructions and what leads there differ. */
	VERDICT_ENTRY_RESIDUAL,
	/* Runs of call instructions for which no call was seen. */
	VERDICT_CALLS_UNRECORDED,
	/* Runs of unconditional branches, other than returns, that no branch was seen of. */
	VERDICT_FLOW_RESIDUAL,
	/* Weight of ranges that is in functions, but at no source line. */
	VERDICT_NO_LINE,
	/* Weight of ranges in no function symbol. */
	VERDICT_NO_SYMBOL,
	/* of another build */
	VERDICT_SAME_CODE,
	VERDICT_SAME_FLOW,
	/* of profiles by names: for compilers and fdata */
	VERDICT_NAMES_UNKNOWN,
	VERDICT_TARGETS_UNKNOWN,
	/* of counters for gcc */
	VERDICT_COUNTERS_RUN,
	VERDICT_KEYS_COVERED,
	/* In functions whose counters contradict each other: gcc refuses them. */
	VERDICT_COUNTERS_UNTRUE,
	VERDICT_FIGURES
};

enum verdict_bound { VERDICT_NO_BOUND, VERDICT_AT_LEAST, VERDICT_AT_MOST };

enum verdict_grade {
	VERDICT_GOOD,
	VERDICT_FAIR,	/* to be written; more would be better */
	VERDICT_POOR,	/* to be written, with a warning and the status for it */
	VERDICT_FAILED, /* not to be written unless the user insists */
};

struct verdict_value {
	double value; /* NaN = does not apply */
	uint64_t whole;
	double poor, failed; /* the limits; NaN = none */
	enum verdict_grade grade;
};

struct verdict {
	struct verdict_value values[VERDICT_FIGURES];
	struct expected_overlap overlap;
	enum verdict_grade grade; /* the worst of all */
	/* 0 (good), SOFTLBR_E_POOR, or a status with which nothing is to be written:
	 * SOFTLBR_E_BINARY (it does not fit the code) or SOFTLBR_E_INPUT */
	int status;
};

/* "no_line" */
const char *verdict_key(enum verdict_figure figure);
/* The figure's meaning in words. */
const char *verdict_meaning(enum verdict_figure figure);
/* Is the figure a number? Else it is a share. */
bool verdict_is_count(enum verdict_figure figure);
enum verdict_bound verdict_bound(enum verdict_figure figure);

/* With the default limits, and no figure. */
void verdict_init(struct verdict *v);
/* Let it be poor beyond @poor. */
void verdict_limit(struct verdict *v, enum verdict_figure figure, double poor);
/* @whole: of how many things it is a share. */
void verdict_set(struct verdict *v, enum verdict_figure figure, double value, uint64_t whole);
/* Set the figures of a recording, of branches, and of the source that they were attributed to. */
void verdict_take_traces(struct verdict *v, const struct funnel *funnel);
/* What the counts rest on: @evidence, or if there is none the number of @counts; @binary is for
 * names. */
void verdict_take_evidence(struct verdict *v, const struct evidence *evidence,
			   const struct branch_profile *counts, const struct funnel *funnel,
			   const struct binary *binary);
void verdict_take_branches(struct verdict *v, const struct validate_stats *valid);
void verdict_take_source(struct verdict *v, const struct attribute_stats *stats,
			 const struct validate_stats *valid);
/* Grade all that is set; v->status. */
int verdict_judge(struct verdict *v);

/* "good", "fair", "poor" or "refused" */
const char *verdict_name(const struct verdict *v);
#define VERDICT_NUMBER_BYTES 32
#define VERDICT_TEXT_BYTES   1024
/* The expected overlap, and why the profile is not good, as "61 % of the execution is in ...:
 * record longer"; "" if neither is known. */
void verdict_explain(const struct verdict *v, char text[VERDICT_TEXT_BYTES]);
/* v->status as an error, which is not 0 or SOFTLBR_E_POOR, of a profile of the file @binary. */
int verdict_error(const struct verdict *v, const char *binary, struct softlbr_error *e);

/* ---- sampling noise (halves.c) ------------------------------------------------------------- */

/* Start zeroed. */
struct halves {
	struct branch_profile of[2];
};

void halves_deinit(struct halves *h);
/* Add the halves of a recording, each count @weight times. 0 or a negative code. */
int halves_add(struct halves *h, struct binary *b, const struct aggregate_options *how,
	       const char *path, uint64_t weight, struct softlbr_error *e);
/* How much is the same, 0 to 1, of the hot taken branches: of the most frequent ones, that are nine
 * tenths of all. NaN if one half has none. 0, or -1 without memory. */
int halves_overlap(const struct halves *h, double *overlap);
/* How many times longer a recording has to be whose halves overlap by @wanted, if they do by
 * @overlap. */
double halves_times_longer(double overlap, double wanted);
