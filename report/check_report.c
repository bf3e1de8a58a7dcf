/* SPDX-License-Identifier: MIT */
/* What `softlbr check` found, as a document. */
#include "report/compare_reports.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "compare/confidence.h"
#include "report/recorded_modules.h"

/* Shares as parts of so many, as document_put_share takes them. */
#define WHOLE	     1000000
#define NOISE_TARGET 0.02
#define SECONDS_MOST 1e9

static void put_share(struct document *s, double share)
{
	document_put_fraction(s, round(share * WHOLE) / WHOLE);
}

static void put_figures(const struct check *c, struct document *s)
{
	for (int i = 0; i < VERDICT_FIGURES; i++) {
		const struct verdict_value *f = &c->verdict.values[i];
		const char *key = verdict_key((enum verdict_figure)i);
		const char *title = verdict_meaning((enum verdict_figure)i);

		if (isnan(f->value))
			continue;
		if (verdict_is_count((enum verdict_figure)i))
			document_fact_number(s, key, title, (uint64_t)f->value);
		else
			document_fact_share(s, key, title, f->value);
	}
}

/* How much longer to record until sampling noise costs little. */
static void put_seconds(const struct check *c, struct document *s)
{
	double seconds = confidence_seconds_to(&c->side, c->verdict.values[VERDICT_NOISE].value,
					       NOISE_TARGET);

	if (!isfinite(seconds) || seconds > SECONDS_MOST)
		return;
	document_fact_number(s, "seconds", "seconds recorded",
			     (c->side.funnel.last_ns - c->side.funnel.first_ns) / 1000000000);
	document_fact_number(
		s, "seconds_to_98",
		"seconds to record in all for 2 % sampling noise (timer bias is not in "
		"this figure)",
		(uint64_t)ceil(seconds));
}

static void put_faults(const struct check *c, struct document *s)
{
	char text[64];
	double limit;
	bool count;

	document_table(s, "poor", "Poor", "figure, limit");
	for (int i = 0; i < VERDICT_FIGURES; i++) {
		const struct verdict_value *f = &c->verdict.values[i];

		if (!f->grade)
			continue;
		count = verdict_is_count((enum verdict_figure)i);
		limit = f->grade == VERDICT_FAILED ? f->failed : f->poor;
		snprintf(text, sizeof(text), "%s %g%s",
			 verdict_bound((enum verdict_figure)i) == VERDICT_AT_LEAST ? "at least"
										   : "at most",
			 count ? limit : 100 * limit, count ? "" : " %");
		document_put_text(s, verdict_meaning((enum verdict_figure)i));
		document_put_text(s, text);
	}
}

static void put_functions(const struct check *c, size_t top, struct document *s)
{
	struct expected_overlap_functions evidence = {0};
	const struct expected_overlap_function *f;
	const struct imbalance *g;

	if (!c->gaps.functions.count)
		return;
	expected_overlap_functions_find(&evidence, &c->side.evidence, c->binary);
	document_table(s, "functions", "Functions by weight",
		       "weight, share, traces, flow_gap: gap, discontinuity: discont., "
		       "call_gap: call gap, name: function");
	vector_each (&c->gaps.functions, g) {
		document_put_number(s, g->weight);
		document_put_share(s, g->weight, c->gaps.weight);
		f = expected_overlap_functions_at(&evidence, g->function->begin);
		document_put_number_if(s, f, f ? f->traces : 0);
		put_share(s, g->gap);
		put_share(s, g->discontinuity);
		put_share(s, g->call_gap);
		document_put_symbol(s, g->function->name);
	}
	document_rank(s, 0, top);
	expected_overlap_functions_deinit(&evidence);
}

static void put_overlap(const struct check *c, struct document *s)
{
	const struct overlap_estimate *o = &c->verdict.overlap.estimate;

	if (!c->verdict.overlap.known)
		return;
	document_fact_share(s, "overlap_low", "expected overlap, at least", o->low);
	document_fact_share(s, "overlap_high", "expected overlap, at most", o->high);
	if (c->has_counters)
		return;
	document_fact_share(s, "spread", "how unlike traces are", c->verdict.overlap.spread);
	document_fact_share(s, "spread_untimed", "the part of that in code that was hardly timed",
			    c->verdict.overlap.spread_untimed);
	document_fact_share(s, "biased", "by a timer, without weights", c->verdict.overlap.biased);
}

static void put_stale(const struct check *c, size_t top, struct document *s)
{
	const struct stale_function *f;

	if (!c->against)
		return;
	document_table(s, "stale", "Changed functions", "weight, share, state, name: function");
	vector_each (&c->stale.functions, f) {
		if (f->kind == STALE_SAME)
			continue;
		document_put_number(s, (uint64_t)f->weight);
		put_share(s, f->weight / c->stale.total);
		document_put_text(s, staleness_kind_name(f->kind));
		document_put_symbol(s, f->function->name);
	}
	document_rank(s, 0, top);
}

static void put_counter_facts(const struct counter_check *k, struct document *s)
{
	document_fact_text(s, "evidence", "evidence",
			   k->instrumented	 ? "counted by an instrumented program"
			   : k->note.has_overlap ? "made of a recording"
			   : k->note.is_known	 ? "made of counts that are no samples"
						 : "nothing says what these counters are made of: "
						   "check the recording");
	document_fact_number(s, "objects", "objects", k->objects);
	document_fact_number(s, "runs", "runs", k->runs);
	document_fact_number(s, "functions_in_all", "functions", k->functions.count);
	if (!k->has_keys)
		document_fact_text(s, "note", "note",
				   "without keys (--keys DIR) flow, coverage and changes are not "
				   "checked");
}

/* Of all functions, or those that gcc does not simply take. */
static void put_counters(const struct counter_check *k, bool all, size_t top, struct document *s)
{
	const struct counter_verdict *v;
	char number[32];

	document_table(
		s, all ? "functions" : "stale",
		all ? "Functions by the sum of their arcs' counters"
		    : "Functions that gcc complains of; it takes the counts of those at other lines alone",
		"weight: total, share, state, fault, name: function");
	vector_each (&k->functions, v) {
		if (!all && v->match == COUNTER_SAME && !v->fault)
			continue;
		document_put_number(s, v->total);
		put_share(s, (double)v->total / (double)k->total);
		document_put_text(s, k->has_keys ? counter_match_name(v->match) : NULL);
		document_put_text(s, v->fault ? counter_fault_name(v->fault) : NULL);
		snprintf(number, sizeof(number), "%" PRIu32, v->ident);
		if (v->name)
			document_put_symbol(s, v->name);
		else
			document_put_text(s, number);
	}
	document_rank(s, 0, top);
}

void check_report_fill(const struct check *c, size_t top, struct document *out)
{
	document_init(out);
	document_fact_text(out, "profile", "profile", c->side.path);
	document_fact_text(out, "kind", "kind", profile_kind_name(c->side.kind));
	if (c->binary)
		document_fact_text(out, "binary", "binary", binary_path(c->binary));
	if (*c->side.copied)
		document_fact_text(out, "copied_code", "note", c->side.copied);
	recording_facts_put_verdict(out, &c->verdict);
	if (c->has_counters)
		put_counter_facts(&c->counters, out);
	put_overlap(c, out);
	put_figures(c, out);
	put_seconds(c, out);
	if (c->verdict.status)
		put_faults(c, out);
	put_functions(c, top, out);
	put_stale(c, top, out);
	for (int all = 1; all >= 0 && c->has_counters; all--)
		put_counters(&c->counters, all, top, out);
}
