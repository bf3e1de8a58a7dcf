/* SPDX-License-Identifier: MIT */
#include "converter/pipeline/verdict.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"

/*
 * Figures of few things are no evidence: a small program may well have a line or two without a
 * number, and a branch or two be noise of the recording. To refuse a profile takes more than to
 * call it poor: one trace may be all in one function.
 */
#define EVIDENCE_SOURCE 20
#define EVIDENCE_FIT	100

/*
 * How the limits were chosen: docs/scores.md, "Where the limits come from". Traces of finite
 * length miss entries, so the limits leave room. Fewer valid branches than half are no accident:
 * the code is not the one that was recorded.
 */
static const struct {
	const char *key, *meaning;
	enum verdict_bound bound;
	double poor, failed;
	uint64_t poor_evidence, failed_evidence; /* of as many things at least */
	/* why a profile is poor: @fault with the number for %s, the option of the limit if all who
	 * judge have it, what to do */
	const char *fault, *option, *remedy;
} figures[VERDICT_FIGURES] = {
	[VERDICT_TRACES] = {"traces", "traces", VERDICT_AT_LEAST, 10, NAN, 0, 0, "only %s traces",
			    "--min-traces", "record longer or sample more often"},
	[VERDICT_BRANCHES] = {"branches", "taken branches in the binary", VERDICT_AT_LEAST, 1000,
			      NAN, 0, 0, "only %s branches", "--min-branches",
			      "record longer or sample more often"},
	[VERDICT_CHANCE] = {"chance",
			    "expected edge-overlap loss from sampling noise (record longer to "
			    "reduce)",
			    VERDICT_AT_MOST, 1, NAN, 0, 0,
			    "%s of edge overlap is expected to be lost to sampling noise", NULL,
			    "record longer"},
	[VERDICT_VALID_BRANCHES] = {"valid_branches", "branches consistent with the disassembly",
				    VERDICT_AT_LEAST, 0.95, 0.5, 0, EVIDENCE_FIT,
				    "only %s of the branches match the disassembly",
				    "--min-valid-branches", "was the binary rebuilt?"},
	[VERDICT_INVALID_RANGES] = {"invalid_ranges", "ranges inconsistent with the disassembly",
				    VERDICT_AT_MOST, 0.05, NAN, 0, 0,
				    "%s of the ranges do not match the disassembly",
				    "--max-invalid-ranges", "was the binary rebuilt?"},
	[VERDICT_FILTERED] = {"filtered_ranges", "ranges that the event's filter left out",
			      VERDICT_AT_MOST, 0, NAN, 0, 0,
			      "%s of the code between branches is missing: the event records only "
			      "some kinds of branches",
			      NULL,
			      "record all branches: without --branches, or with perf record -b"},
	[VERDICT_GAP] = {"flow_gap", "flow conservation gap, weighted mean of hot functions",
			 VERDICT_AT_MOST, 0.25, NAN, 0, 0, "the flow conservation gap is %s", NULL,
			 "record longer"},
	[VERDICT_GAP_TOP] = {"flow_gap_top5",
			     "flow conservation gap that 5 % of hot functions exceed",
			     VERDICT_NO_BOUND, NAN, NAN, 0, 0, NULL, NULL, NULL},
	[VERDICT_WORST_GAP_TOP] = {"flow_gap_worst_top5",
				   "worst block's gap that 5 % of hot functions exceed",
				   VERDICT_NO_BOUND, NAN, NAN, 0, 0, NULL, NULL, NULL},
	[VERDICT_DISCONTINUITY] = {"discontinuity",
				   "CFG discontinuity: counts in blocks unreachable from the entry",
				   VERDICT_AT_MOST, 1, NAN, 0, 0,
				   "%s of the counts are in blocks unreachable from the entry",
				   NULL, "record longer"},
	[VERDICT_DISCONTINUITY_TOP] = {"discontinuity_top5",
				       "CFG discontinuity that 5 % of hot functions exceed",
				       VERDICT_NO_BOUND, NAN, NAN, 0, 0, NULL, NULL, NULL},
	[VERDICT_CALL_GAP] = {"call_gap",
			      "gap between calls and entries, weighted mean of hot functions",
			      VERDICT_NO_BOUND, NAN, NAN, 0, 0, NULL, NULL, NULL},
	[VERDICT_FUNCTIONS_RUN] = {"functions_run", "functions of the binary that were executed",
				   VERDICT_NO_BOUND, NAN, NAN, 0, 0, NULL, NULL, NULL},
	[VERDICT_BLOCKS_RUN] = {"blocks_run", "blocks of these functions that were executed",
				VERDICT_NO_BOUND, NAN, NAN, 0, 0, NULL, NULL, NULL},
	[VERDICT_ZERO_HEAD] = {"zero_head", "samples in functions with zero head count",
			       VERDICT_AT_MOST, 0.20, 0.80, EVIDENCE_SOURCE, EVIDENCE_FIT,
			       "%s of the samples are in functions with zero head count",
			       "--max-zero-head", "record longer, and with all branches"},
	[VERDICT_CALLS_MISDIRECTED] = {"calls_misdirected",
				       "calls that do not arrive at a function", VERDICT_AT_MOST,
				       0.05, 0.50, EVIDENCE_SOURCE, EVIDENCE_FIT,
				       "%s of the calls do not arrive at a function", NULL,
				       "was the binary rebuilt?"},
	[VERDICT_ENTRY_RESIDUAL] =
		{"entry_residual",
		 "difference between entry counts and the branches that lead there",
		 VERDICT_AT_MOST, 0.25, 0.75, EVIDENCE_SOURCE, EVIDENCE_FIT,
		 "entry counts differ by %s from the branches that lead there", NULL,
		 "record longer, and with all branches"},
	[VERDICT_CALLS_UNRECORDED] = {"calls_unrecorded", "executed call sites without a call edge",
				      VERDICT_AT_MOST, 0.25, 0.90, EVIDENCE_SOURCE, EVIDENCE_FIT,
				      "%s of the executed call sites have no call edge", NULL,
				      "record all branches"},
	[VERDICT_FLOW_RESIDUAL] = {"flow_residual",
				   "executed jumps and calls without a recorded branch",
				   VERDICT_AT_MOST, 0.25, 0.90, EVIDENCE_SOURCE, EVIDENCE_FIT,
				   "%s of the executed jumps and calls have no recorded branch",
				   NULL, "record all taken branches"},
	[VERDICT_NO_LINE] = {"no_line", "weight without a source line", VERDICT_AT_MOST, 0.40, 0.90,
			     EVIDENCE_SOURCE, EVIDENCE_FIT, "%s of the weight has no source line",
			     NULL, "build all of it with -g"},
	[VERDICT_NO_SYMBOL] = {"no_symbol", "weight outside function symbols", VERDICT_AT_MOST,
			       0.20, 0.90, EVIDENCE_SOURCE, EVIDENCE_FIT,
			       "%s of the weight is outside function symbols", NULL,
			       "do not strip the binary"},
	[VERDICT_SAME_CODE] = {"same_code", "counts in functions with unchanged code",
			       VERDICT_NO_BOUND, NAN, NAN, 0, 0, NULL, NULL, NULL},
	[VERDICT_SAME_FLOW] = {"same_flow", "counts in functions with unchanged control flow",
			       VERDICT_AT_LEAST, 0.8, NAN, 0, 0,
			       "only %s of the counts are in functions with unchanged control flow",
			       NULL, "record the new build"},
	[VERDICT_NAMES_UNKNOWN] =
		{"names_unknown", "counts of functions that the binary does not have",
		 VERDICT_AT_MOST, 0.1, NAN, 0, 0,
		 "%s of the counts are of functions that the binary does not have", NULL,
		 "is it a profile of this program?"},
	[VERDICT_TARGETS_UNKNOWN] = {"targets_unknown",
				     "calls of functions that the binary does not have",
				     VERDICT_NO_BOUND, NAN, NAN, 0, 0, NULL, NULL, NULL},
};

