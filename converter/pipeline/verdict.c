/* SPDX-License-Identifier: MIT */
#include "converter/pipeline/verdict.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "formats/perfscript.h"

/*
 * A figure of few things decides nothing: a small program may well have a line or two without a
 * number, and a branch or two be noise of the recording. To refuse a profile takes more of them
 * than to call it poor: one trace may be all in one function.
 */
#define LEAST_SOURCE 20
#define LEAST_FIT    100

/* The limits of a share of the executed code. */
#define OF_CODE_AT_MOST(poor_share, failed_share)                                 \
	.bound = VERDICT_AT_MOST, .poor = (poor_share), .failed = (failed_share), \
	.poor_least = LEAST_SOURCE, .failed_least = LEAST_FIT

/*
 * How the limits were chosen: docs/scores.md, "Where the limits come from". Traces of finite
 * length miss entries, so the limits leave room. Fewer valid branches than half are no accident:
 * the code is not the one that was recorded.
 */
static const struct {
	const char *key, *meaning;
	enum verdict_bound bound;
	double poor, failed; /* the limits; failed = 0: the profile is never refused by this */
	uint64_t poor_least, failed_least; /* the figure decides if it is of so many things */
	const char *fault;		   /* why the profile is poor: %s is the number */
	const char *option;		   /* that sets the limit, if all who judge have it */
	const char *remedy;
} figures[VERDICT_FIGURES] = {
	[VERDICT_TRACES] = {.key = "traces", .meaning = "traces"},
	[VERDICT_BRANCHES] = {.key = "branches",
			      .meaning = "taken branches in the binary",
			      .bound = VERDICT_AT_LEAST,
			      .poor = 1000,
			      .fault = "only %s branches",
			      .option = "--min-branches",
			      .remedy = "record longer, or several runs"},
	[VERDICT_OVERLAP] = {.key = "overlap",
			     .meaning = "expected overlap of taken branches with exact counts",
			     .bound = VERDICT_AT_LEAST,
			     .poor = OVERLAP_GOOD,
			     .option = "--min-overlap"},
	[VERDICT_NOISE] = {.key = "sampling_noise",
			   .meaning = "expected loss of overlap by sampling noise"},
	[VERDICT_FUNCTION_TRACES] = {.key = "function_traces",
				     .meaning = "traces of the hot function with the fewest"},
	[VERDICT_TIMED] = {.key = "timed", .meaning = "weight of traces whose path was timed"},
	[VERDICT_SHARE] = {.key = "share_of_recording",
			   .meaning = "branches of the recording that are in the binary"},
	[VERDICT_VALID_BRANCHES] =
		{.key = "valid_branches",
		 .meaning = "branches consistent with the disassembly",
		 .bound = VERDICT_AT_LEAST,
		 .poor = 0.95,
		 .failed = 0.5,
		 .failed_least = LEAST_FIT,
		 .fault = "only %s of the branches match the disassembly",
		 .option = "--min-valid-branches",
		 .remedy = "give the recorded file with --binary, if it was rebuilt"},
	[VERDICT_INVALID_RANGES] =
		{.key = "invalid_ranges",
		 .meaning = "ranges inconsistent with the disassembly",
		 .bound = VERDICT_AT_MOST,
		 .poor = 0.05,
		 .fault = "%s of the ranges do not match the disassembly",
		 .option = "--max-invalid-ranges",
		 .remedy = "give the recorded file with --binary, if it was rebuilt"},
	[VERDICT_FILTERED] =
		{.key = "filtered_ranges",
		 .meaning = "ranges that the event's filter left out",
		 .bound = VERDICT_AT_MOST,
		 .poor = 0,
		 .fault =
			 "%s of the code between branches is missing: the event records only some kinds of branches",
		 .remedy = "record all branches: without --branches, or with perf record -b"},
	[VERDICT_UNMAPPED] =
		{.key = "unmapped",
		 .meaning = "branches to or from where nothing was mapped",
		 .bound = VERDICT_AT_MOST,
		 .poor = 0.5,
		 .fault =
			 "%s of the branches are at addresses where the recording has nothing mapped",
		 .remedy = "print text by perf script -F " PERFSCRIPT_FIELDS},
	[VERDICT_GAP] = {.key = "flow_gap",
			 .meaning = "flow conservation gap, weighted mean of hot functions",
			 .bound = VERDICT_AT_MOST,
			 .poor = 0.25,
			 .fault = "in hot functions, counts into and out of blocks differ by %s",
			 .remedy = "record longer"},
	[VERDICT_GAP_TOP] = {.key = "flow_gap_top5",
			     .meaning = "flow conservation gap that 5 % of hot functions exceed"},
	[VERDICT_WORST_GAP_TOP] = {.key = "flow_gap_worst_top5",
				   .meaning = "worst block's gap that 5 % of hot functions exceed"},
	[VERDICT_DISCONTINUITY] =
		{.key = "discontinuity",
		 .meaning = "CFG discontinuity: counts in blocks unreachable from the entry",
		 .bound = VERDICT_AT_MOST,
		 .poor = 1,
		 .fault = "%s of the counts are in blocks unreachable from the entry",
		 .remedy = "record longer"},
	[VERDICT_DISCONTINUITY_TOP] =
		{.key = "discontinuity_top5",
		 .meaning = "CFG discontinuity that 5 % of hot functions exceed"},
	[VERDICT_CALL_GAP] =
		{.key = "call_gap",
		 .meaning = "gap between calls and entries, weighted mean of hot functions"},
	[VERDICT_FUNCTIONS_RUN] = {.key = "functions_run",
				   .meaning = "functions of the binary that were executed"},
	[VERDICT_BLOCKS_RUN] = {.key = "blocks_run",
				.meaning = "blocks of these functions that were executed"},
	[VERDICT_ZERO_HEAD] =
		{.key = "zero_head",
		 .meaning = "execution in functions never seen to be called (head count 0)",
		 OF_CODE_AT_MOST(0.20, 0.80),
		 .fault =
			 "%s of the execution is in functions that were never seen to be called (head count 0)",
		 .option = "--max-zero-head",
		 .remedy = "record longer, and with all branches"},
	[VERDICT_CALLS_MISDIRECTED] =
		{.key = "calls_misdirected",
		 .meaning = "calls that do not arrive at a function",
		 OF_CODE_AT_MOST(0.05, 0.50),
		 .fault = "%s of the calls do not arrive at a function",
		 .remedy = "give the recorded file with --binary, if it was rebuilt"},
	[VERDICT_ENTRY_RESIDUAL] =
		{.key = "entry_residual",
		 .meaning = "difference between entry counts and the branches that lead there",
		 OF_CODE_AT_MOST(0.25, 0.75),
		 .fault = "entry counts differ by %s from the branches that lead there",
		 .remedy = "record longer, and with all branches"},
	[VERDICT_CALLS_UNRECORDED] = {.key = "calls_unrecorded",
				      .meaning = "executed call sites without a call edge",
				      OF_CODE_AT_MOST(0.25, 0.90),
				      .fault = "%s of the executed call sites have no call edge",
				      .remedy = "record all branches"},
	[VERDICT_FLOW_RESIDUAL] =
		{.key = "flow_residual",
		 .meaning = "executed jumps and calls without a recorded branch",
		 OF_CODE_AT_MOST(0.25, 0.90),
		 .fault = "%s of the executed jumps and calls have no recorded branch",
		 .remedy = "record all taken branches"},
	[VERDICT_NO_LINE] = {.key = "no_line",
			     .meaning = "executed code without a source line",
			     OF_CODE_AT_MOST(0.40, 0.90),
			     .fault = "%s of the executed code has no source line",
			     .remedy = "build all of it with -g"},
	[VERDICT_NO_SYMBOL] = {.key = "no_symbol",
			       .meaning = "executed code outside function symbols",
			       OF_CODE_AT_MOST(0.20, 0.90),
			       .fault = "%s of the executed code is outside function symbols",
			       .remedy = "do not strip the binary"},
	[VERDICT_SAME_CODE] = {.key = "same_code",
			       .meaning = "counts in functions with unchanged code"},
	[VERDICT_SAME_FLOW] =
		{.key = "same_flow",
		 .meaning = "counts in functions with unchanged control flow",
		 .bound = VERDICT_AT_LEAST,
		 .poor = 0.8,
		 .fault = "only %s of the counts are in functions with unchanged control flow",
		 .remedy = "record the new build"},
	[VERDICT_NAMES_UNKNOWN] =
		{.key = "names_unknown",
		 .meaning = "counts of functions that the binary does not have",
		 .bound = VERDICT_AT_MOST,
		 .poor = 0.1,
		 .fault = "%s of the counts are of functions that the binary does not have",
		 .remedy = "is it a profile of this program?"},
	[VERDICT_TARGETS_UNKNOWN] = {.key = "targets_unknown",
				     .meaning = "calls of functions that the binary does not have"},
	[VERDICT_COUNTERS_RUN] = {.key = "counters_run",
				  .meaning = "functions with counters that were executed"},
	[VERDICT_KEYS_COVERED] = {.key = "keys_covered",
				  .meaning = "functions of the keys that have counters"},
	[VERDICT_COUNTERS_UNTRUE] =
		{.key = "counters_untrue",
		 .meaning = "counts in functions whose counters contradict each other",
		 .bound = VERDICT_AT_MOST,
		 .poor = 0,
		 .fault = "%s of the counts are in functions whose counters contradict each other, "
			  "which gcc refuses",
		 .remedy = "count threads with -fprofile-update=atomic, or build with "
			   "-fprofile-correction"},
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
	return figure == VERDICT_TRACES || figure == VERDICT_BRANCHES ||
	       figure == VERDICT_FUNCTION_TRACES;
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
			.value = NAN,
			.poor = figures[i].bound == VERDICT_NO_BOUND ? NAN : figures[i].poor,
			.failed = figures[i].failed > 0 ? figures[i].failed : NAN};
}

