/* SPDX-License-Identifier: MIT */
/* The formulas, by the same names, are in docs/frequencies.md. */
#include "converter/samples/frequencies.h"

#include <math.h>

#include "base/memory.h"
#include "converter/samples/trace_counts.h"

/* Fewer traces than these do not tell whether they are biased ... */
#define FREQUENCIES_TRACES_MIN 100u
/* ... or, if their rates are known, fewer than these. */
#define FREQUENCIES_RATED_MIN 20u
/* Biased: the starts are less like the branches than this times what the middles are. */
#define FREQUENCIES_EVEN 0.95

/* How far the chain is believed, by what it changes and what chance would. */

/* Half of what the chain changes is kept where it changes so many times what noise does. */
#define NOISE_CAUTION 2.0

/* Counts as recorded, and those of either half: every other trace, where equal ones come together
 * half of them. */
static int count_halves(struct trace_counts *s)
{
	const struct frequencies_traces *in = s->in;
	size_t odd = 0;

	s->halves[0] = memory_alloc_array(in->branch_count, sizeof(double));
	s->halves[1] = memory_alloc_array(in->branch_count, sizeof(double));
	s->seen = memory_alloc_array(in->branch_count, sizeof(double));
	if (!s->halves[0] || !s->halves[1] || !s->seen)
		return -1;
	for (size_t i = 0; i < in->trace_count; i++) {
		uint64_t times = in->times ? in->times[i] : 1;
		double more = (double)(times - times / 2), less = (double)(times / 2);

		for (size_t k = in->begins[i]; k < trace_counts_end(in, i); k++) {
			s->halves[odd][in->entries[k]] += more;
			s->halves[!odd][in->entries[k]] += less;
			s->seen[in->entries[k]] += (double)times;
		}
		odd ^= times & 1;
	}
	return 0;
}

/* Find r->shrinkage, 0 to 1, how much of the chain's change is kept: by what the chain changes, and
 * what another recording would. 0, or -1 without memory. */
static int shrinkage_find(struct trace_counts *s, struct frequencies_result *r)
{
	size_t count = s->in->branch_count;
	double change, noise, sum = trace_counts_sum_of(r->branches, count);

	r->shrinkage = 1;
	if (s->rates || sum <= 0)
		return 0;
	if (count_halves(s))
		return -1;
	change = 1 - trace_counts_overlap(s->seen, s->entries, r->branches, sum, count);
	noise = (1 - trace_counts_overlap(s->halves[0], trace_counts_sum_of(s->halves[0], count),
					  s->halves[1], trace_counts_sum_of(s->halves[1], count),
					  count)) /
		2;
	noise *= NOISE_CAUTION;
	if (change > 0 || noise > 0)
		r->shrinkage = change * change / (change * change + noise * noise);
	return 0;
}

/* The rest, 1 - r->shrinkage, is as recorded. */
static void shrinkage_apply(struct trace_counts *s, struct frequencies_result *r)
{
	double sum = trace_counts_sum_of(r->branches, s->in->branch_count);
	double scale = sum > 0 ? r->shrinkage * s->entries / sum : 0, rest = 1 - r->shrinkage;
	struct transition *t;

	if (!s->seen)
		return;
	for (size_t i = 0; i < s->in->branch_count; i++)
		r->branches[i] = r->branches[i] * scale + s->seen[i] * rest;
	vector_each (&s->transitions, t)
		t->n = t->n * scale + t->seen * rest;
}

/*
 * The Markov chain over branch targets that weighted traces make. It jumps from a trace's end to a
 * trace's start; its stationary distribution is how often each target is reached.
 */

/* The chain restarts often enough that about this many traces say how flow goes on. */
#define CLOSING_TRACES 100.0
#define CLOSING_LEAST  0.001
#define CLOSING_MOST   0.3
/* So many traces more are taken to begin and to end at each target: a rarely reached region is not
 * thrown around by the one crossing that was recorded. */
#define CROSSINGS 0.5
/* When the chain is solved: so little changes in a sweep, or so many sweeps and steps were made. */
#define CHANGE_LEAST	 1e-7
#define SWEEPS_MOST	 5000u
#define SWEEP_STEPS_MOST ((size_t)1 << 31)

