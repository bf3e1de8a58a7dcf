/* SPDX-License-Identifier: MIT */
#include "converter/samples/rate_outliers.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

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

int rate_outliers_limit(const struct trace_counts *s, double *weights)
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
