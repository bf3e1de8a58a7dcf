/* SPDX-License-Identifier: MIT */
#include "formats/model/branch_details.h"

#include "formats/model/branch_profile.h"

/*
 * The second half of a latency's key: bytes from begin to end (below 2^21), cycles (16 bits),
 * prediction.
 */
#define BYTES_BITS	 21
#define CYCLES_BITS	 16
#define PREDICTION_SHIFT (BYTES_BITS + CYCLES_BITS)

_Static_assert(RANGE_BYTES_MAX < UINT64_C(1) << BYTES_BITS, "a range's length has room in the key");

void branch_details_deinit(struct branch_details *d)
{
	map_deinit(&d->outcomes);
	map_deinit(&d->latencies);
	map_deinit(&d->iterations);
	map_deinit(&d->loads);
	map_deinit(&d->model);
	map_deinit(&d->timed);
	map_deinit(&d->timed_model);
}

int branch_details_add_outcome(struct branch_details *d, uint64_t from, uint64_t to,
			       uint64_t predicted, uint64_t mispredicted)
{
	struct map_entry *e = map_at(&d->outcomes, from, to);

	if (!e)
		return -1;
	e->n += predicted;
	e->m += mispredicted;
	return 0;
}

int branch_details_add_latency(struct map *latencies, const struct branch_latency *l,
			       uint64_t times)
{
	struct map_entry *e;

	if (l->end < l->begin || l->end - l->begin > RANGE_BYTES_MAX)
		return 0;
	e = map_at(latencies, l->begin,
		   (l->end - l->begin) | (uint64_t)l->cycles << BYTES_BITS |
			   (uint64_t)l->before << PREDICTION_SHIFT);
	if (!e)
		return -1;
	e->n += times;
	return 0;
}

int branch_details_add_path(struct map *paths, uint64_t va, uint64_t traces, uint64_t ps)
{
	struct map_entry *e = map_at(paths, va, 0);

	if (!e)
		return -1;
	e->n += traces;
	e->m += ps;
	return 0;
}

struct branch_latency branch_details_latency(const struct map_entry *entry)
{
	return (struct branch_latency){
		.begin = entry->a,
		.end = entry->a + (entry->b & ((UINT64_C(1) << BYTES_BITS) - 1)),
		.cycles = (uint16_t)(entry->b >> BYTES_BITS),
		.before = (enum branch_prediction)(entry->b >> PREDICTION_SHIFT),
	};
}
