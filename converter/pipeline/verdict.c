/* SPDX-License-Identifier: MIT */
#include "converter/pipeline/verdict.h"

#include <math.h>

#include "base/error.h"

_Static_assert(VERDICT_NO_SYMBOL - VERDICT_UNENTERED == SANITY_NO_SYMBOL,
	       "the figures of source must match enum sanity_figure");

/*
 * Figures of few things are no evidence: a small program may well have three functions of which two
 * are entered by nobody, and a branch or two be noise of the recording.
 */
#define EVIDENCE_SOURCE 20
#define EVIDENCE_FIT	100

/*
 * Exact profiles have 0.2 % functions without entry, no misdirected call, an entry residual of 3e-7
 * and with clang 11 to 20 % of the weight at line 0; shifted ones 97 % and more in each of the
 * first three (docs/attribution.md). Traces of finite length miss entries, so the limits leave
 * room. Fewer valid branches than half are no accident: the code is not the one that was recorded.
 */
static const struct {
	const char *key, *meaning;
	enum verdict_bound bound;
	double poor, failed;
	uint64_t poor_evidence, failed_evidence; /* of as many things at least */
} figures[VERDICT_FIGURES] = {
	[VERDICT_BRANCHES] = {"branches", "taken branches that the code has", VERDICT_AT_LEAST,
			      1000, NAN, 0, 0},
	[VERDICT_CHANCE] = {"chance", "what chance costs of the edge overlap; longer is better",
			    VERDICT_AT_MOST, 1, NAN, 0, 0},
	[VERDICT_VALID_BRANCHES] = {"valid_branches", "branches that the code has",
				    VERDICT_AT_LEAST, 0.95, 0.5, 0, EVIDENCE_FIT},
	[VERDICT_INVALID_RANGES] = {"invalid_ranges", "ranges that the code cannot run through",
				    VERDICT_AT_MOST, 0.05, NAN, 0, 0},
	[VERDICT_GAP] = {"flow_gap", "flow conservation gap, weighted mean", VERDICT_AT_MOST, 0.25,
			 NAN, 0, 0},
	[VERDICT_GAP_TOP] = {"flow_gap_top5", "... of the worst 5 % of hot functions",
			     VERDICT_NO_BOUND, NAN, NAN, 0, 0},
	[VERDICT_WORST_GAP_TOP] = {"flow_gap_worst_top5",
				   "... of their worst blocks, of the worst 5 %", VERDICT_NO_BOUND,
				   NAN, NAN, 0, 0},
	[VERDICT_DISCONTINUITY] = {"discontinuity", "counts that no way leads to, weighted mean",
				   VERDICT_AT_MOST, 1, NAN, 0, 0},
	[VERDICT_DISCONTINUITY_TOP] = {"discontinuity_top5",
				       "... of the worst 5 % of hot functions", VERDICT_NO_BOUND,
				       NAN, NAN, 0, 0},
	[VERDICT_CALL_GAP] = {"call_gap", "gap between calls and entries, weighted mean",
			      VERDICT_NO_BOUND, NAN, NAN, 0, 0},
	[VERDICT_FUNCTIONS_RUN] = {"functions_run", "functions of the binary that ran",
				   VERDICT_NO_BOUND, NAN, NAN, 0, 0},
	[VERDICT_BLOCKS_RUN] = {"blocks_run", "blocks of these functions that ran",
				VERDICT_NO_BOUND, NAN, NAN, 0, 0},
	[VERDICT_UNENTERED] = {"unentered", "functions that ran and were never seen to be entered",
			       VERDICT_AT_MOST, 0.20, 0.80, EVIDENCE_SOURCE, EVIDENCE_SOURCE},
	[VERDICT_CALLS_MISDIRECTED] = {"calls_misdirected",
				       "calls that do not arrive at a function", VERDICT_AT_MOST,
				       0.05, 0.50, EVIDENCE_SOURCE, EVIDENCE_SOURCE},
	[VERDICT_ENTRY_RESIDUAL] = {"entry_residual",
				    "difference between entry counts and what leads there",
				    VERDICT_AT_MOST, 0.25, 0.75, EVIDENCE_SOURCE, EVIDENCE_SOURCE},
	[VERDICT_CALLS_UNRECORDED] = {"calls_unrecorded",
				      "runs of call instructions without a call", VERDICT_AT_MOST,
				      0.25, 0.90, EVIDENCE_SOURCE, EVIDENCE_SOURCE},
	[VERDICT_FLOW_RESIDUAL] = {"flow_residual", "runs of jumps and calls without a branch",
				   VERDICT_AT_MOST, 0.25, 0.90, EVIDENCE_SOURCE, EVIDENCE_SOURCE},
	[VERDICT_NO_LINE] = {"no_line", "counts at no source line, which compilers drop",
			     VERDICT_AT_MOST, 0.40, 0.90, EVIDENCE_SOURCE, EVIDENCE_SOURCE},
	[VERDICT_NO_SYMBOL] = {"no_symbol", "counts in no function, which all drop",
			       VERDICT_AT_MOST, 0.20, 0.90, EVIDENCE_SOURCE, EVIDENCE_SOURCE},
	[VERDICT_SAME_CODE] = {"same_code", "counts in functions whose code is the same now",
			       VERDICT_NO_BOUND, NAN, NAN, 0, 0},
	[VERDICT_SAME_FLOW] = {"same_flow",
			       "counts in functions whose control flow is the same now",
			       VERDICT_AT_LEAST, 0.8, NAN, 0, 0},
	[VERDICT_NAMES_UNKNOWN] = {"names_unknown",
				   "counts of functions that the binary does not have",
				   VERDICT_AT_MOST, 0.1, NAN, 0, 0},
	[VERDICT_TARGETS_UNKNOWN] = {"targets_unknown",
				     "calls of functions that the binary does not have",
				     VERDICT_NO_BOUND, NAN, NAN, 0, 0},
};

