/* SPDX-License-Identifier: MIT */
/*
 * How often did each segment of a function run, by the addresses that events were sampled at, and
 * how sure is that? docs/smoothing.md has the formulas and what they are after.
 *
 * How often did code run, if this is how long each of its instructions was the next to retire?
 * Instructions retire in groups; one that waits for nothing takes a cycle together with its group,
 * which is sampled at the group's first (Chen et al., Taming Hardware Event Samples, 3.2.3).
 * docs/smoothing.md has the formulas.
 */
#include "converter/cfg/ip_profile.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "mcf/flow.h"

/* So many instructions retire together at most: most processors' four. */
#define IP_GROUP 4

/* The table: logarithms from LEAST on. */
#define BINS_PER_E 16
#define LEAST	   (-4.0)
#define BLUR_LEAST 0.06
#define BLUR_STEP  1.75

/* Half of all instructions that begin a group take the least time that they can. */
#define AT_LEAST 0.5
/* One in four that are only sometimes a group's first are that in so much of the runs: */
#define IN_PART	   0.25
#define PART_LEAST (-1.5) /* its logarithm */
/* What no rule foresees: caches that miss, groups that begin elsewhere. */
#define UNLIKELY 0.01

/* Samples of retired instructions come about SKID cycles late: what ran just before a segment is
 * counted in it, and the less the longer a run takes. */
#define SKID	      30.0
#define SKID_SPREAD   0.7
#define DEGREES	      3.0  /* of freedom of the t distribution: outliers are common */
#define PERIOD_SPREAD 1.08 /* periods are random: variance of a sum, against Poisson's */

/* The share of instructions that never begin a group. */
static const double never[IP_HEADS] = {
	[IP_HEAD_TARGET] = 0.03,
	[IP_HEAD_EITHER] = 0.2,
	[IP_HEAD_FULL] = 0.03,
	[IP_HEAD_EARLY] = 0.69,
};

/* ---- the table --------------------------------------------------------------------------------*/

static double below(double x, double blur)
{
	return 0.5 * erfc(-x / (blur * M_SQRT2));
}

/* Of what takes e^@least cycles or more: that, or longer, the longer the rarer (1 / cycles). */
static double waits(double x, double least, double blur)
{
	double d = x - least;
	double bell = exp(-0.5 * d * d / (blur * blur)) / (blur * sqrt(2 * M_PI));

	return AT_LEAST * bell + (1 - AT_LEAST) * exp(fmin(-d, 3)) * below(d, blur);
}

static double density(enum ip_head head, double x, double blur)
{
	double part = (below(x - PART_LEAST, blur) - below(x, blur)) / -PART_LEAST;

	if (head == IP_HEAD_EARLY) /* its turn, and a cycle at least that it waited */
		return waits(x, log(2), blur);
	if (head == IP_HEAD_EITHER)
		return (1 - IN_PART) * waits(x, 0, blur) + IN_PART * part;
	return waits(x, 0, blur);
}

void ip_runs_table_init(struct ip_runs_table *t, double cycles_period)
{
	t->cycles_period = cycles_period;
	for (int h = 0; h < IP_HEADS; h++)
		for (int b = 0; b < IP_RUNS_BLURS; b++)
			for (int i = 0; i < IP_RUNS_BINS; i++) {
				double x = LEAST + (i + 0.5) / BINS_PER_E;
				double blur = BLUR_LEAST * pow(BLUR_STEP, b);

				t->likelihood[h][b][i] = (float)log(
					UNLIKELY + density((enum ip_head)h, x, blur));
			}
}

/* ---- what is known ----------------------------------------------------------------------------*/

static uint8_t blur_of(double samples)
{
	double blur = sqrt(BLUR_LEAST * BLUR_LEAST + PERIOD_SPREAD / fmax(samples, 1));
	double step = log(blur / BLUR_LEAST) / log(BLUR_STEP) + 0.5;

	return (uint8_t)fmin(step, IP_RUNS_BLURS - 1);
}

int ip_runs_add(struct ip_runs *r, enum ip_head head, double cycles, double samples)
{
	r->instructions++;
	if (cycles <= 0) {
		r->unseen[head]++;
		return 0;
	}
	return vector_add(&r->heads,
			  (struct ip_runs_head){log(cycles), (uint8_t)head, blur_of(samples)});
}

static double by_cycles(const struct ip_runs_table *t, const struct ip_runs *r, double log_runs)
{
	double missed = exp(-exp(log_runs) / t->cycles_period), sum = 0;
	const struct ip_runs_head *h;

	vector_each (&r->heads, h) {
		double bin = (h->log_cycles - log_runs - LEAST) * BINS_PER_E;

		sum += bin >= 0 && bin < IP_RUNS_BINS ? t->likelihood[h->head][h->blur][(int)bin]
						      : log(UNLIKELY);
	}
	for (int i = 0; i < IP_HEADS; i++)
		if (r->unseen[i])
			sum += (double)r->unseen[i] * log(never[i] + (1 - never[i]) * missed);
	return sum;
}

