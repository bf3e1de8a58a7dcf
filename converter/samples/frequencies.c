/* SPDX-License-Identifier: MIT */
/* The formulas, by the same names, are in docs/frequencies.md. */
#include "converter/samples/frequencies.h"

#include <math.h>

#include "base/map.h"
#include "base/memory.h"

/* A trace's weight before they are divided by their mean: its limits, and how many starts it takes
 * to believe in one. */
#define WEIGHT_LEAST   0.05
#define WEIGHT_MOST    5.0
#define WEIGHT_CAUTION 3.0
/* The chain restarts often enough that about this many traces say how flow goes on. */
#define CLOSING_TRACES 100.0
#define CLOSING_LEAST  0.001
#define CLOSING_MOST   0.3
/* So many traces more are taken to begin and to end at each target: a rarely reached region is not
 * thrown around by the one crossing that was recorded. */
#define CROSSINGS 0.5
/* What the chain changes is believed by half where it is so many times what chance changes. */
#define NOISE_CAUTION 2.0
/* When the chain is solved: so little changes in a sweep, or so many sweeps and steps were made. */
#define CHANGE_LEAST	 1e-7
#define SWEEPS_MOST	 5000u
#define SWEEP_STEPS_MOST ((size_t)1 << 31)
/* Weights are from the recorded counts first, then from what the chain made of them. */
#define CHAIN_ROUNDS 2

/* Traces went from branch @before, or another one to the same target, to @branch. */
struct transition {
	uint32_t before, branch;
	double n;
	double seen;  /* n, as recorded */
	double share; /* of what leaves the target */
};

struct arrival {
	uint32_t from; /* target */
	double share;
};

struct estimate {
	const struct frequencies_traces *in;
	double traces, entries;	     /* with those seen repeatedly */
	uint32_t *sources, *targets; /* of each branch, numbered from 0 */
	size_t source_count, target_count;
	double *starts, *middles, *all; /* by source: entries there */
	double *weights;		/* by source: of a trace that starts there */
	double *halves[2], *seen;	/* by branch: in every other trace, in all */
	double *rates;			/* by trace, 1 on average; NULL: not known */
	double *trace_weights;		/* by trace */
	struct map numbers;		/* (target, branch) -> n = index of the transition + 1 */
	VECTOR(struct transition) transitions;
	double *begin, *end; /* by target: traces after their first, or at their last branch */
	double *leave;	     /* by target: all that leaves it, closing included */
	double *x;	     /* by target: how often it is reached */
	size_t *first;	     /* by target: its arrivals */
	struct arrival *arrivals;
};

void frequencies_deinit(struct frequencies_result *r)
{
	memory_free(r->branches);
	r->branches = NULL;
	vector_deinit(&r->ranges);
}

/* What a round makes. */
static void forget_round(struct estimate *s)
{
	map_deinit(&s->numbers);
	vector_deinit(&s->transitions);
	memory_free(s->begin);
	memory_free(s->end);
	memory_free(s->leave);
	memory_free(s->x);
	memory_free(s->first);
	memory_free(s->arrivals);
	s->begin = s->end = s->leave = s->x = NULL;
	s->first = NULL;
	s->arrivals = NULL;
}

static void estimate_deinit(struct estimate *s)
{
	forget_round(s);
	memory_free(s->sources);
	memory_free(s->targets);
	memory_free(s->starts);
	memory_free(s->middles);
	memory_free(s->all);
	memory_free(s->weights);
	memory_free(s->halves[0]);
	memory_free(s->halves[1]);
	memory_free(s->seen);
	memory_free(s->rates);
	memory_free(s->trace_weights);
}

static size_t trace_end(const struct frequencies_traces *in, size_t trace)
{
	return trace + 1 < in->trace_count ? in->begins[trace + 1] : in->entry_count;
}

static double trace_times(const struct frequencies_traces *in, size_t trace)
{
	return in->times ? (double)in->times[trace] : 1;
}

/* ---- starts --------------------------------------------------------------------------------- */

/* Number the places in the order of the branches; 0, or -1 without memory. */
static int number_places(const struct frequencies_traces *in, bool to, uint32_t **out,
			 size_t *count)
{
	struct map numbers = {0};
	int rc = -1;

	*out = memory_alloc_array(in->branch_count, sizeof(**out));
	for (size_t i = 0; i < in->branch_count; i++) {
		const struct frequencies_branch *b = &in->branches[i];
		struct map_entry *e = *out ? map_at(&numbers, to ? b->to : b->from, 0) : NULL;

		if (!e)
			goto out;
		if (!e->n)
			e->n = numbers.count;
		(*out)[i] = (uint32_t)(e->n - 1);
	}
	*count = numbers.count;
	rc = 0;
out:
	map_deinit(&numbers);
	return rc;
}

