/* SPDX-License-Identifier: MIT */
/* The counts that outputs are made of: as they were recorded, or smoothed; for source too. */
#include <inttypes.h>

#include "base/error.h"
#include "cli/convert.h"

/*
 * What it gains was measured on recordings of softlbr, also as text (docs/gains.md). Others, and
 * what is aggregated already, are given on as they are: so are exact counts, whose gaps are true.
 */
static bool smooths(const struct convert *c, const struct convert_format *f)
{
	const struct aggregate *a = &c->aggregate;

	if (c->has_ip) /* smooth already, or not to be */
		return false;
	if (c->smooth != CONVERT_SMOOTH_AUTO)
		return c->smooth == CONVERT_SMOOTH_MCF;
	return f->smooth && (a->result.all_softlbr || a->result.frequencies.biased);
}

struct convert_counts *convert_counts_of(struct convert *c, const struct convert_format *f)
{
	return smooths(c, f) ? &c->smoothed : &c->recorded;
}

static int map_to_source(struct convert *c, struct convert_counts *counts, struct softlbr_error *e)
{
	const struct attribute_stats *s = &counts->attributed;
	int rc = attribute(c->binary, &counts->branches, &counts->source, &counts->attributed, e);

	counts->has_source = !rc;
	if (rc || !s->functions || s->functions_no_debug < s->functions)
		return rc;
	return error_set(e, SOFTLBR_E_INPUT, c->binary_path,
			 "%s has no debug information for any of the %" PRIu64
			 " functions that ran; compile it with -g (gcc) or with -gline-tables-only "
			 "-fdebug-info-for-profiling (clang), and record it again; --to fdata and "
			 "--to preagg need none",
			 c->binary_path, s->functions);
}

/* Exact counts, to classify sampled code by. */
static int read_exact(const struct convert *c, struct aggregate *a, struct softlbr_error *e)
{
	struct aggregate_options how = {.threads = 1};
	int rc = aggregate_init(a, c->binary, &how, e);

	if (!rc)
		rc = aggregate_add(a, c->classify_by, 1, e);
	if (!rc && !a->result.profile.ranges.count)
		rc = error_set(e, SOFTLBR_E_EMPTY, c->classify_by,
			       "%s has no counts of code of %s: --classify-by takes the exact ones "
			       "of callgrind, or pre-aggregated ones",
			       c->classify_by, c->binary_path);
	return rc;
}

/* Recorded addresses become the branches that they tell of. */
static int make_branches(struct convert *c, struct softlbr_error *e)
{
	struct branch_profile made = {0};
	struct aggregate exact = {0};
	struct ip_options how = {.method = c->smooth == CONVERT_SMOOTH_STATIC ? IP_STATIC
					   : c->smooth == CONVERT_SMOOTH_FLAT ? IP_FLAT
									      : IP_FLOW,
				 .cpu = c->aggregate.result.cpu,
				 .exact = c->classify_by ? &exact.result.profile : NULL,
				 .solver = c->flow_solver};
	int rc = c->classify_by ? read_exact(c, &exact, e) : 0;

	if (!rc)
		rc = ip_profile_make(c->binary, &c->recorded.branches, &how, &made, &c->ip, e);
	aggregate_deinit(&exact);
	if (rc) {
		branch_profile_deinit(&made);
		return rc;
	}
	branch_profile_deinit(&c->recorded.branches);
	c->recorded.branches = made;
	c->has_ip = true;
	return 0;
}

int convert_counts_make(struct convert *c, struct softlbr_error *e)
{
	const struct convert_output *o;
	bool smoothed = false;
	int rc = 0;

	if (convert_is_ip_only(c) && c->smooth != CONVERT_SMOOTH_NONE)
		rc = make_branches(c, e);
	vector_each (&c->outputs, o)
		smoothed |= smooths(c, o->format);
	if (!rc && smoothed) {
		rc = smooth(c->binary, &c->recorded.branches, c->flow_solver, &c->smoothed.branches,
			    &c->smooth_stats, e);
		c->has_smoothed = !rc;
	}
	vector_each (&c->outputs, o) {
		struct convert_counts *counts = convert_counts_of(c, o->format);

		if (!rc && o->format->needs_source && !counts->has_source)
			rc = map_to_source(c, counts, e);
	}
	return rc;
}

const struct attribute_stats *convert_counts_attributed(const struct convert *c)
{
	if (c->recorded.has_source)
		return &c->recorded.attributed;
	return c->smoothed.has_source ? &c->smoothed.attributed : NULL;
}

void convert_counts_release(struct convert_counts *counts)
{
	source_profile_deinit(&counts->source);
	branch_profile_deinit(&counts->branches);
}
