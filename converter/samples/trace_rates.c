/* SPDX-License-Identifier: MIT */
#include "converter/samples/trace_rates.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/*
 * A few traces' rates are far too high: where the stretch that was timed was faster than the rest
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

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

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

/* Of a recording that has some. */
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
