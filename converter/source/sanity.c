/* SPDX-License-Identifier: MIT */
#include "converter/source/sanity.h"

#include <stddef.h>

/*
 * Figures of fewer than this many things are no evidence: a small program may well have three
 * functions of which two are entered by nobody.
 */
#define LEAST_WHOLE 20

/*
 * Exact profiles have 0.2 % functions without entry, no call astray, an entry residual of 3e-7 and
 * with clang 11 to 20 % of the weight at line 0; shifted ones 97 % and more in each of the first
 * three (docs/attribution.md). Traces of finite length miss entries, so the limits leave room.
 */
const struct sanity_limit sanity_default_limits[SANITY_FIGURES] = {
	[SANITY_NOT_ENTERED] = {0.20, 0.80},	[SANITY_CALLS_ASTRAY] = {0.05, 0.50},
	[SANITY_ENTRY_RESIDUAL] = {0.25, 0.75}, [SANITY_CALLS_UNTOLD] = {0.25, 0.90},
	[SANITY_FLOW_RESIDUAL] = {0.25, 0.90}, /* */
	[SANITY_NO_LINE] = {0.40, 0.90},	[SANITY_NO_SYMBOL] = {0.20, 0.90},
};

const char *sanity_figure_name(enum sanity_figure figure)
{
	static const char *const names[SANITY_FIGURES] = {
		[SANITY_NOT_ENTERED] = "functions that nothing was seen to enter",
		[SANITY_CALLS_ASTRAY] = "calls that do not arrive at a function",
		[SANITY_ENTRY_RESIDUAL] = "difference between entry counts and what leads there",
		[SANITY_CALLS_UNTOLD] = "runs of call instructions that no call was seen of",
		[SANITY_FLOW_RESIDUAL] = "runs of jumps and calls that no branch was seen of",
		[SANITY_NO_LINE] = "weight at no source line",
		[SANITY_NO_SYMBOL] = "weight in no function symbol",
	};

	return names[figure];
}

static void judge(struct sanity *out, enum sanity_figure figure, uint64_t part, uint64_t whole,
		  const struct sanity_limit *limit)
{
	struct sanity_value *v = &out->values[figure];

	*v = (struct sanity_value){.part = part, .whole = whole, .verdict = SANITY_GOOD};
	if (whole)
		v->share = (double)part / (double)whole;
	if (whole >= LEAST_WHOLE && v->share > limit->failed)
		v->verdict = SANITY_FAILED;
	else if (whole >= LEAST_WHOLE && v->share > limit->poor)
		v->verdict = SANITY_POOR;
	if (v->verdict > out->verdict)
		out->verdict = v->verdict;
}

void sanity_allow_short_stacks(struct sanity_limit limits[SANITY_FIGURES], uint64_t branches,
			       uint64_t ranges)
{
	double missing = ranges ? (double)branches / (double)ranges - 1 : 0;

	missing = missing < 0 ? 0 : missing > 1 ? 1 : missing;
	limits[SANITY_ENTRY_RESIDUAL].poor += missing;
	limits[SANITY_ENTRY_RESIDUAL].failed += missing;
}

void sanity_judge(const struct attribute_stats *s, const struct sanity_limit *limits,
		  struct sanity *out)
{
	const struct sanity_limit *l = limits ? limits : sanity_default_limits;
	uint64_t no_line = s->weight_no_row + s->weight_line_zero;

	*out = (struct sanity){.verdict = SANITY_GOOD};
	judge(out, SANITY_NOT_ENTERED, s->functions_not_entered, s->functions_with_entry,
	      &l[SANITY_NOT_ENTERED]);
	judge(out, SANITY_CALLS_ASTRAY, s->calls - s->calls_to_function, s->calls,
	      &l[SANITY_CALLS_ASTRAY]);
	judge(out, SANITY_ENTRY_RESIDUAL, s->entry_residual, s->entry_runs,
	      &l[SANITY_ENTRY_RESIDUAL]);
	judge(out, SANITY_CALLS_UNTOLD, s->call_runs_untold, s->call_runs, &l[SANITY_CALLS_UNTOLD]);
	judge(out, SANITY_FLOW_RESIDUAL, s->range_ends_untold, s->range_ends,
	      &l[SANITY_FLOW_RESIDUAL]);
	judge(out, SANITY_NO_LINE, no_line, no_line + s->weight_placed, &l[SANITY_NO_LINE]);
	judge(out, SANITY_NO_SYMBOL, s->weight_no_symbol, s->weight, &l[SANITY_NO_SYMBOL]);
}
