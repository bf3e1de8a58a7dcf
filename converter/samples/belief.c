/* SPDX-License-Identifier: MIT */
/* The formulas, by the same names, are in docs/frequencies.md. */
#include "converter/samples/belief.h"

#include "base/memory.h"

/* What the chain changes is believed by half where it is so many times what chance changes. */
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

/* How far to believe the chain, 0 to 1: by what it changes, and what another recording would. */
int belief_find(struct trace_counts *s, struct frequencies_result *r)
{
	size_t count = s->in->branch_count;
	double change, noise, sum = trace_counts_sum_of(r->branches, count);

	r->belief = 1;
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
		r->belief = change * change / (change * change + noise * noise);
	return 0;
}

/* The rest is as recorded. */
void belief_mix(struct trace_counts *s, struct frequencies_result *r)
{
	double sum = trace_counts_sum_of(r->branches, s->in->branch_count);
	double scale = sum > 0 ? r->belief * s->entries / sum : 0, rest = 1 - r->belief;
	struct transition *t;

	if (!s->seen)
		return;
	for (size_t i = 0; i < s->in->branch_count; i++)
		r->branches[i] = r->branches[i] * scale + s->seen[i] * rest;
	vector_each (&s->transitions, t)
		t->n = t->n * scale + t->seen * rest;
}
