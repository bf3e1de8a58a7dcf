/* SPDX-License-Identifier: MIT */
/* The formulas, by the same names, are in docs/frequencies.md. */
#include "converter/samples/chain.h"

#include <math.h>

#include "base/memory.h"

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

static double closing_weight(const struct trace_counts *s)
{
	return fmin(fmax(CLOSING_TRACES / s->traces, CLOSING_LEAST), CLOSING_MOST);
}

/* What leaves each target, and a first guess of how often it is reached. */
static void start_chain(struct trace_counts *s)
{
	double w = closing_weight(s), sum = 0, begin = 0;
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
		/* what comes from itself, in a loop of one branch or by a restart, is divided out
		 */
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

int chain_solve(struct trace_counts *s, struct frequencies_result *r)
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
