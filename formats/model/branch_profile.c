/* SPDX-License-Identifier: MIT */
#include "formats/model/branch_profile.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

void branch_profile_deinit(struct branch_profile *p)
{
	memory_free(p->path);
	map_deinit(&p->branches);
	map_deinit(&p->ranges);
	map_deinit(&p->samples);
	*p = (struct branch_profile){0};
}

int branch_profile_add_branch(struct branch_profile *p, uint64_t from, uint64_t to, uint64_t count,
			      uint64_t mispredicted)
{
	return map_add(&p->branches, from, to, count, mispredicted);
}

int branch_profile_add_range(struct branch_profile *p, uint64_t begin, uint64_t end, uint64_t count)
{
	return map_add(&p->ranges, begin, end, count, 0);
}

int branch_profile_add_sample(struct branch_profile *p, uint64_t ip, uint64_t count)
{
	return map_add(&p->samples, ip, 0, count, 0);
}

int branch_profile_add_event(struct branch_profile *p, uint64_t ip, uint64_t event, uint64_t count,
			     uint64_t samples)
{
	return map_add(&p->samples, ip, event, count, samples);
}

static uint64_t difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* *clamped grows by what of @other was more than there is. */
static int subtract(struct map *m, const struct map *other, uint64_t *clamped)
{
	struct map left = {0};
	struct map_entry *i;

	for (i = NULL; (i = map_next(other, i));) {
		const struct map_entry *mine = map_find(m, i->a, i->b);

		if (__builtin_add_overflow(*clamped, difference(i->n, mine ? mine->n : 0), clamped))
			*clamped = UINT64_MAX;
	}
	for (i = NULL; (i = map_next(m, i));) {
		const struct map_entry *theirs = map_find(other, i->a, i->b);
		uint64_t n = difference(i->n, theirs ? theirs->n : 0);
		struct map_entry *e = n ? map_at(&left, i->a, i->b) : NULL;

		if (n && !e) {
			map_deinit(&left);
			return -1;
		}
		if (!e)
			continue;
		e->n = n;
		e->m = difference(i->m, theirs ? theirs->m : 0);
	}
	map_deinit(m);
	*m = left;
	return 0;
}

int branch_profile_subtract(struct branch_profile *p, const struct branch_profile *other,
			    struct branch_profile_clamped *clamped)
{
	return subtract(&p->branches, &other->branches, &clamped->branches) ||
			       subtract(&p->ranges, &other->ranges, &clamped->ranges) ||
			       subtract(&p->samples, &other->samples, &clamped->samples)
		       ? -1
		       : 0;
}

bool branch_profile_same_build(const struct build_id *a, const struct build_id *b)
{
	const struct build_id *longer = a->size < b->size ? b : a, *shorter = longer == a ? b : a;

	if (!shorter->size || memcmp(a->bytes, b->bytes, shorter->size))
		return false;
	if (longer->size != shorter->size && longer->size != sizeof(longer->bytes))
		return false;
	for (unsigned i = shorter->size; i < longer->size; i++)
		if (longer->bytes[i])
			return false;
	return true;
}

void branch_profile_build_id_text(const struct build_id *id, char *text)
{
	if (!id->size)
		strcpy(text, "unknown");
	for (unsigned i = 0; i < id->size && i < sizeof(id->bytes); i++)
		sprintf(text + 2 * i, "%02x", id->bytes[i]);
}

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
	return map_add(&d->outcomes, from, to, predicted, mispredicted);
}

int branch_details_add_latency(struct map *latencies, const struct branch_latency *l,
			       uint64_t times)
{
	if (l->end < l->begin || l->end - l->begin > RANGE_BYTES_MAX)
		return 0;
	return map_add(latencies, l->begin,
		       (l->end - l->begin) | (uint64_t)l->cycles << BYTES_BITS |
			       (uint64_t)l->before << PREDICTION_SHIFT,
		       times, 0);
}

int branch_details_add_path(struct map *paths, uint64_t va, uint64_t traces, uint64_t ps)
{
	return map_add(paths, va, 0, traces, ps);
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
