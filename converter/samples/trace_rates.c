/* SPDX-License-Identifier: MIT */
#include "converter/samples/trace_rates.h"

#include "base/memory.h"
#include "converter/samples/rate_outliers.h"

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
