/* SPDX-License-Identifier: MIT */
#include "converter/ip_estimate.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* A piece's price: the more instructions the dearer, the more samples the cheaper is one of its
 * many runs. */
#define PRICE	     300.0
#define PRICE_LEAST  5.0
#define BY_LENGTH    1.2
#define BY_SAMPLES   0.25
#define PERIOD_LEAST 1024 /* a sample stands for at least so many runs */

/* Of the cycles at a piece's instructions: below so much of the median they are chance, and the
 * least of the others are one cluster up to so much above it. */
#define CHANCE	0.6
#define CLUSTER 1.35

/* The weight of what cycles say beside the counting event, as exponents. */
#define BY_ISSUE 0.5
#define BY_RATE	 0.3

/* ---- the whole recording ----------------------------------------------------------------------*/

void ip_totals_init(struct ip_totals *t, const struct branch_profile *clean, const char *cpu)
{
	double all[IP_EVENTS] = {0}, samples[IP_EVENTS] = {0}, stalled = 0;
	const struct map_entry *i = NULL;
	enum ip_event counting = ip_events_best(clean);

	*t = (struct ip_totals){.counting = counting, .scale = 1};
	while ((i = map_next(&clean->samples, (void *)i))) {
		if (i->b >= IP_EVENTS)
			continue;
		all[i->b] += (double)i->n;
		samples[i->b] += (double)i->m;
	}
	for (int e = 0; e < IP_EVENTS; e++) {
		t->stalls[e] = ip_stall_cycles(cpu, (enum ip_event)e);
		stalled += t->stalls[e] * all[e];
	}
	if (all[counting] > 0 && all[counting] < PERIOD_LEAST * samples[counting])
		t->scale = PERIOD_LEAST * samples[counting] / all[counting];
	if (counting != IP_INSTRUCTIONS || all[IP_CYCLES] <= 0 || stalled <= 0)
		return;
	t->classify = true;
	t->pace = fmax(all[IP_CYCLES] - stalled, all[IP_CYCLES] / 4) / all[IP_INSTRUCTIONS];
	t->cycles_period = all[IP_CYCLES] / fmax(samples[IP_CYCLES], 1);
}

/* ---- samples to pieces ------------------------------------------------------------------------*/

static void add_samples(const struct ip_totals *t, struct ip_piece *p, const struct map_entry *i)
{
	if (i->b == t->counting) {
		p->counted += (double)i->n;
		p->samples += (double)i->m;
	} else if (i->b == IP_CYCLES) {
		p->cycles += (double)i->n;
	} else if (i->b < IP_EVENTS) {
		p->stalled += t->stalls[i->b] * (double)i->n;
	}
}

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/*
 * Instructions retire in groups, and a group is at the head of the queue for a cycle if it waits
 * for nothing: where samples pile up, the least of the piles is how often the piece ran. (Anderson
 * et al., Continuous Profiling: Where Have All the Cycles Gone?, estimate frequencies so.)
 */
static double issue_of(const struct ip_totals *t, double *cycles, size_t count)
{
	double chance, most, sum = 0;
	size_t first = 0, n = 0;

	if (!count)
		return 0;
	qsort(cycles, count, sizeof(*cycles), compare_numbers);
	chance = CHANCE * cycles[count / 2];
	while (first + 1 < count && cycles[first] < chance)
		first++;
	most = CLUSTER * cycles[first] + 2 * sqrt(cycles[first] * t->cycles_period);
	for (; first + n < count && cycles[first + n] <= most; n++)
		sum += cycles[first + n];
	return sum / (double)n;
}

/* The cycles at an instruction without those that it stalled; @i: the first of its samples. Those
 * for mispredicted branches are spent elsewhere. */
static double unstalled(const struct ip_totals *t, struct map_entry *const *i,
			struct map_entry *const *end)
{
	uint64_t va = (*i)->a;
	double cycles = 0;

