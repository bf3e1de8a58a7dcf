/* SPDX-License-Identifier: MIT */
#include "converter/source/sanity.h"

const char *sanity_figure_name(enum sanity_figure figure)
{
	static const char *const names[SANITY_FIGURES] = {
		[SANITY_NOT_ENTERED] = "functions that nothing was seen to enter",
		[SANITY_CALLS_MISDIRECTED] = "calls that do not arrive at a function",
		[SANITY_ENTRY_RESIDUAL] = "difference between entry counts and what leads there",
		[SANITY_CALLS_UNRECORDED] = "runs of call instructions that no call was seen of",
		[SANITY_FLOW_RESIDUAL] = "runs of jumps and calls that no branch was seen of",
		[SANITY_NO_LINE] = "weight at no source line",
		[SANITY_NO_SYMBOL] = "weight in no function symbol",
	};

	return names[figure];
}

static void measure(struct sanity *out, enum sanity_figure figure, uint64_t part, uint64_t whole)
{
	struct sanity_value *v = &out->values[figure];

	*v = (struct sanity_value){.part = part, .whole = whole};
	if (whole)
		v->share = (double)part / (double)whole;
}

void sanity_measure(const struct attribute_stats *s, struct sanity *out)
{
	uint64_t no_line = s->weight_no_row + s->weight_line_zero;

	*out = (struct sanity){0};
	measure(out, SANITY_NOT_ENTERED, s->functions_not_entered, s->functions_with_entry);
	measure(out, SANITY_CALLS_MISDIRECTED, s->calls - s->calls_to_function, s->calls);
	measure(out, SANITY_ENTRY_RESIDUAL, s->entry_residual, s->entry_runs);
	measure(out, SANITY_CALLS_UNRECORDED, s->call_runs_unrecorded, s->call_runs);
	measure(out, SANITY_FLOW_RESIDUAL, s->range_ends_unrecorded, s->range_ends);
	measure(out, SANITY_NO_LINE, no_line, no_line + s->weight_placed);
	measure(out, SANITY_NO_SYMBOL, s->weight_no_symbol, s->weight);
}