static bool is_beyond(enum verdict_figure figure, double value, double limit)
{
	return figures[figure].bound == VERDICT_AT_LEAST ? value < limit : value > limit;
}

void verdict_limit(struct verdict *v, enum verdict_figure figure, double poor)
{
	struct verdict_value *to = &v->values[figure];

	to->poor = poor;
	/* what is not poor has not failed; that the code does not fit is not the user's choice */
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
	if (funnel_branches(funnel)) {
		verdict_set(v, VERDICT_SHARE,
			    (double)(funnel->branches_inside + funnel->branches_entering +
				     funnel->branches_leaving) /
				    (double)funnel_branches(funnel),
			    funnel_branches(funnel));
		verdict_set(v, VERDICT_UNMAPPED,
			    (double)funnel->branches_unmapped / (double)funnel_branches(funnel),
			    funnel_branches(funnel));
	}
	if (funnel->ranges)
		verdict_set(v, VERDICT_FILTERED,
			    (double)funnel->ranges_filtered / (double)funnel->ranges,
			    funnel->ranges);
}

void verdict_take_evidence(struct verdict *v, const struct evidence *evidence,
			   const struct branch_profile *counts, const struct funnel *funnel,
			   const struct binary *binary)
{
	struct evidence of_counts = {0};
	const struct evidence *e = evidence->traces ? evidence : &of_counts;

	if (!evidence->traces && funnel->looked_at)
		evidence_of_counts(counts, funnel->samples - funnel->samples_without_stack,
				   (double)funnel->alike / (double)funnel->looked_at, &of_counts);
	v->overlap = expected_overlap_of(e, funnel_seconds(funnel), binary);
	if (!v->overlap.known)
		return;
	verdict_set(v, VERDICT_OVERLAP, v->overlap.estimate.value, e->traces);
	verdict_set(v, VERDICT_NOISE, e->noise, e->traces);
	if (v->overlap.fewest_traces)
		verdict_set(v, VERDICT_FUNCTION_TRACES, (double)v->overlap.fewest_traces,
			    e->traces);
	if (e->weighted)
		verdict_set(v, VERDICT_TIMED, e->timed, e->traces);
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

static enum verdict_grade grade_of_overlap(const struct verdict *v)
{
	const struct verdict_value *value = &v->values[VERDICT_OVERLAP];

	if (!v->overlap.known)
		return VERDICT_GOOD;
	switch (overlap_grade(&v->overlap.estimate, value->poor)) {
	case OVERLAP_IS_GOOD:
		return VERDICT_GOOD;
	case OVERLAP_IS_FAIR:
		return VERDICT_FAIR;
	default:
		return VERDICT_POOR;
	}
}

static enum verdict_grade grade(enum verdict_figure figure, const struct verdict_value *v)
{
	bool nothing = figures[figure].bound == VERDICT_AT_LEAST && v->value <= 0;

	if (isnan(v->value) || figures[figure].bound == VERDICT_NO_BOUND)
		return VERDICT_GOOD;
	if ((v->whole >= figures[figure].failed_least || nothing) &&
	    is_beyond(figure, v->value, v->failed))
		return VERDICT_FAILED;
	return v->whole >= figures[figure].poor_least && is_beyond(figure, v->value, v->poor)
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
	v->grade = VERDICT_GOOD;
	for (int i = 0; i < VERDICT_FIGURES; i++) {
		int status;

		v->values[i].grade = i == VERDICT_OVERLAP
					     ? grade_of_overlap(v)
					     : grade((enum verdict_figure)i, &v->values[i]);
		if (v->values[i].grade > v->grade)
			v->grade = v->values[i].grade;
		status = status_of((enum verdict_figure)i, v->values[i].grade);
		/* a failure outweighs poor, and the first one stays */
		if (status && (!v->status || v->status == SOFTLBR_E_POOR))
			v->status = status;
	}
	return v->status;
}

const char *verdict_name(const struct verdict *v)
{
	static const char *const names[] = {[VERDICT_GOOD] = "good",
					    [VERDICT_FAIR] = "fair",
					    [VERDICT_POOR] = "poor",
					    [VERDICT_FAILED] = "refused"};

	return names[v->grade];
}

static void number(char text[VERDICT_NUMBER_BYTES], enum verdict_figure figure, double value)
{
	/* as many digits as tell it from its limit */
	if (verdict_is_count(figure))
		snprintf(text, VERDICT_NUMBER_BYTES, "%.0f", value);
	else
		snprintf(text, VERDICT_NUMBER_BYTES, "%.4g %%", 100 * value);
}

/* The figure that decided: the first that failed, else the first that is poor, or fair. */
static int worst(const struct verdict *v, unsigned *others)
{
	int first = VERDICT_FIGURES;

	*others = 0;
	for (int i = 0; i < VERDICT_FIGURES; i++) {
		*others += v->values[i].grade > VERDICT_FAIR;
		if (v->values[i].grade &&
		    (first == VERDICT_FIGURES || v->values[i].grade > v->values[first].grade))
			first = i;
	}
	if (first != VERDICT_FIGURES && v->values[first].grade > VERDICT_FAIR)
		--*others;
	return first;
}

static int print_fault(const struct verdict *v, int i, unsigned others, char *text, size_t size)
{
	char value[VERDICT_NUMBER_BYTES], limit[VERDICT_NUMBER_BYTES], more[64] = "";
	const struct verdict_value *its = &v->values[i];
	bool least = figures[i].bound == VERDICT_AT_LEAST;
	int used;

	number(value, (enum verdict_figure)i, its->value);
	number(limit, (enum verdict_figure)i,
	       its->grade == VERDICT_FAILED ? its->failed : its->poor);
	if (others)
		snprintf(more, sizeof(more), "; %u more figure%s", others,
			 others == 1 ? " is beyond its limit" : "s are beyond their limits");
	used = snprintf(text, size, figures[i].fault, value);
	return used + snprintf(text + used, size - (size_t)used, " (limit: %s %s%s%s%s): %s",
			       least ? "at least" : "at most", limit, figures[i].option ? ", " : "",
			       figures[i].option ? figures[i].option : "", more, figures[i].remedy);
}

/* A module with less of the recording is no use to the program. */
#define SHARE_LITTLE 0.01

/* An interval that begins no more than so much below the limit: the next recording may be good. */
#define OVERLAP_NEAR 0.02

static bool is_nearly_good(const struct verdict *v)
{
	const struct verdict_value *overlap = &v->values[VERDICT_OVERLAP];

	return overlap->grade == VERDICT_FAIR &&
	       v->overlap.estimate.low >= overlap->poor - OVERLAP_NEAR;
}

/* The parts of the text, each of which fits: they are of a few numbers, and one name. */
void verdict_explain(const struct verdict *v, char text[VERDICT_TEXT_BYTES])
{
	char parts[4][240] = {"", "", "", ""};
	double share = v->values[VERDICT_SHARE].value;
	unsigned others;
	int i = worst(v, &others);

	if (i != VERDICT_FIGURES && i != VERDICT_OVERLAP)
		print_fault(v, i, others, parts[0], sizeof(parts[0]));
	if (v->overlap.known)
		expected_overlap_print(&v->overlap, parts[1], sizeof(parts[1]));
	if (share < SHARE_LITTLE)
		snprintf(parts[2], sizeof(parts[2]), "%s%.2g %% of the recording's branches",
			 *parts[1] ? " for " : "", 100 * share);
	if (i == VERDICT_OVERLAP)
		expected_overlap_advise(&v->overlap, v->values[i].poor, parts[3], sizeof(parts[3]));
	snprintf(text, VERDICT_TEXT_BYTES, "%s%s%s%s%s%s", parts[0],
		 *parts[0] && (*parts[1] || *parts[2]) ? "; " : "", parts[1], parts[2],
		 !*parts[3]	     ? ""
		 : is_nearly_good(v) ? ", just below good: "
				     : ": ",
		 parts[3]);
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