static int count_sources(struct estimate *s)
{
	const struct frequencies_traces *in = s->in;

	if (number_places(in, false, &s->sources, &s->source_count))
		return -1;
	s->starts = memory_alloc_array(s->source_count, sizeof(double));
	s->middles = memory_alloc_array(s->source_count, sizeof(double));
	s->all = memory_alloc_array(s->source_count, sizeof(double));
	s->weights = memory_alloc_array(s->source_count, sizeof(double));
	if (!s->starts || !s->middles || !s->all || !s->weights)
		return -1;
	for (size_t i = 0; i < in->trace_count; i++) {
		size_t begin = in->begins[i], length = trace_end(in, i) - begin;
		double times = trace_times(in, i);

		s->traces += times;
		s->entries += times * (double)length;
		s->starts[s->sources[in->entries[begin]]] += times;
		s->middles[s->sources[in->entries[begin + length / 2]]] += times;
		for (size_t k = 0; k < length; k++)
			s->all[s->sources[in->entries[begin + k]]] += times;
	}
	return 0;
}

/* How alike two distributions are: the degree of overlap, 0 to 1. */
static double overlap(const double *a, double a_sum, const double *b, double b_sum, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += fmin(a[i] / a_sum, b[i] / b_sum);
	return sum;
}

static void weigh_starts(struct estimate *s)
{
	double entries = 0, sum = 0;

	for (size_t i = 0; i < s->source_count; i++)
		entries += s->all[i];
	for (size_t i = 0; i < s->source_count; i++) {
		double expected = s->traces * s->all[i] / entries;
		double v = (expected + WEIGHT_CAUTION) / (s->starts[i] + WEIGHT_CAUTION);

		s->weights[i] = fmin(fmax(v, WEIGHT_LEAST), WEIGHT_MOST);
		sum += s->weights[i] * s->starts[i];
	}
	for (size_t i = 0; i < s->source_count; i++)
		s->weights[i] *= s->traces / sum;
}

/* ---- rates --------------------------------------------------------------------------------- */

/* Those of traces whose rate is not known are the mean. */
static int take_rates(struct estimate *s)
{
	const struct frequencies_traces *in = s->in;
	double sum = 0, known = 0;

	s->trace_weights = memory_alloc_array(in->trace_count, sizeof(double));
	if (!s->trace_weights)
		return -1;
	if (!in->weights)
		return 0;
	for (size_t i = 0; i < in->trace_count; i++) {
		known += in->weights[i] ? trace_times(in, i) : 0;
		sum += trace_times(in, i) * (double)in->weights[i];
	}
	if (known <= 0)
		return 0;
	s->rates = memory_alloc_array(in->trace_count, sizeof(double));
	if (!s->rates)
		return -1;
	for (size_t i = 0; i < in->trace_count; i++)
		s->rates[i] = in->weights[i] ? (double)in->weights[i] * known / sum : 1;
	return 0;
}

static size_t start_source(const struct estimate *s, size_t trace)
{
	return s->sources[s->in->entries[s->in->begins[trace]]];
}

/* A rate tells all that is to be known of a trace; without, there is where it starts. */
static void weigh_traces(struct estimate *s)
{
	size_t n = s->in->trace_count;

	if (!s->rates)
		weigh_starts(s);
	for (size_t i = 0; i < n; i++)
		s->trace_weights[i] = s->rates ? s->rates[i] : s->weights[start_source(s, i)];
}

/* ---- re-weighting: each trace with its weight ------------------------------------------------ */

static struct transition *transition_at(struct estimate *s, uint32_t before, uint32_t branch)
{
	struct map_entry *number = map_at(&s->numbers, s->targets[before], branch);
	struct transition *t;

	if (!number)
		return NULL;
	if (number->n)
		return &s->transitions.items[number->n - 1];
	t = vector_push(&s->transitions);
	if (!t)
		return NULL;
	number->n = s->transitions.count;
	t->before = before;
	t->branch = branch;
	return t;
}

static int add_trace(struct estimate *s, struct frequencies_result *r, const uint32_t *entries,
		     size_t length, double times, double weight)
{
	double v = times * weight;

	for (size_t i = 0; i < length; i++) {
		struct transition *t;

		r->branches[entries[i]] += v;
		if (!i)
			continue;
		t = transition_at(s, entries[i - 1], entries[i]);
		if (!t)
			return -1;
		t->n += v;
		t->seen += times;
	}
	s->begin[s->targets[entries[0]]] += v;
	s->end[s->targets[entries[length - 1]]] += v;
	return 0;
}

static int add_traces(struct estimate *s, struct frequencies_result *r)
{
	const struct frequencies_traces *in = s->in;

	for (size_t i = 0; i < in->branch_count; i++)
		r->branches[i] = 0;
	s->begin = memory_alloc_array(s->target_count, sizeof(double));
	s->end = memory_alloc_array(s->target_count, sizeof(double));
	if (!s->begin || !s->end)
		return -1;
	for (size_t i = 0; i < in->trace_count; i++)
		if (add_trace(s, r, in->entries + in->begins[i], trace_end(in, i) - in->begins[i],
			      trace_times(in, i), s->trace_weights[i]))
			return -1;
	return 0;
}

