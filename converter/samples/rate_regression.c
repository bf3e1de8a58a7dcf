/* SPDX-License-Identifier: MIT */
#include "converter/samples/rate_regression.h"

#include <math.h>

#include "base/memory.h"

/* The variance of what is not due to the code, in that of what is. */
#define NOISE 1.0
/* What the regression of logarithms leaves of a rate, at most: a few are far off. */
#define LEFT_LEAST 0.4
#define LEFT_MOST  2.5
/* Conjugate gradients: until the residual is so small, in the beginning's square. */
#define RESIDUAL    1e-8
#define ROUNDS_MOST 200u

struct cell {
	uint32_t source;
	float value;
};

/* A row of cells for each trace that does not go on with another. */
struct regression {
	const struct trace_counts *s;
	VECTOR(struct cell) cells;
	VECTOR(size_t) ends;   /* of rows, among the cells */
	VECTOR(size_t) traces; /* by row */
	bool *known;	       /* by row: its rate */
	double *sources;       /* room for a number for each */
	/* room for a number for each row */
	double *direction, *image, *solution;
};

static void deinit(struct regression *g)
{
	vector_deinit(&g->cells);
	vector_deinit(&g->ends);
	vector_deinit(&g->traces);
	memory_free(g->known);
	memory_free(g->sources);
	memory_free(g->direction);
	memory_free(g->image);
	memory_free(g->solution);
}

/* ---- what traces go through ------------------------------------------------------------------ */

/* By trace, the next one that goes on with the same + 1; 0 = none. NULL without memory. */
static size_t *list_parts(const struct frequencies_traces *in)
{
	size_t *next = memory_alloc_array(in->trace_count, sizeof(*next));

	for (size_t i = in->trace_count; next && i-- > 0;) {
		size_t first = trace_counts_first(in, i);

		if (first == i)
			continue;
		next[i] = next[first];
		next[first] = i + 1;
	}
	return next;
}

/* Count the sources of @trace in g->sources, and list those that are new; 0, or -1 without memory.
 */
static int count_sources(struct regression *g, size_t trace)
{
	const struct frequencies_traces *in = g->s->in;

	for (size_t i = in->begins[trace]; i < trace_counts_end(in, trace); i++) {
		uint32_t source = g->s->sources[in->entries[i]];

		if (g->sources[source]++ > 0)
			continue;
		if (vector_reserve(&g->cells, 1))
			return -1;
		g->cells.items[g->cells.count++] = (struct cell){.source = source};
	}
	return 0;
}

/* The square roots of the shares, whose squares' sum is 1. */
static int add_row(struct regression *g, size_t trace, const size_t *next)
{
	size_t begin = g->cells.count, *end = vector_push(&g->ends), *of = vector_push(&g->traces);
	double sum = 0;

	if (!end || !of)
		return -1;
	for (size_t part = trace + 1; part; part = next[part - 1])
		if (count_sources(g, part - 1))
			return -1;
	for (size_t i = begin; i < g->cells.count; i++)
		sum += g->sources[g->cells.items[i].source];
	for (size_t i = begin; i < g->cells.count; i++) {
		struct cell *c = &g->cells.items[i];

		c->value = (float)sqrt(g->sources[c->source] / sum);
		g->sources[c->source] = 0;
	}
	*end = g->cells.count;
	*of = trace;
	return 0;
}

static int add_rows(struct regression *g)
{
	const struct frequencies_traces *in = g->s->in;
	size_t *next = list_parts(in);
	int rc = next ? 0 : -1;

	for (size_t i = 0; !rc && i < in->trace_count; i++)
		if (trace_counts_first(in, i) == i)
			rc = add_row(g, i, next);
	memory_free(next);
	return rc;
}

static int init(struct regression *g, const double *rates)
{
	size_t rows;

	g->sources = memory_alloc_array(g->s->source_count, sizeof(double));
	if (!g->sources || add_rows(g))
		return -1;
	rows = g->traces.count;
	g->known = memory_alloc_array(rows, sizeof(*g->known));
	g->direction = memory_alloc_array(rows, sizeof(double));
	g->image = memory_alloc_array(rows, sizeof(double));
	g->solution = memory_alloc_array(rows, sizeof(double));
	if (!g->known || !g->direction || !g->image || !g->solution)
		return -1;
	for (size_t i = 0; i < rows; i++)
		g->known[i] = rates[g->traces.items[i]] > 0;
	return 0;
}