double ip_runs_skid(double cycles)
{
	return SKID_SPREAD * SKID / (SKID + cycles);
}

static double by_instructions(const struct ip_runs *r, double log_runs)
{
	double cycles = r->cycles / exp(log_runs), skid, spread, d;

	if (r->counted <= 0)
		return 0;
	skid = ip_runs_skid(cycles);
	spread = sqrt(skid * skid + PERIOD_SPREAD / fmax(r->samples, 1));
	d = (log(r->counted / r->instructions) - log_runs) / spread;
	return -(DEGREES + 1) / 2 * log(1 + d * d / DEGREES) - log(spread);
}

/* ---- the estimate -----------------------------------------------------------------------------*/

void ip_runs_solve(const struct ip_runs_table *t, struct ip_runs *r)
{
	double least = INFINITY, most = -INFINITY, best = -INFINITY;
	double sum = 0, mean = 0, square = 0;
	const struct ip_runs_head *h;

	r->log = -INFINITY;
	r->deviation = 1;
	vector_each (&r->heads, h) {
		least = fmin(least, h->log_cycles);
		most = fmax(most, h->log_cycles);
	}
	if (r->counted > 0) {
		least = fmin(least, log(r->counted / r->instructions));
		most = fmax(most, log(r->counted / r->instructions));
	}
	if (least > most)
		return;
	/* Around @least, so that squares lose no digits. */
	for (double x = -2.5; least + x < most + 1.5; x += 1.0 / BINS_PER_E) {
		double l = by_cycles(t, r, least + x) + by_instructions(r, least + x), weight;

		if (l > best) {
			double shrink = exp(best - l);

			sum *= shrink;
			mean *= shrink;
			square *= shrink;
			best = l;
		}
		weight = exp(l - best);
		sum += weight;
		mean += weight * x;
		square += weight * x * x;
	}
	mean /= sum;
	r->log = least + mean;
	r->deviation = sqrt(fmax(square / sum - mean * mean, 0));
}

/*
 * What moving a segment's count by one costs. More instructions give a higher cost, since more
 * samples stand for a run; more samples a lower one, since a run is a smaller part of them; and the
 * more certain the count is, the higher its cost. DEVIATION is the standard deviation of the
 * count's logarithm when samples of instructions are all there is.
 */
#define COST		300.0
#define COST_LEAST	5.0
#define BY_LENGTH	1.2
#define BY_SAMPLES	0.25
#define BY_DEVIATION	0.5
#define DEVIATION	0.2
#define DEVIATION_LEAST 0.1
#define PERIOD_LEAST	1024 /* a sample stands for at least so many runs */

/* By how much estimates of a whole function are off: the logarithm's standard deviation. */
#define FUNCTION_SPREAD 0.1

/* At an instruction so much of the cycles is left at least, whatever its stalls are said to be. */
#define UNSTALLED_LEAST 0.1

/* ---- the whole recording ----------------------------------------------------------------------*/

void ip_estimate_totals_init(struct ip_estimate_totals *t, const struct branch_profile *clean,
			     const char *cpu)
{
	double all[IP_EVENTS] = {0}, samples[IP_EVENTS] = {0}, stalled = 0;
	const struct map_entry *i = NULL;
	enum sample_event counting = sample_events_best(clean);

	*t = (struct ip_estimate_totals){.counting = counting, .scale = 1};
	while ((i = map_next(&clean->samples, (void *)i))) {
		if (i->b >= IP_EVENTS)
			continue;
		all[i->b] += (double)i->n;
		samples[i->b] += (double)i->m;
	}
	for (int e = 0; e < IP_EVENTS; e++) {
		t->stalls[e] = sample_event_stall_cycles(cpu, (enum sample_event)e);
		stalled += t->stalls[e] * all[e];
	}
	if (all[counting] > 0 && all[counting] < PERIOD_LEAST * samples[counting])
		t->scale = PERIOD_LEAST * samples[counting] / all[counting];
	if (counting != IP_INSTRUCTIONS || all[IP_CYCLES] <= 0 || stalled <= 0)
		return;
	t->classify = true;
	t->unstalled_cycles = fmax(all[IP_CYCLES] - stalled, all[IP_CYCLES] / 4) /
			      all[IP_INSTRUCTIONS];
	t->period = fmax(all[IP_INSTRUCTIONS] / fmax(samples[IP_INSTRUCTIONS], 1), 1);
	ip_runs_table_init(&t->table, all[IP_CYCLES] / fmax(samples[IP_CYCLES], 1));
}

