/* SPDX-License-Identifier: MIT */
/* The formulas, by the same names, are in docs/frequencies.md. */
#include "converter/samples/frequencies.h"

#include "base/memory.h"
#include "converter/samples/belief.h"
#include "converter/samples/chain.h"
#include "converter/samples/trace_counts.h"
#include "converter/samples/trace_rates.h"

/* Weights are from the recorded counts first, then from what the chain made of them. */
#define CHAIN_ROUNDS 2

void frequencies_deinit(struct frequencies_result *r)
{
	memory_free(r->branches);
	r->branches = NULL;
	vector_deinit(&r->ranges);
}

/* As many branches as were recorded. */
static int write_result(struct trace_counts *s, struct frequencies_result *r)
{
	double sum = trace_counts_sum_of(r->branches, s->in->branch_count);
	double scale = sum > 0 ? s->entries / sum : 0;
	const struct transition *t;

	for (size_t i = 0; i < s->in->branch_count; i++)
		r->branches[i] *= scale;
	if (vector_reserve(&r->ranges, s->transitions.count))
		return -1;
	vector_each (&s->transitions, t) {
		struct frequencies_range *range = vector_push(&r->ranges);

		if (!range)
			return -1;
		*range = (struct frequencies_range){t->before, t->branch, t->n * scale};
	}
	return 0;
}

static int reweight(struct trace_counts *s, struct frequencies_result *r)
{
	trace_counts_weigh_traces(s);
	return trace_counts_add_traces(s, r);
}

static int chain(struct trace_counts *s, struct frequencies_result *r)
{
	for (int round = 0; round < CHAIN_ROUNDS; round++) {
		trace_counts_forget_round(s);
		if (reweight(s, r))
			return -1;
		if (!s->transitions.count)
			return 0; /* traces of one branch each */
		if (chain_solve(s, r))
			return -1;
		for (size_t i = 0; i < s->source_count; i++)
			s->all[i] = 0;
		for (size_t i = 0; i < s->in->branch_count; i++)
			s->all[s->sources[i]] += r->branches[i];
	}
	if (belief_find(s, r))
		return -1;
	belief_mix(s, r);
	return 0;
}

static bool chains(const struct trace_counts *s, enum frequencies how)
{
	return how == FREQUENCIES_CHAIN || (how == FREQUENCIES_AUTO && !s->rates);
}

static int estimate(struct trace_counts *s, enum frequencies how, struct frequencies_result *r)
{
	const struct frequencies_traces *in = s->in;

	if (trace_counts_by_source(s) || trace_rates_take(s))
		return -1;
	r->rated = s->rates != NULL;
	if (s->traces < (r->rated ? FREQUENCIES_RATED_MIN : FREQUENCIES_TRACES_MIN))
		return 0;
	r->examined = true;
	r->starts = trace_counts_overlap(s->starts, s->traces, s->all, s->entries, s->source_count);
	r->middles = trace_counts_overlap(s->middles, s->traces, s->all, s->entries,
					  s->source_count);
	r->biased = r->rated || r->starts < FREQUENCIES_EVEN * r->middles;
	if (!r->biased)
		return 0;
	r->branches = memory_alloc_array(in->branch_count, sizeof(double));
	if (!r->branches || trace_counts_number_places(in, true, &s->targets, &s->target_count) ||
	    (chains(s, how) ? chain(s, r) : reweight(s, r)))
		return -1;
	return write_result(s, r);
}

int frequencies_estimate(const struct frequencies_traces *in, enum frequencies how,
			 struct frequencies_result *result)
{
	struct trace_counts s = {.in = in};
	int rc;

	if (how == FREQUENCIES_RAW || !in->trace_count)
		return 0;
	rc = estimate(&s, how, result);
	trace_counts_deinit(&s);
	if (rc)
		frequencies_deinit(result);
	return rc;
}
