/* SPDX-License-Identifier: MIT */
#include "collector/recorder/splits.h"

#include <math.h>

#include "base/memory.h"

/* A trace that stands for more branches than seconds can have was not written by us. */
#define WEIGHT_MOST 1e11
/* Estimated when there are so many more traces. */
#define GROWTH 16u

/* splitmix64: equal distances of time are no pattern of halves; records of one trace, if another
 * thread's came between, are in the same half */
static unsigned draw(uint32_t thread, uint64_t time_ns)
{
	uint64_t z = time_ns + (thread + 1) * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (unsigned)(z >> 32);
}

static void scale(struct splits *h, double by)
{
	struct splits_count *c;

	vector_each (&h->counts, c) {
		c->all *= by;
		for (unsigned i = 0; i < SPLITS_WAYS; i++)
			c->first[i] *= by;
	}
}

static double overlap(const struct splits *h, unsigned split)
{
	double all = 0, first = 0, sum = 0;
	const struct splits_count *c;

	vector_each (&h->counts, c) {
		all += c->all;
		first += c->first[split];
	}
	if (first <= 0 || first >= all)
		return 0;
	vector_each (&h->counts, c) {
		double a = c->first[split] / first, b = (c->all - c->first[split]) / (all - first);

		sum += a < b ? a : b;
	}
	return sum;
}

static void look(struct splits *h)
{
	if (h->traces < SPLITS_TRACES_LEAST || h->traces - h->looked_at < h->looked_at / GROWTH)
		return;
	h->before = h->overlap;
	h->overlap = 0;
	for (unsigned i = 0; i < SPLITS_WAYS; i++)
		h->overlap += overlap(h, i) / SPLITS_WAYS;
	h->looked_at = h->traces;
}

void splits_begin(struct splits *h, uint32_t thread, uint64_t time_ns, uint64_t weight)
{
	double heavy = (double)weight < WEIGHT_MOST ? (double)weight : WEIGHT_MOST;

	look(h);
	if (weight && !h->rated)
		scale(h, heavy);
	h->rated += weight > 0;
	h->weights += heavy;
	if (!weight)
		heavy = h->rated ? h->weights / (double)h->rated : 1;
	h->traces++;
	h->weight = heavy;
	h->sides = draw(thread, time_ns);
}

int splits_add(struct splits *h, uint64_t number)
{
	struct splits_count *c;

	while (h->counts.count <= number)
		if (!vector_push(&h->counts))
			return -1;
	c = &h->counts.items[number];
	c->all += h->weight;
	for (unsigned i = 0; i < SPLITS_WAYS; i++)
		c->first[i] += h->sides >> i & 1 ? h->weight : 0;
	return 0;
}

double splits_noise(const struct splits *h)
{
	double least = h->overlap < h->before ? h->overlap : h->before;

	return h->before > 0 ? (1 - least) / 2 : NAN;
}

void splits_deinit(struct splits *h)
{
	vector_deinit(&h->counts);
}