const char *verdict_key(enum verdict_figure figure)
{
	return figures[figure].key;
}

const char *verdict_meaning(enum verdict_figure figure)
{
	return figures[figure].meaning;
}

bool verdict_is_count(enum verdict_figure figure)
{
	return figure == VERDICT_TRACES || figure == VERDICT_BRANCHES;
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

void verdict_take_traces(struct verdict *v, const struct funnel *funnel)
{
	uint64_t traces = funnel->samples - funnel->samples_without_stack;

	if (funnel->samples)
		verdict_set(v, VERDICT_TRACES, (double)traces, traces);
	if (funnel->ranges)
		verdict_set(v, VERDICT_FILTERED,
			    (double)funnel->ranges_filtered / (double)funnel->ranges,
			    funnel->ranges);
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

static void take_share(struct verdict *v, enum verdict_figure figure, uint64_t part, uint64_t whole)
{
	verdict_set(v, figure, whole ? (double)part / (double)whole : 0, whole);
}

void verdict_take_source(struct verdict *v, const struct attribute_stats *s,
			 const struct validate_stats *valid)
{
	uint64_t no_line = s->weight_no_row + s->weight_line_zero;

	take_share(v, VERDICT_ZERO_HEAD, s->runs_zero_head, s->runs);
	take_share(v, VERDICT_CALLS_MISDIRECTED, s->calls - s->calls_to_function, s->calls);
	take_share(v, VERDICT_ENTRY_RESIDUAL, s->entry_residual, s->entry_runs);
	take_share(v, VERDICT_CALLS_UNRECORDED, s->call_runs_unrecorded, s->call_runs);
	take_share(v, VERDICT_FLOW_RESIDUAL, s->range_ends_unrecorded, s->range_ends);
	take_share(v, VERDICT_NO_LINE, no_line, no_line + s->weight_placed);
	take_share(v, VERDICT_NO_SYMBOL, s->weight_no_symbol, s->weight);
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

const char *verdict_name(const struct verdict *v)
{
	return !v->status ? "good" : v->status == SOFTLBR_E_POOR ? "poor" : "refused";
}

static void number(char text[VERDICT_NUMBER_BYTES], enum verdict_figure figure, double value)
{
	/* as many digits as tell it from its limit */
	if (verdict_is_count(figure))
		snprintf(text, VERDICT_NUMBER_BYTES, "%.0f", value);
	else
		snprintf(text, VERDICT_NUMBER_BYTES, "%.4g %%", 100 * value);
}

/* What decided: the first that failed, else the first that is poor. */
static int worst(const struct verdict *v, unsigned *others)
{
	int first = VERDICT_FIGURES;

	*others = 0;
	for (int i = 0; i < VERDICT_FIGURES; i++) {
		*others += v->values[i].grade > VERDICT_GOOD;
		if (v->values[i].grade &&
		    (first == VERDICT_FIGURES || v->values[i].grade > v->values[first].grade))
			first = i;
	}
	*others -= *others > 0;
	return first;
}

void verdict_explain(const struct verdict *v, char text[VERDICT_TEXT_BYTES])
{
	char value[VERDICT_NUMBER_BYTES], limit[VERDICT_NUMBER_BYTES], more[64] = "";
	const struct verdict_value *its;
	unsigned others;
	int i = worst(v, &others), used;
	bool least;

	*text = '\0';
	if (i == VERDICT_FIGURES)
		return;
	its = &v->values[i];
	least = figures[i].bound == VERDICT_AT_LEAST;
	number(value, (enum verdict_figure)i, its->value);
	number(limit, (enum verdict_figure)i,
	       its->grade == VERDICT_FAILED ? its->failed : its->poor);
	if (others)
		snprintf(more, sizeof(more), "; %u more limit%s exceeded", others,
			 others == 1 ? " is" : "s are");
	used = snprintf(text, VERDICT_TEXT_BYTES, figures[i].fault, value);
	snprintf(text + used, VERDICT_TEXT_BYTES - (size_t)used, " (limit: %s %s%s%s%s): %s",
		 least ? "at least" : "at most", limit, figures[i].option ? ", " : "",
		 figures[i].option ? figures[i].option : "", more, figures[i].remedy);
}

int verdict_error(const struct verdict *v, const char *binary, struct softlbr_error *e)
{
	char why[VERDICT_TEXT_BYTES];

	verdict_explain(v, why);
	if (v->status == SOFTLBR_E_BINARY)
		return error_set(e, v->status, binary, "the profile is not one of %s: %s", binary,
				 why);
	return error_set(e, v->status, binary, "no profile can be made with %s: %s", binary, why);
}