/* ---- the chain ------------------------------------------------------------------------------ */

static double closing_weight(const struct estimate *s)
{
	return fmin(fmax(CLOSING_TRACES / s->traces, CLOSING_LEAST), CLOSING_MOST);
}

/* What leaves each target, and a first guess of how often it is reached. */
static void start_chain(struct estimate *s)
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
static int order_transitions(struct estimate *s)
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
static double sweep(struct estimate *s)
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

static int solve_chain(struct estimate *s, struct frequencies_result *r)
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

/* ---- result --------------------------------------------------------------------------------- */

/* Counts as recorded, and those of either half: every other trace, where equal ones come together
 * half of them. */
static int count_halves(struct estimate *s)
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

		for (size_t k = in->begins[i]; k < trace_end(in, i); k++) {
			s->halves[odd][in->entries[k]] += more;
			s->halves[!odd][in->entries[k]] += less;
			s->seen[in->entries[k]] += (double)times;
		}
		odd ^= times & 1;
	}
	return 0;
}

static double sum_of(const double *a, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += a[i];
	return sum;
}

/* How far to believe the chain, 0 to 1: by what it changes, and what another recording would. */
static int believe(struct estimate *s, struct frequencies_result *r)
{
	size_t count = s->in->branch_count;
	double change, noise, sum = sum_of(r->branches, count);

	r->belief = 1;
	if (s->rates || sum <= 0)
		return 0;
	if (count_halves(s))
		return -1;
	change = 1 - overlap(s->seen, s->entries, r->branches, sum, count);
	noise = (1 - overlap(s->halves[0], sum_of(s->halves[0], count), s->halves[1],
			     sum_of(s->halves[1], count), count)) /
		2;
	noise *= NOISE_CAUTION;
	if (change > 0 || noise > 0)
		r->belief = change * change / (change * change + noise * noise);
	return 0;
}

/* The rest is as recorded. */
static void mix(struct estimate *s, struct frequencies_result *r)
{
	double sum = sum_of(r->branches, s->in->branch_count);
	double scale = sum > 0 ? r->belief * s->entries / sum : 0, rest = 1 - r->belief;
	struct transition *t;

	if (!s->seen)
		return;
	for (size_t i = 0; i < s->in->branch_count; i++)
		r->branches[i] = r->branches[i] * scale + s->seen[i] * rest;
	vector_each (&s->transitions, t)
		t->n = t->n * scale + t->seen * rest;
}

/* As many branches as were recorded. */
static int write_result(struct estimate *s, struct frequencies_result *r)
{
	double sum = sum_of(r->branches, s->in->branch_count);
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

static int reweight(struct estimate *s, struct frequencies_result *r)
{
	weigh_traces(s);
	return add_traces(s, r);
}

static int chain(struct estimate *s, struct frequencies_result *r)
{
	for (int round = 0; round < CHAIN_ROUNDS; round++) {
		forget_round(s);
		if (reweight(s, r))
			return -1;
		if (!s->transitions.count)
			return 0; /* traces of one branch each */
		if (solve_chain(s, r))
			return -1;
		for (size_t i = 0; i < s->source_count; i++)
			s->all[i] = 0;
		for (size_t i = 0; i < s->in->branch_count; i++)
			s->all[s->sources[i]] += r->branches[i];
	}
	if (believe(s, r))
		return -1;
	mix(s, r);
	return 0;
}

static bool chains(const struct estimate *s, enum frequencies how)
{
	return how == FREQUENCIES_CHAIN || (how == FREQUENCIES_AUTO && !s->rates);
}

static int estimate(struct estimate *s, enum frequencies how, struct frequencies_result *r)
{
	const struct frequencies_traces *in = s->in;

	if (count_sources(s) || take_rates(s))
		return -1;
	r->rated = s->rates != NULL;
	if (s->traces < (r->rated ? FREQUENCIES_RATED_MIN : FREQUENCIES_TRACES_MIN))
		return 0;
	r->examined = true;
	r->starts = overlap(s->starts, s->traces, s->all, s->entries, s->source_count);
	r->middles = overlap(s->middles, s->traces, s->all, s->entries, s->source_count);
	r->biased = r->rated || r->starts < FREQUENCIES_EVEN * r->middles;
	if (!r->biased)
		return 0;
	r->branches = memory_alloc_array(in->branch_count, sizeof(double));
	if (!r->branches || number_places(in, true, &s->targets, &s->target_count) ||
	    (chains(s, how) ? chain(s, r) : reweight(s, r)))
		return -1;
	return write_result(s, r);
}

int frequencies_estimate(const struct frequencies_traces *in, enum frequencies how,
			 struct frequencies_result *result)
{
	struct estimate s = {.in = in};
	int rc;

	if (how == FREQUENCIES_RAW || !in->trace_count)
		return 0;
	rc = estimate(&s, how, result);
	estimate_deinit(&s);
	if (rc)
		frequencies_deinit(result);
	return rc;
}