const char *verdict_key(enum verdict_figure figure)
{
	return figures[figure].key;
}

const char *verdict_meaning(enum verdict_figure figure)
{
	return figures[figure].meaning;
}

enum verdict_bound verdict_bound(enum verdict_figure figure)
{
	return figures[figure].bound;
}

void verdict_init(struct verdict *v)
{
	*v = (struct verdict){0};
	for (int i = 0; i < VERDICT_FIGURES; i++)
		v->values[i] = (struct verdict_value){
			.value = NAN, .poor = figures[i].poor, .failed = figures[i].failed};
}

static bool is_beyond(enum verdict_figure figure, double value, double limit)
{
	return figures[figure].bound == VERDICT_AT_LEAST ? value < limit : value > limit;
}

void verdict_limit(struct verdict *v, enum verdict_figure figure, double poor)
{
	struct verdict_value *to = &v->values[figure];

	to->poor = poor;
	/* what is not poor has not failed; that the code does not fit is none of the user's choice
	 */
	if (figures[figure].bound == VERDICT_AT_MOST && poor > to->failed)
		to->failed = poor;
}

void verdict_set(struct verdict *v, enum verdict_figure figure, double value, uint64_t whole)
{
	v->values[figure].value = value;
	v->values[figure].whole = whole;
}

void verdict_take_branches(struct verdict *v, const struct validate_stats *valid)
{
	double share = valid->branches.valid ? validate_branch_share(valid) : 0;

	verdict_set(v, VERDICT_BRANCHES, (double)valid->branches.valid, valid->branches.in);
	verdict_set(v, VERDICT_VALID_BRANCHES, valid->branches.in ? share : 1, valid->branches.in);
	verdict_set(v, VERDICT_INVALID_RANGES, 1 - validate_range_share(valid), valid->ranges.in);
}

/* A stack of N branches has N - 1 ranges: entries lack that share of what led to them. */
static void allow_short_stacks(struct verdict *v, const struct validate_stats *valid)
{
	uint64_t branches = valid->branches.in, ranges = valid->ranges.in;
	double missing = ranges ? (double)branches / (double)ranges - 1 : 0;

	missing = missing < 0 ? 0 : missing > 1 ? 1 : missing;
	v->values[VERDICT_ENTRY_RESIDUAL].poor += missing;
	v->values[VERDICT_ENTRY_RESIDUAL].failed += missing;
}

void verdict_take_source(struct verdict *v, const struct sanity *sanity,
			 const struct validate_stats *valid)
{
	for (int i = 0; i < SANITY_FIGURES; i++)
		verdict_set(v, (enum verdict_figure)(VERDICT_UNENTERED + i),
			    sanity->values[i].share, sanity->values[i].whole);
	allow_short_stacks(v, valid);
}

static enum verdict_grade grade(enum verdict_figure figure, const struct verdict_value *v)
{
	bool nothing = figures[figure].bound == VERDICT_AT_LEAST && v->value <= 0;

	if (isnan(v->value) || figures[figure].bound == VERDICT_NO_BOUND)
		return VERDICT_GOOD;
	if ((v->whole >= figures[figure].failed_evidence || nothing) &&
	    is_beyond(figure, v->value, v->failed))
		return VERDICT_FAILED;
	return v->whole >= figures[figure].poor_evidence && is_beyond(figure, v->value, v->poor)
		       ? VERDICT_POOR
		       : VERDICT_GOOD;
}

static int status_of(enum verdict_figure figure, enum verdict_grade grade)
{
	if (grade != VERDICT_FAILED)
		return grade == VERDICT_POOR ? SOFTLBR_E_POOR : 0;
	return figure == VERDICT_NO_LINE || figure == VERDICT_NO_SYMBOL ? SOFTLBR_E_INPUT
									: SOFTLBR_E_BINARY;
}

int verdict_judge(struct verdict *v)
{
	v->status = 0;
	for (int i = 0; i < VERDICT_FIGURES; i++) {
		int status;

		v->values[i].grade = grade((enum verdict_figure)i, &v->values[i]);
		status = status_of((enum verdict_figure)i, v->values[i].grade);
		/* a failure outweighs poor, and the first one stays */
		if (status && (!v->status || v->status == SOFTLBR_E_POOR))
			v->status = status;
	}
	return v->status;
}

int verdict_error(const struct verdict *v, const char *binary, struct softlbr_error *e)
{
	int i = 0;

	while (i < VERDICT_FIGURES - 1 && v->values[i].grade != VERDICT_FAILED)
		i++;
	if (i == VERDICT_VALID_BRANCHES)
		return error_set(
			e, v->status, binary,
			"only %.2f %% of the branches are ones that the code of %s has: it "
			"is not the file that was recorded",
			100 * v->values[i].value, binary);
	return error_set(e, v->status, binary, "the profile is not one of %s: %.2f %%: %s", binary,
			 100 * v->values[i].value, verdict_meaning((enum verdict_figure)i));
}
