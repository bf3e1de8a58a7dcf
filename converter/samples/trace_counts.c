/* SPDX-License-Identifier: MIT */
/* The formulas, by the same names, are in docs/frequencies.md. */
#include "converter/samples/trace_counts.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"

/* A trace's weight before they are divided by their mean: its limits, and how many starts it takes
 * to believe in one. */
#define WEIGHT_LEAST   0.05
#define WEIGHT_MOST    5.0
#define WEIGHT_CAUTION 3.0

void trace_counts_forget_round(struct trace_counts *s)
{
	map_deinit(&s->numbers);
	vector_deinit(&s->transitions);
	memory_free(s->begin);
	memory_free(s->end);
	memory_free(s->leave);
	memory_free(s->x);
	memory_free(s->last);
	memory_free(s->first);
	memory_free(s->arrivals);
	s->last = NULL;
	s->begin = s->end = s->leave = s->x = NULL;
	s->first = NULL;
	s->arrivals = NULL;
}

void trace_counts_deinit(struct trace_counts *s)
{
	trace_counts_forget_round(s);
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

size_t trace_counts_end(const struct frequencies_traces *in, size_t trace)
{
	return trace + 1 < in->trace_count ? in->begins[trace + 1] : in->entry_count;
}

static double trace_counts_times(const struct frequencies_traces *in, size_t trace)
{
	return in->times ? (double)in->times[trace] : 1;
}

/* The trace that it goes on with, or itself. */
static size_t trace_counts_first(const struct frequencies_traces *in, size_t trace)
{
	return in->firsts ? in->firsts[trace] : trace;
}

/* ---- starts --------------------------------------------------------------------------------- */

/* Number the places in the order of the branches; 0, or -1 without memory. */
int trace_counts_number_places(const struct frequencies_traces *in, bool to, uint32_t **out,
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

int trace_counts_by_source(struct trace_counts *s)
{
	const struct frequencies_traces *in = s->in;

	if (trace_counts_number_places(in, false, &s->sources, &s->source_count))
		return -1;
	s->starts = memory_alloc_array(s->source_count, sizeof(double));
	s->middles = memory_alloc_array(s->source_count, sizeof(double));
	s->all = memory_alloc_array(s->source_count, sizeof(double));
	s->weights = memory_alloc_array(s->source_count, sizeof(double));
	s->trace_weights = memory_alloc_array(in->trace_count, sizeof(double));
	if (!s->starts || !s->middles || !s->all || !s->weights || !s->trace_weights)
		return -1;
	for (size_t i = 0; i < in->trace_count; i++) {
		size_t begin = in->begins[i], length = trace_counts_end(in, i) - begin;
		double times = trace_counts_times(in, i);

		s->entries += times * (double)length;
		for (size_t k = 0; k < length; k++)
			s->all[s->sources[in->entries[begin + k]]] += times;
		if (trace_counts_first(in, i) != i)
			continue;
		s->traces += times;
		s->starts[s->sources[in->entries[begin]]] += times;
		s->middles[s->sources[in->entries[begin + length / 2]]] += times;
	}
	return 0;
}

double trace_counts_sum_of(const double *a, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += a[i];
	return sum;
}

/* How alike two distributions are: the degree of overlap, 0 to 1. */
double trace_counts_overlap(const double *a, double a_sum, const double *b, double b_sum,
			    size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += fmin(a[i] / a_sum, b[i] / b_sum);
	return sum;
}

static void weigh_starts(struct trace_counts *s)
{
	double entries = trace_counts_sum_of(s->all, s->source_count), sum = 0;

	for (size_t i = 0; i < s->source_count; i++) {
		double expected = s->traces * s->all[i] / entries;
		double v = (expected + WEIGHT_CAUTION) / (s->starts[i] + WEIGHT_CAUTION);

		s->weights[i] = fmin(fmax(v, WEIGHT_LEAST), WEIGHT_MOST);
		sum += s->weights[i] * s->starts[i];
	}
	for (size_t i = 0; i < s->source_count; i++)
		s->weights[i] *= s->traces / sum;
}

/* ---- weights ------------------------------------------------------------------------------- */

static size_t start_source(const struct trace_counts *s, size_t trace)
{
	return s->sources[s->in->entries[s->in->begins[trace_counts_first(s->in, trace)]]];
}

/* A rate tells all that is to be known of a trace; without, there is where it starts. */
void trace_counts_weigh_traces(struct trace_counts *s)
{
	size_t n = s->in->trace_count;

	if (!s->rates)
		weigh_starts(s);
	for (size_t i = 0; i < n; i++)
		s->trace_weights[i] = s->rates ? s->rates[i] : s->weights[start_source(s, i)];
}

/* ---- re-weighting: each trace with its weight ------------------------------------------------ */

static struct transition *transition_at(struct trace_counts *s, uint32_t before, uint32_t branch)
{
	/* the last one from there is the next one mostly, and looked up in less memory */
	size_t *last = &s->last[s->targets[before]];
	struct transition *t;

	if (*last && s->transitions.items[*last - 1].branch == branch)
		return &s->transitions.items[*last - 1];
	t = map_item(&s->numbers, s->targets[before], branch, &s->transitions,
		     (struct transition){.before = before, .branch = branch});
	*last = t ? (size_t)(t - s->transitions.items) + 1 : 0;
	return t;
}

static int add_trace(struct trace_counts *s, struct frequencies_result *r, const uint32_t *entries,
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

int trace_counts_add_traces(struct trace_counts *s, struct frequencies_result *r)
{
	const struct frequencies_traces *in = s->in;

	for (size_t i = 0; i < in->branch_count; i++)
		r->branches[i] = 0;
	s->begin = memory_alloc_array(s->target_count, sizeof(double));
	s->end = memory_alloc_array(s->target_count, sizeof(double));
	s->last = memory_alloc_array(s->target_count, sizeof(*s->last));
	if (!s->begin || !s->end || !s->last)
		return -1;
	for (size_t i = 0; i < in->trace_count; i++)
		if (add_trace(s, r, in->entries + in->begins[i],
			      trace_counts_end(in, i) - in->begins[i], trace_counts_times(in, i),
			      s->trace_weights[i]))
			return -1;
	return 0;
}

/*
 * A few traces' rates are far too high: where the segment that was timed was faster than the rest
 * of the path, or the noise took most of the measured time. They are winsorized, unless other
 * traces through the same code have such rates, too: code that is fast and rare is no outlier.
 */

/* So many of a hundred known weights are never limited, */
#define USUAL_PERCENT 98u
/* nor one of at most so many times what other traces through the same code have. */
#define OTHERS_TIMES 2.0

struct outliers {
	const struct trace_counts *s;
	double *weights; /* by trace */
	/* by source: the entries of traces whose weight is known, and the sum of these weights */
	double *entries, *sums;
	double *own; /* by source: entries of the trace at hand */
};

ORDER_BY(ascending, double, (*a > *b) - (*a < *b));

static bool is_known(const struct outliers *o, size_t trace)
{
	return trace_counts_first(o->s->in, trace) == trace && o->weights[trace] > 0;
}

/* The percentile of the known weights; 0 without memory. */
static double usual_weight(const struct outliers *o)
{
	size_t count = o->s->in->trace_count, known = 0;
	double *sorted = memory_alloc_array(count, sizeof(double)), usual;

	if (!sorted)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (is_known(o, i))
			sorted[known++] = o->weights[i];
	qsort(sorted, known, sizeof(double), ascending);
	usual = known ? sorted[known * USUAL_PERCENT / 100] : INFINITY;
	memory_free(sorted);
	return usual;
}

static void add_entries(const struct trace_counts *s, size_t trace, double n, double *to)
{
	for (size_t i = s->in->begins[trace]; i < trace_counts_end(s->in, trace); i++)
		to[s->sources[s->in->entries[i]]] += n;
}

/* Count the entries of @whole in o->own @n times. */
static void count_own(const struct outliers *o, size_t whole, double n)
{
	const struct frequencies_traces *in = o->s->in;

	for (size_t i = whole; i < in->trace_count; i++)
		if (trace_counts_first(in, i) == whole)
			add_entries(o->s, i, n, o->own);
}

/* The sum over the entries of @part of what others have there; *@n counts them. */
static double others_along(const struct outliers *o, size_t part, double weight, double *n)
{
	const struct frequencies_traces *in = o->s->in;
	double sum = 0;

	for (size_t i = in->begins[part]; i < trace_counts_end(in, part); i++) {
		uint32_t source = o->s->sources[in->entries[i]];
		double others = o->entries[source] - o->own[source];

		if (others <= 0)
			continue;
		sum += fmax(o->sums[source] - weight * o->own[source], 0) / others;
		++*n;
	}
	return sum;
}

/* The mean weight of other traces through the code of @whole; 0: there is none. */
static double others_weight(const struct outliers *o, size_t whole)
{
	const struct frequencies_traces *in = o->s->in;
	double sum = 0, n = 0;

	count_own(o, whole, 1);
	for (size_t i = whole; i < in->trace_count; i++)
		if (trace_counts_first(in, i) == whole)
			sum += others_along(o, i, o->weights[whole], &n);
	count_own(o, whole, -1);
	return n > 0 ? sum / n : 0;
}

static void limit(struct outliers *o, double usual)
{
	const struct frequencies_traces *in = o->s->in;

	for (size_t i = 0; i < in->trace_count; i++) {
		double weight = o->weights[trace_counts_first(in, i)];

		if (weight <= 0)
			continue;
		add_entries(o->s, i, 1, o->entries);
		add_entries(o->s, i, weight, o->sums);
	}
	for (size_t i = 0; i < in->trace_count; i++)
		if (is_known(o, i) && o->weights[i] > usual)
			o->weights[i] = fmin(o->weights[i],
					     fmax(usual, OTHERS_TIMES * others_weight(o, i)));
}

/* @weights: of each trace of s->in, 0 = not known; those of traces that go on with another have no
 * meaning. s->sources are numbered. 0, or -1 without memory. */
static int rate_outliers_limit(const struct trace_counts *s, double *weights)
{
	struct outliers o = {.s = s, .weights = weights};
	double usual = usual_weight(&o);
	int rc = -1;

	o.entries = memory_alloc_array(s->source_count, sizeof(double));
	o.sums = memory_alloc_array(s->source_count, sizeof(double));
	o.own = memory_alloc_array(s->source_count, sizeof(double));
	if (usual > 0 && o.entries && o.sums && o.own) {
		limit(&o, usual);
		rc = 0;
	}
	memory_free(o.entries);
	memory_free(o.sums);
	memory_free(o.own);
	return rc;
}

/* The mean of the known weights, of whole traces; 0: none is. */
static double mean_weight(const struct frequencies_traces *in, const double *weights)
{
	double sum = 0, known = 0;

	for (size_t i = 0; i < in->trace_count; i++) {
		if (weights[i] <= 0 || trace_counts_first(in, i) != i)
			continue;
		known += trace_counts_times(in, i);
		sum += trace_counts_times(in, i) * weights[i];
	}
	return known > 0 ? sum / known : 0;
}

/* A weight is that of the whole trace: of a short one, each branch has the more of it. Those that
 * are not known are the mean. */
static int share_weights(struct trace_counts *s, const double *weights)
{
	const struct frequencies_traces *in = s->in;
	double mean = mean_weight(in, weights), *lengths;

	lengths = memory_alloc_array(in->trace_count, sizeof(double));
	if (!lengths)
		return -1;
	for (size_t i = 0; i < in->trace_count; i++)
		lengths[trace_counts_first(in, i)] += (double)(trace_counts_end(in, i) -
							       in->begins[i]);
	for (size_t i = 0; i < in->trace_count; i++) {
		size_t whole = trace_counts_first(in, i);

		s->rates[i] = (weights[whole] > 0 ? weights[whole] / mean : 1) * s->entries /
			      s->traces / lengths[whole];
	}
	memory_free(lengths);
	return 0;
}

/* Make s->rates of a recording that has some. */
static int take_rates(struct trace_counts *s, double *weights)
{
	s->rates = memory_alloc_array(s->in->trace_count, sizeof(double));
	if (!s->rates || rate_outliers_limit(s, weights))
		return -1;
	return share_weights(s, weights);
}

int trace_rates_take(struct trace_counts *s)
{
	const struct frequencies_traces *in = s->in;
	double *weights;
	int rc = 0;

	if (!in->weights)
		return 0;
	weights = memory_alloc_array(in->trace_count, sizeof(double));
	if (!weights)
		return -1;
	for (size_t i = 0; i < in->trace_count; i++)
		weights[i] = (double)in->weights[i];
	if (mean_weight(in, weights) > 0)
		rc = take_rates(s, weights);
	memory_free(weights);
	return rc;
}