/* ---- samples to segments ------------------------------------------------------------------ */

static void add_samples(const struct ip_estimate_totals *t, struct ip_segment *p,
			const struct map_entry *i)
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

/* ---- estimates and costs ----------------------------------------------------------------------*/

/* The paper's section 3.3: S is what a segment took beyond what its samples say. */
static enum ip_class classify(const struct ip_estimate_totals *t, const struct ip_segment *p)
{
	double raw = p->counted * t->unstalled_cycles, shadow = p->cycles - raw;

	if (shadow - p->stalled > 2 * raw)
		return IP_UNDER_SAMPLED;
	if (p->stalled > shadow && p->stalled > p->cycles / 2)
		return IP_OVER_SAMPLED;
	return IP_AS_RUN;
}

static void set_cost(struct ip_segment *p, double samples, double deviation)
{
	double cost =
		COST * pow((double)p->instructions, BY_LENGTH) / pow(samples + 1, BY_SAMPLES) *
		pow((DEVIATION + DEVIATION_LEAST) / (deviation + DEVIATION_LEAST), BY_DEVIATION);

	p->cost = (uint32_t)fmin(fmax(cost, COST_LEAST), FLOW_COST_MAX);
}

/* By instructions alone. */
static void estimate_segment(const struct ip_estimate_totals *t, struct ip_segment *p)
{
	p->runs = p->counted / (double)p->instructions * t->scale;
	set_cost(p, p->samples, DEVIATION);
}

/* ---- by cycles too ----------------------------------------------------------------------------*/

/* All code that runs equally often is estimated at once. */

struct head {
	double cycles, samples;
	uint8_t why; /* enum ip_head */
};

struct member {
	uint64_t label; /* equal for segments that run equally often */
	uint32_t segment;
};

/* The cycles at an instruction without those that it stalled; @i: the first of its samples. Those
 * for mispredicted branches are spent elsewhere. */
static void take_head(const struct ip_estimate_totals *t, struct head *h,
		      struct map_entry *const *i, struct map_entry *const *end)
{
	uint64_t va = (*i)->a;
	double cycles = 0, stalled = 0;

	for (; i < end && (*i)->a == va; i++) {
		if ((*i)->b == IP_CYCLES) {
			cycles += (double)(*i)->n;
			h->samples += (double)(*i)->m;
		} else if ((*i)->b < IP_EVENTS && (*i)->b != IP_BRANCH_MISSES) {
			stalled += t->stalls[(*i)->b] * (double)(*i)->n;
		}
	}
	if (cycles <= 0)
		return;
	h->cycles = fmax(cycles - stalled, UNSTALLED_LEAST * cycles);
	h->samples *= h->cycles / cycles;
}

static void take_heads(const struct ip_estimate_totals *t, const struct code *code,
		       struct map_entry *const *samples, size_t count, struct head *heads)
{
	for (size_t i = 0; i < count; i++) {
		size_t insn = code_find(code, samples[i]->a);

		if (insn != CODE_NONE && (!i || samples[i - 1]->a != samples[i]->a))
			take_head(t, &heads[insn], samples + i, samples + count);
	}
}

enum { RUN_INTO = 1, JUMPED_TO = 2 };

/* Each segment: how does control come there? */
static void find_arrivals(const struct cfg *cfg, uint8_t *arrivals)
{
	const struct flow_edge *e;

	vector_each (&cfg->network.edges, e)
		if (e->to != FLOW_OUTSIDE)
			arrivals[e->to] |= cfg->kinds.items[e - cfg->network.edges.items] ==
							   CFG_FALL
						   ? RUN_INTO
						   : JUMPED_TO;
}

/* Segments ascend, as the code does. */
static void find_reasons(const struct cfg *cfg, const struct code *code, const uint8_t *arrivals,
			 struct head *heads)
{
	unsigned behind = 0; /* the first of the group in front, as far as samples tell */
	size_t segment = 0;

	for (size_t i = 0; i < code->count; i++) {
		uint64_t va = code->insns[i].address;
		bool begins;

		while (segment < cfg->segments.count && cfg->segments.items[segment].begin < va)
			segment++;
		begins = segment < cfg->segments.count && cfg->segments.items[segment].begin == va;
		behind++;
		heads[i].why = behind >= IP_GROUP ? IP_HEAD_FULL : IP_HEAD_EARLY;
		if (begins && arrivals[segment] & JUMPED_TO)
			heads[i].why = IP_HEAD_EITHER;
		if (begins && !(arrivals[segment] & RUN_INTO))
			heads[i].why = IP_HEAD_TARGET;
		if (heads[i].cycles > 0 || heads[i].why == IP_HEAD_TARGET)
			behind = 0;
	}
}

