/* SPDX-License-Identifier: MIT */
#include "collector/recorder/chunk_walk.h"

#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"
#include "collector/shared/session.h"
#include "collector/shared/shared_bytes.h"

/* Read the headers of @count chunks, at most SHARED_BYTES_PARTS, whose indices @index_of gives; how
 * many are there. The kernel copies one after the other, each by words. */
static size_t look_at(const struct chunk_walk *w, struct chunk_header *headers, size_t count,
		      uint32_t (*index_of)(const struct chunk_walk *w, size_t i), size_t from)
{
	struct iovec places[SHARED_BYTES_PARTS];

	for (size_t i = 0; i < count; i++)
		places[i] = (struct iovec){
			(void *)(w->chunks + (size_t)index_of(w, from + i) * w->chunk_bytes),
			sizeof(headers[0])};
	return shared_bytes_gather(headers, count * sizeof(headers[0]), places, count) /
	       sizeof(headers[0]);
}

static uint32_t by_place(const struct chunk_walk *w, size_t i)
{
	return w->indices ? w->indices[i] : (uint32_t)i;
}

/* The newest first. */
static uint32_t by_age(const struct chunk_walk *w, size_t i)
{
	return w->stops.items[w->stops.count - 1 - i].index;
}

static size_t part_of(size_t count, size_t from)
{
	return count - from < SHARED_BYTES_PARTS ? count - from : SHARED_BYTES_PARTS;
}

/* Of a process that keeps to the rules, numbers are different and less than `taken`. */
static int compare(const void *a, const void *b)
{
	const struct chunk_walk_stop *x = a, *y = b;

	if (x->age != y->age)
		return x->age < y->age ? -1 : 1;
	return x->index < y->index ? -1 : x->index != y->index;
}

static int take_chunk(struct chunk_walk *w, uint32_t index, const struct chunk_header *c,
		      struct softlbr_error *e)
{
	int32_t age = (int32_t)(c->number - w->taken); /* wraps as the numbers do */
	struct chunk_walk_stop *stop;
	uint32_t *used;

	if (c->state == CHUNK_FREE)
		return 0;
	used = vector_push(&w->in_use);
	if (!used)
		return error_set_nomem(e);
	*used = index;
	if ((c->state == CHUNK_OWNED && !c->used) || age >= 0)
		return 0;
	stop = vector_push(&w->stops);
	if (!stop)
		return error_set_nomem(e);
	*stop = (struct chunk_walk_stop){.index = index, .age = age};
	return 0;
}

/*
 * The chunks in use, in the order in which they were taken, so that records of a thread stand in
 * the file in the order in which it wrote them. Those that are taken from now on are for the next
 * time: one may be found by this walk while the thread's older one was passed before it had a
 * record. The newest is looked at first: what a thread wrote before is then seen in its older chunk
 * too.
 */
int chunk_walk_find(struct chunk_walk *w, struct softlbr_error *e)
{
	struct chunk_header headers[SHARED_BYTES_PARTS];

	w->stops.count = w->in_use.count = 0;
	for (size_t from = 0, n; from < w->count; from += n) {
		n = look_at(w, headers, part_of(w->count, from), by_place, from);
		for (size_t i = 0; i < n; i++)
			if (take_chunk(w, by_place(w, from + i), &headers[i], e))
				return -SOFTLBR_E_SYSTEM;
		if (!n)
			break; /* the file was made shorter */
	}
	vector_sort(&w->stops, compare);
	for (size_t from = 0, n; from < w->stops.count; from += n) {
		n = look_at(w, headers, part_of(w->stops.count, from), by_age, from);
		for (size_t i = 0; i < n; i++) {
			struct chunk_walk_stop *stop =
				&w->stops.items[w->stops.count - 1 - from - i];

			/* The words of a header are copied in no order: a number that was not seen
			 * together with what it numbers is seen now, behind the barriers of another
			 * system call. Then the next walk takes the chunk. */
			bool same = (int32_t)(headers[i].number - w->taken) == stop->age;

			stop->state = same ? headers[i].state : CHUNK_FREE;
			stop->used = headers[i].used;
		}
		if (!n)
			break;
	}
	return 0;
}

void chunk_walk_deinit(struct chunk_walk *w)
{
	vector_deinit(&w->in_use);
	vector_deinit(&w->stops);
}