/* Sum up the transitions that leave each target, and guess how often it is reached. */
static void start_chain(struct trace_counts *s)
{
	double w = fmin(fmax(CLOSING_TRACES / s->traces, CLOSING_LEAST), CLOSING_MOST);
	double sum = 0, begin = 0;
	struct transition *t;

	vector_each (&s->transitions, t)
		s->x[s->targets[t->before]] += t->n;
	for (size_t i = 0; i < s->target_count; i++) {
		double end = w * s->end[i] + CROSSINGS;

		s->leave[i] = s->x[i] + end;
		s->x[i] += s->end[i];
		sum += s->x[i];
		/* from here on: the share that jumps, and of all jumps the share that ends here */
		s->end[i] = end / s->leave[i];
		s->begin[i] = w * s->begin[i] + CROSSINGS;
		begin += s->begin[i];
	}
	for (size_t i = 0; i < s->target_count; i++) {
		s->x[i] /= sum;
		s->begin[i] /= begin;
	}
	vector_each (&s->transitions, t)
		t->share = t->n / s->leave[s->targets[t->before]];
}

/* The transitions in the order of where they lead to: those to target i are the numbers
 * s->order[s->first[i]] up to s->first[i + 1]. */
static int order_transitions(struct trace_counts *s)
{
	const struct transition *t;
	size_t sum = 0;

	s->first = memory_alloc_array(s->target_count + 1, sizeof(*s->first));
	s->arrivals = memory_alloc_array(s->transitions.count, sizeof(*s->arrivals));
	if (!s->first || !s->arrivals)
		return -1;
	vector_each (&s->transitions, t)
		s->first[s->targets[t->branch]]++;
	for (size_t i = 0; i <= s->target_count; i++) {
		size_t count = s->first[i];

		s->first[i] = sum;
		sum += count;
	}
	vector_each (&s->transitions, t)
		s->arrivals[s->first[s->targets[t->branch]]++] = (struct arrival){
			s->targets[t->before], t->share};
	for (size_t i = s->target_count; i; i--)
		s->first[i] = s->first[i - 1];
	s->first[0] = 0;
	return 0;
}

/* One sweep over all targets, each from the newest of the others (Gauss and Seidel); how much
 * changed. */
static double sweep(struct trace_counts *s)
{
	double restart = 0, change = 0, sum = 0;

	for (size_t i = 0; i < s->target_count; i++)
		restart += s->x[i] * s->end[i];
	for (size_t i = 0; i < s->target_count; i++) {
		/* what comes from itself, in a loop of one branch or a restart, is divided out */
		double x = s->begin[i] * (restart - s->x[i] * s->end[i]);
		double self = s->begin[i] * s->end[i];

		for (size_t k = s->first[i]; k < s->first[i + 1]; k++) {
			const struct arrival *a = &s->arrivals[k];

			if (a->from == i)
				self += a->share;
			else
				x += s->x[a->from] * a->share;
		}
		x = self < 1 ? x / (1 - self) : s->x[i];
		change += fabs(x - s->x[i]);
		restart += (x - s->x[i]) * s->end[i];
		s->x[i] = x;
		sum += x;
	}
	for (size_t i = 0; i < s->target_count && sum > 0; i++)
		s->x[i] /= sum;
	return change;
}

/* Branches and transitions become what the chain makes of them; 0, or -1 without memory. */
static int chain_solve(struct trace_counts *s, struct frequencies_result *r)
{
	size_t most = SWEEP_STEPS_MOST / s->transitions.count;
	struct transition *t;

	s->leave = memory_alloc_array(s->target_count, sizeof(double));
	s->x = memory_alloc_array(s->target_count, sizeof(double));
	if (!s->leave || !s->x)
		return -1;
	start_chain(s);
	if (order_transitions(s))
		return -1;
	most = most < SWEEPS_MOST ? most : SWEEPS_MOST;
	for (size_t i = 0; i < most; i++) {
		r->sweeps++;
		if (sweep(s) < CHANGE_LEAST)
			break;
	}
	for (size_t i = 0; i < s->in->branch_count; i++)
		r->branches[i] = 0;
	vector_each (&s->transitions, t) {
		t->n = s->x[s->targets[t->before]] * t->share;
		r->branches[t->branch] += t->n;
	}
	return 0;
}

/* Weights are from the recorded counts first, then from what the chain made of them. */
#define CHAIN_ROUNDS 2

void frequencies_deinit(struct frequencies_result *r)
{
	memory_free(r->branches);
	memory_free(r->weights);
	r->branches = r->weights = NULL;
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
		if (vector_add(&r->ranges,
			       (struct frequencies_range){t->before, t->branch, t->n * scale}))
			return -1;
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
	if (shrinkage_find(s, r))
		return -1;
	shrinkage_apply(s, r);
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
	r->estimated = r->rated || r->starts < FREQUENCIES_EVEN * r->middles;
	if (!r->estimated)
		return 0;
	r->branches = memory_alloc_array(in->branch_count, sizeof(double));
	if (!r->branches || trace_counts_number_places(in, true, &s->targets, &s->target_count) ||
	    (chains(s, how) ? chain(s, r) : reweight(s, r)))
		return -1;
	r->weights = s->trace_weights;
	s->trace_weights = NULL;
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