ORDER_BY(compare_members, struct member, ORDER_UP(label) ?: ORDER_UP(segment));

static int add_segment(struct ip_runs *r, const struct ip_segment *p, const struct head *heads)
{
	r->counted += p->counted;
	r->samples += p->samples;
	r->cycles += p->cycles;
	for (size_t i = 0; i < p->instructions; i++)
		if (ip_runs_add(r, (enum ip_head)heads[i].why, heads[i].cycles, heads[i].samples))
			return -1;
	return 0;
}

static int estimate_members(const struct ip_estimate_totals *t, const struct cfg *cfg,
			    const struct code *code, const struct head *heads,
			    const struct member *m, size_t count, struct ip_segment *segments)
{
	struct ip_runs r = {0};
	double runs;
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++) {
		size_t first = code_find(code, cfg->segments.items[m[i].segment].begin);

		if (first != CODE_NONE)
			rc = add_segment(&r, &segments[m[i].segment], heads + first);
	}
	if (!rc)
		ip_runs_solve(&t->table, &r);
	runs = exp(r.log);
	for (size_t i = 0; i < count && !rc; i++) {
		segments[m[i].segment].runs = runs * t->scale;
		set_cost(&segments[m[i].segment], runs * r.instructions / t->period, r.deviation);
	}
	vector_deinit(&r.heads);
	return rc;
}

static int estimate_by_cycles(const struct ip_estimate_totals *t, const struct cfg *cfg,
			      const struct code *code, struct map_entry *const *samples,
			      size_t count, struct ip_segment *segments)
{
	size_t n = cfg->segments.count, next;
	struct head *heads = memory_alloc_array(code->count + 1, sizeof(*heads));
	struct member *members = memory_alloc_array(n + 1, sizeof(*members));
	uint64_t *labels = memory_alloc_array(n + 1, sizeof(*labels));
	uint8_t *arrivals = memory_alloc_array(n + 1, sizeof(*arrivals));
	int rc = heads && members && labels && arrivals ? equivalence_classes(&cfg->network, labels)
							: -1;

	if (!rc) {
		take_heads(t, code, samples, count, heads);
		find_arrivals(cfg, arrivals);
		find_reasons(cfg, code, arrivals, heads);
		for (uint32_t i = 0; i < n; i++)
			members[i] = (struct member){labels[i] ? labels[i] : i + 1, i};
		qsort(members, n, sizeof(*members), compare_members);
	}
	for (size_t i = 0; i < n && !rc; i = next) {
		for (next = i + 1; next < n && members[next].label == members[i].label;)
			next++;
		rc = estimate_members(t, cfg, code, heads, members + i, next - i, segments);
	}
	memory_free(heads);
	memory_free(members);
	memory_free(labels);
	memory_free(arrivals);
	return rc;
}

/*
 * All segments of a function may be off by the same factor, while late samples of instructions are
 * still in it if it runs for long each time: the longer it does, the nearer to their sum.
 */
static void meet_sum(const struct ip_estimate_totals *t, struct ip_segment *segments, size_t count)
{
	double counted = 0, estimated = 0, cycles = 0, skid, weight;

	for (size_t i = 0; i < count; i++) {
		counted += segments[i].counted;
		cycles += segments[i].cycles;
		estimated += segments[i].runs / t->scale * (double)segments[i].instructions;
	}
	if (counted <= 0 || estimated <= 0)
		return;
	skid = ip_runs_skid(cycles * t->scale / fmax(segments[0].runs, 1));
	weight = FUNCTION_SPREAD * FUNCTION_SPREAD /
		 (FUNCTION_SPREAD * FUNCTION_SPREAD + skid * skid);
	for (size_t i = 0; i < count; i++)
		segments[i].runs *= pow(counted / estimated, weight);
}

int ip_estimate_runs(const struct ip_estimate_totals *t, const struct cfg *cfg,
		     const struct code *code, struct map_entry *const *samples, size_t count,
		     struct ip_segment *segments)
{
	for (size_t i = 0; i < count; i++) {
		size_t segment = cfg_find(cfg, samples[i]->a);

		if (segment != SIZE_MAX)
			add_samples(t, &segments[segment], samples[i]);
	}
	for (size_t i = 0; i < cfg->segments.count; i++) {
		estimate_segment(t, &segments[i]);
		if (t->classify)
			segments[i].class = (uint8_t)classify(t, &segments[i]);
	}
	if (!t->classify)
		return 0;
	if (estimate_by_cycles(t, cfg, code, samples, count, segments))
		return -1;
	meet_sum(t, segments, cfg->segments.count);
	return 0;
}
