/* SPDX-License-Identifier: MIT */
/* Is the profile good enough to be used? The statuses are those of docs/man/softlbr.1. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/convert.h"

/* Fewer valid branches than this are no accident: the code is not the one that was recorded. */
#define FITTING_SHARE	 0.5
#define FITTING_EVIDENCE 100

static bool is_above(double figure, double most, const char *what, const char *option)
{
	if (figure <= most)
		return false;
	convert_report_warning("poor profile: %.2f %% %s, more than %.2f %% (%s)", figure, what,
			       most, option);
	return true;
}

static bool is_below(double figure, double least, const char *what, const char *option)
{
	if (figure >= least)
		return false;
	convert_report_warning("poor profile: only %.2f %% %s, less than %.2f %% (%s)", figure,
			       what, least, option);
	return true;
}

/* Without branches, addresses are all there is to judge by. */
static int judge_samples(const struct convert *c)
{
	const struct range_stats *r = &c->ranges;

	if (r->samples.kept && c->has_ip)
		convert_report_warning(
			"of sampled addresses only (--ip-samples): which way branches "
			"go is estimated");
	else if (r->samples.kept)
		convert_report_warning("of sampled addresses only (--ip-samples): lines have "
				       "counts, calls and function entries have none");
	return r->samples.kept ? 0 : SOFTLBR_E_BINARY;
}

/* Do the branches fit the code at all? */
static int judge_fit(const struct convert *c)
{
	const struct range_stats *r = &c->ranges;

	if (r->branches.valid &&
	    (r->branches.in < FITTING_EVIDENCE || validate_branch_share(r) >= FITTING_SHARE))
		return 0;
	convert_report_warning("only %.2f %% of the branches are ones that the code of %s has: it "
			       "is not the file that was recorded",
			       100 * validate_branch_share(r), c->binary_path);
	return SOFTLBR_E_BINARY;
}

static int judge_figures(const struct convert *c)
{
	uint64_t branches = c->ranges.branches.valid;
	bool poor = false;

	if (branches < c->branches_least) {
		convert_report_warning("poor profile: only %" PRIu64 " branches, less than %" PRIu64
				       " (--min-branches); record longer or sample more often",
				       branches, c->branches_least);
		poor = true;
	}
	poor |= is_below(100 * validate_branch_share(&c->ranges), c->valid_branches_least,
			 "of the branches are ones that the code has: was the binary rebuilt?",
			 "--min-valid-branches");
	poor |= is_above(100 * (1 - validate_range_share(&c->ranges)), c->invalid_ranges_most,
			 "of the ranges are ones that the code cannot run through",
			 "--max-invalid-ranges");
	return poor ? SOFTLBR_E_POOR : 0;
}

/* Of a figure of the source profile: what its being too high means. */
static int judge_source_figure(const struct convert *c, enum sanity_figure figure)
{
	const struct sanity_value *v = &c->sanity.values[figure];
	bool failed = v->verdict == SANITY_FAILED;

	if (v->verdict == SANITY_GOOD)
		return 0;
	convert_report_warning("%s: %.2f %%: %s%s", failed ? "failed check" : "poor profile",
			       100 * v->share, sanity_figure_name(figure),
			       figure == SANITY_NOT_ENTERED ? " (--max-unentered)" : "");
	if (!failed)
		return SOFTLBR_E_POOR;
	if (figure == SANITY_NO_LINE || figure == SANITY_NO_SYMBOL)
		return SOFTLBR_E_INPUT;
	return SOFTLBR_E_BINARY;
}

int convert_judge(struct convert *c)
{
	const struct attribute_stats *attributed = convert_counts_attributed(c);
	struct sanity_limit limits[SANITY_FIGURES];
	int verdict;

	if (convert_is_ip_only(c))
		return judge_samples(c);
	verdict = judge_fit(c);
	if (!verdict)
		verdict = judge_figures(c);
	if (!attributed)
		return verdict;
	for (int i = 0; i < SANITY_FIGURES; i++)
		limits[i] = sanity_default_limits[i];
	limits[SANITY_NOT_ENTERED].poor = c->unentered_most / 100;
	if (limits[SANITY_NOT_ENTERED].failed < limits[SANITY_NOT_ENTERED].poor)
		limits[SANITY_NOT_ENTERED].failed = limits[SANITY_NOT_ENTERED].poor;
	sanity_allow_short_stacks(limits, c->ranges.branches.in, c->ranges.ranges.in);
	sanity_judge(attributed, limits, &c->sanity);
	for (int i = 0; i < SANITY_FIGURES; i++) {
		int figure = judge_source_figure(c, (enum sanity_figure)i);

		/* a failure outweighs poor, and the first of its kind stays */
		if (figure && (!verdict || (verdict == SOFTLBR_E_POOR && figure != verdict)))
			verdict = figure;
	}
	return verdict;
}