	for (; i < end && (*i)->a == va; i++) {
		if ((*i)->b == IP_CYCLES)
			cycles += (double)(*i)->n;
		else if ((*i)->b < IP_EVENTS && (*i)->b != IP_BRANCH_MISSES)
			cycles -= t->stalls[(*i)->b] * (double)(*i)->n;
	}
	return cycles;
}

/* @begin to @end: the samples of one piece. */
static void take_piece(const struct ip_totals *t, struct ip_piece *p,
		       struct map_entry *const *begin, struct map_entry *const *end, double *cycles)
{
	size_t n = 0;

	for (struct map_entry *const *i = begin; i < end; i++) {
		double own;

		add_samples(t, p, *i);
		if (!t->classify || (i > begin && i[-1]->a == (*i)->a))
			continue;
		own = unstalled(t, i, end);
		if (own > 0)
			cycles[n++] = own;
	}
	p->issue = issue_of(t, cycles, n);
}

static int lay_samples(const struct ip_totals *t, const struct cfg *cfg,
		       struct map_entry *const *samples, size_t count, struct ip_piece *pieces)
{
	double *cycles = memory_alloc_array(count + 1, sizeof(*cycles));

	if (!cycles)
		return -1;
	for (size_t i = 0, next; i < count; i = next) {
		size_t piece = cfg_find(cfg, samples[i]->a);

		for (next = i + 1; next < count; next++)
			if (cfg_find(cfg, samples[next]->a) != piece)
				break;
		if (piece != SIZE_MAX)
			take_piece(t, &pieces[piece], samples + i, samples + next, cycles);
	}
	memory_free(cycles);
	return 0;
}

/* ---- estimates and prices ---------------------------------------------------------------------*/

/* The paper's section 3.3: S is what a piece took beyond what its samples say. */
static enum ip_class classify(const struct ip_totals *t, const struct ip_piece *p)
{
	double raw = p->counted * t->pace, shadow = p->cycles - raw;

	if (shadow - p->stalled > 2 * raw)
		return IP_UNDER_SAMPLED;
	if (p->stalled > shadow && p->stalled > p->cycles / 2)
		return IP_OVER_SAMPLED;
	return IP_AS_RUN;
}

/* How many instructions were counted for one that waits its turn: in the function's slow loops
 * fewer than in its fast ones. */
static double rate_of(const struct ip_piece *pieces, size_t count)
{
	double counted = 0, issued = 0;

	for (size_t i = 0; i < count; i++) {
		counted += pieces[i].counted;
		issued += pieces[i].issue * (double)pieces[i].instructions;
	}
	return counted > 0 && issued > 0 ? pow(counted / issued, BY_RATE) : 1;
}

static uint32_t priced(double price)
{
	return (uint32_t)fmin(fmax(price, PRICE_LEAST), FLOW_PRICE_MAX);
}

static void estimate(const struct ip_totals *t, struct ip_piece *p, double rate)
{
	double n = (double)p->instructions;
	double price = PRICE * pow(n, BY_LENGTH) / pow(p->samples + 1, BY_SAMPLES);

	p->runs = p->counted / n;
	p->price = priced(price);
	if (t->classify) {
		p->class = (uint8_t)classify(t, p);
		p->runs = p->counted > 0 && p->issue > 0
				  ? pow(p->issue * rate, BY_ISSUE) * pow(p->runs, 1 - BY_ISSUE)
				  : BY_ISSUE * p->issue * rate + (1 - BY_ISSUE) * p->runs;
	}
	p->runs *= t->scale;
}

int ip_estimate(const struct ip_totals *t, const struct cfg *cfg, struct map_entry *const *samples,
		size_t count, struct ip_piece *pieces)
{
	double rate;

	if (lay_samples(t, cfg, samples, count, pieces))
		return -1;
	rate = t->classify ? rate_of(pieces, cfg->pieces.count) : 1;
	for (size_t i = 0; i < cfg->pieces.count; i++)
		estimate(t, &pieces[i], rate);
	return 0;
}
