/* SPDX-License-Identifier: MIT */
#include "compare/confidence.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

#define PARTS		 16
#define SPLITS		 8 /* into halves */
#define REPLICATES	 200
#define REPLICATES_LEAST 20
/* The most edges in all replicates together. Large programs get fewer replicates: their many edges
 * say as much. */
#define EDGES_MOST 20000000
/* 95 % of a normal distribution are within so many standard deviations. */
#define DEVIATIONS 1.96

struct estimator {
	struct diff *d;
	struct edges edges;	    /* the diff's, with counts of a replicate */
	uint64_t *counts[2][PARTS]; /* of each edge; NULL for a side that is not of samples */
	uint64_t random;
	unsigned replicates;
};

/* splitmix64, always from the same seed: the same files, the same interval */
static uint64_t draw(struct estimator *x)
{
	uint64_t z = x->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static int count_parts(struct estimator *x, unsigned side, struct softlbr_error *e)
{
	const struct side *c = &x->d->sides[side];
	int rc = 0;

	for (unsigned part = 0; part < PARTS && !rc; part++) {
		struct branch_profile p = {0};

		x->counts[side][part] = memory_alloc_array(x->edges.items.count + 1,
							   sizeof(uint64_t));
		rc = x->counts[side][part] ? 0 : error_set_nomem(e);
		if (!rc)
			rc = side_read_part(c, x->d->binary, PARTS, part, &p, e);
		if (!rc)
			rc = edges_count(&x->edges, &p, x->counts[side][part], e);
		branch_profile_deinit(&p);
	}
	return rc;
}

/* Let side @to of the edges be the sum of @side's parts, each so many times. */
static void sum_up(struct estimator *x, unsigned to, unsigned side,
		   const unsigned char times[PARTS])
{
	for (size_t i = 0; i < x->edges.items.count; i++) {
		uint64_t sum = 0;

		for (unsigned part = 0; part < PARTS; part++)
			sum += times[part] * x->counts[side][part][i];
		x->edges.items.items[i].counts[to] = sum;
	}
}

static int score(struct estimator *x, double scores[DIFF_LEVELS])
{
	struct edge_score s;

	for (int level = 0; level < DIFF_LEVELS; level++)
		scores[level] = NAN;
	if (edge_score_compare(&x->edges, x->d->reference, &s))
		return -1;
	edge_score_levels(&s, scores);
	return 0;
}

/* The overlap of a side's one half with its other, halved at random. */
static int score_halves(struct estimator *x, unsigned side, double scores[DIFF_LEVELS])
{
	unsigned char half[PARTS] = {0}, other[PARTS];
	unsigned chosen = 0;

	while (chosen < PARTS / 2) {
		unsigned part = draw(x) % PARTS;

		chosen += !half[part];
		half[part] = 1;
	}
	for (unsigned part = 0; part < PARTS; part++)
		other[part] = !half[part];
	sum_up(x, 0, side, half);
	sum_up(x, 1, side, other);
	return score(x, scores);
}

/* On average over several ways to halve it; NaN at levels that the side has nothing of. */
static int score_splits(struct estimator *x, unsigned side, double means[DIFF_LEVELS])
{
	double scores[DIFF_LEVELS];

	for (int level = 0; level < DIFF_LEVELS; level++)
		means[level] = 0;
	for (unsigned split = 0; split < SPLITS; split++) {
		if (score_halves(x, side, scores))
			return -1;
		for (int level = 0; level < DIFF_LEVELS; level++)
			means[level] += scores[level] / SPLITS;
	}
	return 0;
}

/*
 * The overlap that noise costs falls with the square root of the number of samples, and two halves
 * miss each other by twice as much as the whole misses the truth. Two sides' noises add up in
 * squares.
 */
static int find_ceilings(struct estimator *x)
{
	double squares[DIFF_LEVELS] = {0}, scores[DIFF_LEVELS];

	for (unsigned side = 0; side < 2; side++) {
		if (!x->counts[side][0])
			continue;
		if (score_splits(x, side, scores))
			return -1;
		for (int level = 0; level < DIFF_LEVELS; level++)
			squares[level] += pow((1 - scores[level]) / 2, 2);
	}
	for (int level = 0; level < DIFF_LEVELS; level++)
		x->d->confidence[level].ceiling = 1 - sqrt(squares[level]);
	return 0;
}

static void replicate(struct estimator *x)
{
	for (unsigned side = 0; side < 2; side++) {
		unsigned char times[PARTS] = {0};

		for (unsigned part = 0; part < PARTS; part++)
			times[draw(x) % PARTS]++;
		if (x->counts[side][0]) {
			sum_up(x, side, side, times);
			continue;
		}
		for (size_t i = 0; i < x->edges.items.count; i++)
			x->edges.items.items[i].counts[side] =
				x->d->edges.items.items[i].counts[side];
	}
}

/* The scores' standard deviation; drawing adds noise, so that their mean is not the score. */
static int find_intervals(struct estimator *x)
{
	double sums[DIFF_LEVELS] = {0}, squares[DIFF_LEVELS] = {0}, scores[DIFF_LEVELS];

	for (unsigned n = 0; n < x->replicates; n++) {
		replicate(x);
		if (score(x, scores))
			return -1;
		for (int level = 0; level < DIFF_LEVELS; level++) {
			sums[level] += scores[level];
			squares[level] += scores[level] * scores[level];
		}
	}
	for (int level = 0; level < DIFF_LEVELS; level++) {
		struct diff_confidence *c = &x->d->confidence[level];
		double mean = sums[level] / x->replicates;
		double variance = fmax(0, squares[level] / x->replicates - mean * mean);
		double reach = DEVIATIONS * sqrt(variance * PARTS / (PARTS - 1));

		if (isnan(mean) || isnan(x->d->scores[level]))
			continue;
		c->low = fmax(0, x->d->scores[level] - reach);
		c->high = fmin(1, x->d->scores[level] + reach);
	}
	return 0;
}

/* Cut what is of samples into parts; x->edges become a copy of the diff's. */
static int start_estimate(struct estimator *x, struct softlbr_error *e)
{
	const struct edges *edges = &x->d->edges;
	const struct edge *edge;
	int rc = 0;

	x->edges.without_returns = edges->without_returns;
	x->edges.without_functions = edges->without_functions;
	if (vector_reserve(&x->edges.items, edges->items.count))
		return error_set_nomem(e);
	vector_each (&edges->items, edge)
		x->edges.items.items[x->edges.items.count++] = *edge;
	for (unsigned side = 0; side < 2 && !rc; side++)
		if (side_is_sampled(&x->d->sides[side]))
			rc = count_parts(x, side, e);
	return rc;
}

int confidence_estimate(struct diff *d, struct softlbr_error *e)
{
	struct estimator x = {.d = d, .random = 1, .replicates = REPLICATES};
	int rc;

	if (!side_is_sampled(&d->sides[0]) && !side_is_sampled(&d->sides[1]))
		return 0;
	if (d->edges.items.count > EDGES_MOST / REPLICATES)
		x.replicates = EDGES_MOST / (unsigned)d->edges.items.count;
	if (x.replicates < REPLICATES_LEAST)
		x.replicates = REPLICATES_LEAST;
	rc = start_estimate(&x, e);
	if (!rc && (find_ceilings(&x) || find_intervals(&x)))
		rc = error_set_nomem(e);
	for (unsigned part = 0; part < PARTS; part++) {
		memory_free(x.counts[0][part]);
		memory_free(x.counts[1][part]);
	}
	edges_deinit(&x.edges);
	return rc;
}

double confidence_times_longer(const struct diff *d, enum diff_level level)
{
	double missed = 1 - d->confidence[level].ceiling;

	return isnan(missed) ? NAN : fmax(1, pow(missed / 0.01, 2));
}

double confidence_seconds_to(const struct side *c, double share, double target)
{
	uint64_t ns = c->funnel.last_ns - c->funnel.first_ns;

	return ns && share > 0 ? (double)ns / 1e9 * pow(share / target, 2) : NAN;
}

void confidence_of_share(uint64_t part, uint64_t whole, double *low, double *high)
{
	const double z =
		1.959964; /* standard deviations that 95 % of a normal distribution are in */
	double n = (double)whole, p = (double)part / n;
	double centre = p + z * z / (2 * n);
	double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
	double scale = 1 + z * z / n;

	*low = part ? fmax(0, (centre - half) / scale) : 0;
	*high = part < whole ? fmin(1, (centre + half) / scale) : 1;
}
