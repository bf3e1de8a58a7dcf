/* SPDX-License-Identifier: MIT */
#include "collector/recorder/halves.h"

#include <math.h>

/* A trace that stands for more branches than a second can have was not written by us. */
#define WEIGHT_MOST (UINT64_C(1) << 34)
/* Estimated when there are so many more traces. */
#define GROWTH 16u

/* splitmix64's last step: equal distances of time are no pattern of halves */
unsigned halves_of(uint32_t thread, uint64_t time_ns)
{
	uint64_t z = time_ns + thread * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (unsigned)(z >> 63);
}

static void scale(struct map *counts, uint64_t by)
{
	struct map_entry *e = NULL;

	while ((e = map_next(counts, e))) {
		e->n *= by;
		e->m *= by;
	}
}

uint64_t halves_weight(struct halves *h, struct map *counts, uint64_t weight)
{
	if (weight > WEIGHT_MOST)
		weight = WEIGHT_MOST;
	if (weight && !h->rated)
		scale(counts, weight);
	h->traces++;
	if (weight) {
		h->rated++;
		h->weights += (double)weight;
		return weight;
	}
	return h->rated ? (uint64_t)(h->weights / (double)h->rated) : 1;
}

static double lesser(double a, double b)
{
	return a < b ? a : b;
}

static double overlap(const struct map *counts)
{
	double sums[2] = {0}, sum = 0;
	struct map_entry *e = NULL;

	while ((e = map_next(counts, e))) {
		sums[0] += (double)e->n;
		sums[1] += (double)e->m;
	}
	if (sums[0] <= 0 || sums[1] <= 0)
		return 0;
	while ((e = map_next(counts, e)))
		sum += lesser((double)e->n / sums[0], (double)e->m / sums[1]);
	return sum;
}

void halves_look(struct halves *h, const struct map *counts)
{
	if (h->traces < HALVES_TRACES_LEAST || h->traces - h->looked_at < h->looked_at / GROWTH)
		return;
	h->before = h->overlap;
	h->overlap = overlap(counts);
	h->looked_at = h->traces;
}

double halves_noise(const struct halves *h)
{
	if (!h->looked_at)
		return NAN;
	return (1 - lesser(h->overlap, h->before)) / 2;
}
