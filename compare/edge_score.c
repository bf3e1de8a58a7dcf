/* SPDX-License-Identifier: MIT */
#include "compare/edge_score.h"

#include <math.h>

#include "base/memory.h"

/* Which edges a score is of. */
enum subset { ALL, TAKEN, CALLS, CONDITIONAL };

static bool is_in(enum subset subset, uint8_t kind)
{
	switch (subset) {
	case TAKEN:
		return kind != EDGE_NOT_TAKEN;
	case CALLS:
		return kind == EDGE_CALL;
	case CONDITIONAL:
		return kind == EDGE_TAKEN || kind == EDGE_NOT_TAKEN;
	default:
		return true;
	}
}

static void totals(const struct edge *items, size_t count, enum subset subset, double total[2])
{
	total[0] = total[1] = 0;
	for (size_t i = 0; i < count; i++)
		if (is_in(subset, items[i].kind)) {
			total[0] += (double)items[i].counts[0];
			total[1] += (double)items[i].counts[1];
		}
}

static double overlap(const struct edge *items, size_t count, enum subset subset)
{
	double total[2], sum = 0;

	totals(items, count, subset, total);
	if (total[0] <= 0 && total[1] <= 0)
		return NAN;
	if (total[0] <= 0 || total[1] <= 0)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (is_in(subset, items[i].kind))
			sum += fmin((double)items[i].counts[0] / total[0],
				    (double)items[i].counts[1] / total[1]);
	return sum;
}

/* ---- functions ----------------------------------------------------------------------------- */

static int compare_losses(const void *a, const void *b)
{
	const struct edge_function *x = a, *y = b;

	if (x->lost > y->lost || x->lost < y->lost)
		return x->lost > y->lost ? -1 : 1;
	if (x->share[0] + x->share[1] > y->share[0] + y->share[1] ||
	    x->share[0] + x->share[1] < y->share[0] + y->share[1])
		return x->share[0] + x->share[1] > y->share[0] + y->share[1] ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

static double lost(const struct edge *items, size_t count, const double total[2],
		   unsigned reference)
{
	unsigned other = !reference;
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		double of_reference = total[reference] > 0 ? (double)items[i].counts[reference] /
								     total[reference]
							   : 0;
		double of_other = total[other] > 0 ? (double)items[i].counts[other] / total[other]
						   : 0;

		sum += fmax(0, of_reference - of_other);
	}
	return sum;
}

static int add_function(const struct edge *items, size_t count, const double total[2],
			unsigned reference, struct edge_functions *out)
{
	struct edge_function *f = vector_push(&out->items);
	double its[2];

	if (!f)
		return -1;
	totals(items, count, ALL, its);
	f->function = items->function;
	for (unsigned side = 0; side < 2; side++)
		f->share[side] = total[side] > 0 ? its[side] / total[side] : 0;
	f->within = overlap(items, count, ALL);
	f->lost = lost(items, count, total, reference);
	return 0;
}

/* The functions by address, whose edges are neighbours; those in no function, which lie between,
 * are one of their own. */
static int each_function(const struct edges *edges, unsigned reference, struct edge_functions *out)
{
	const struct edge *items = edges->items.items;
	size_t n = edges->items.count, next;
	struct edges homeless = {0};
	double total[2];
	int rc = 0;

	totals(items, n, ALL, total);
	for (size_t i = 0; i < n && !rc; i = next) {
		for (next = i + 1; next < n && items[next].function == items[i].function;)
			next++;
		if (items[i].function != EDGE_NO_FUNCTION) {
			rc = add_function(items + i, next - i, total, reference, out);
			continue;
		}
		for (size_t k = i; k < next && !rc; k++) {
			struct edge *to = vector_push(&homeless.items);

			if (to)
				*to = items[k];
			else
				rc = -1;
		}
	}
	if (!rc && homeless.items.count)
		rc = add_function(homeless.items.items, homeless.items.count, total, reference,
				  out);
	edges_deinit(&homeless);
	return rc;
}

int edge_score_functions(const struct edges *edges, unsigned reference, struct edge_functions *out)
{
	if (each_function(edges, reference, out))
		return -1;
	vector_sort(&out->items, compare_losses);
	return 0;
}

static int score_functions(const struct edges *edges, unsigned reference, struct edge_score *out)
{
	struct edge_functions functions = {0};
	const struct edge_function *f;
	int rc = each_function(edges, reference, &functions);

	vector_each (&functions.items, f) {
		out->function += fmin(f->share[0], f->share[1]);
		if (f->share[reference] > 0)
			out->within += f->share[reference] * f->within;
	}
	vector_deinit(&functions.items);
	return rc;
}

/* ---- conditional jumps ----------------------------------------------------------------------*/

/* The edges of one conditional jump: how often taken and how often run, on each side. */
static size_t gather(const struct edge *items, size_t count, double taken[2], double run[2])
{
	size_t i = 0;

	taken[0] = taken[1] = run[0] = run[1] = 0;
	for (; i < count && items[i].from == items[0].from; i++)
		for (unsigned side = 0; side < 2; side++) {
			double n = (double)items[i].counts[side];

			if (items[i].kind == EDGE_TAKEN)
				taken[side] += n;
			if (items[i].kind == EDGE_TAKEN || items[i].kind == EDGE_NOT_TAKEN)
				run[side] += n;
		}
	return i;
}

static void score_ratios(const struct edges *edges, unsigned reference, struct edge_score *out)
{
	double taken[2], run[2], error = 0, weight = 0, covered = 0;
	unsigned other = !reference;

	for (size_t i = 0; i < edges->items.count;) {
		i += gather(edges->items.items + i, edges->items.count - i, taken, run);
		weight += run[reference];
		if (run[reference] <= 0 || run[other] <= 0)
			continue;
		covered += run[reference];
		error += run[reference] *
			 fabs(taken[reference] / run[reference] - taken[other] / run[other]);
	}
	out->taken_ratio_error = covered > 0 ? error / covered : NAN;
	out->taken_ratio_covered = weight > 0 ? covered / weight : 0;
}

int edge_score_compare(const struct edges *edges, unsigned reference, struct edge_score *out)
{
	const struct edge *items = edges->items.items;
	size_t count = edges->items.count;

	*out = (struct edge_score){
		.branch = overlap(items, count, TAKEN),
		.edge = overlap(items, count, ALL),
		.call = overlap(items, count, CALLS),
		.jump = overlap(items, count, CONDITIONAL),
	};
	score_ratios(edges, reference, out);
	if (!edges->without_functions)
		return score_functions(edges, reference, out);
	out->edge = out->jump = out->within = out->function = NAN;
	out->taken_ratio_error = NAN;
	return 0;
}