/* ---- the regression -------------------------------------------------------------------------- */

static size_t row_begin(const struct regression *g, size_t row)
{
	return row ? g->ends.items[row - 1] : 0;
}

/* @out of all rows: the covariances with the known ones, times @by. */
static void multiply(struct regression *g, const double *by, double *out)
{
	for (size_t i = 0; i < g->s->source_count; i++)
		g->sources[i] = 0;
	for (size_t row = 0; row < g->traces.count; row++)
		for (size_t i = row_begin(g, row); g->known[row] && i < g->ends.items[row]; i++)
			g->sources[g->cells.items[i].source] += g->cells.items[i].value * by[row];
	for (size_t row = 0; row < g->traces.count; row++) {
		out[row] = 0;
		for (size_t i = row_begin(g, row); i < g->ends.items[row]; i++)
			out[row] += g->cells.items[i].value * g->sources[g->cells.items[i].source];
	}
}

static double product(const struct regression *g, const double *a, const double *b)
{
	double sum = 0;

	for (size_t i = 0; i < g->traces.count; i++)
		sum += g->known[i] ? a[i] * b[i] : 0;
	return sum;
}

/* The solution x of (covariances + noise) x = @b, of the known rows, by conjugate gradients
 * (Hestenes and Stiefel, 1952). @b becomes the residual. */
static void solve(struct regression *g, double *b)
{
	double *x = g->solution, *direction = g->direction, *image = g->image;
	double left = product(g, b, b), enough = left * RESIDUAL;

	for (size_t i = 0; i < g->traces.count; i++) {
		x[i] = 0;
		direction[i] = b[i];
	}
	for (unsigned round = 0; round < ROUNDS_MOST && left > enough; round++) {
		double before = left, step;

		multiply(g, direction, image);
		for (size_t i = 0; i < g->traces.count; i++)
			image[i] += NOISE * direction[i];
		step = left / product(g, direction, image);
		for (size_t i = 0; i < g->traces.count; i++) {
			x[i] += step * direction[i];
			b[i] -= step * image[i];
		}
		left = product(g, b, b);
		for (size_t i = 0; i < g->traces.count; i++)
			direction[i] = b[i] + left / before * direction[i];
	}
}

/* @y, of the known rows, becomes what the regression says, of all. */
static void regress(struct regression *g, double *y)
{
	double mean = 0, known = 0;

	for (size_t i = 0; i < g->traces.count; i++) {
		known += g->known[i];
		mean += g->known[i] ? y[i] : 0;
	}
	mean /= known;
	for (size_t i = 0; i < g->traces.count; i++)
		y[i] = g->known[i] ? y[i] - mean : 0;
	solve(g, y);
	multiply(g, g->solution, y);
	for (size_t i = 0; i < g->traces.count; i++)
		y[i] += mean;
}

/* @y and @left: room for a number for each row. */
static void regress_rates(struct regression *g, double *rates, double *y, double *left)
{
	const size_t *trace = g->traces.items;

	for (size_t i = 0; i < g->traces.count; i++)
		y[i] = g->known[i] ? log(rates[trace[i]]) : 0;
	regress(g, y);
	for (size_t i = 0; i < g->traces.count; i++)
		left[i] = fmin(fmax(rates[trace[i]] / exp(y[i]), LEFT_LEAST), LEFT_MOST);
	regress(g, left);
	for (size_t i = 0; i < g->traces.count; i++)
		rates[trace[i]] = exp(y[i]) * fmax(left[i], LEFT_LEAST);
}

int rate_regression(const struct trace_counts *s, double *rates)
{
	struct regression g = {.s = s};
	double *y = NULL, *left = NULL;
	int rc = init(&g, rates);

	if (!rc) {
		y = memory_alloc_array(g.traces.count, sizeof(*y));
		left = memory_alloc_array(g.traces.count, sizeof(*left));
		rc = y && left ? 0 : -1;
	}
	if (!rc)
		regress_rates(&g, rates, y, left);
	memory_free(y);
	memory_free(left);
	deinit(&g);
	return rc;
}
