/* SPDX-License-Identifier: MIT */
/*
 * Counting steps of control flow: a taken branch and the branch that was taken after it, which is
 * all that a stack says about one of its entries: (from, to) is a branch, (to, next) a range. One
 * look-up per entry instead of two. Open addressing; memory is linear in the number of distinct
 * steps.
 *
 * What hardware says of steps beside that they were made: counted as outcomes and latencies.
 */
#pragma once

#include <stddef.h>

#include "base/order.h"
#include "formats/model/branch_profile.h"

struct step {
	uint64_t from, to;
	uint64_t next;	   /* `from` of the branch after it; STEP_LAST if there is none */
	uint64_t n;	   /* times; 0 = a free place */
	uint64_t first_ns; /* when it was made first, on the recording's clock; 0 = not known */
};

#define STEP_LAST UINT64_MAX

struct steps {
	struct step *items;
	size_t count;
	size_t room;	 /* for so many without growing */
	size_t capacity; /* 0 or a power of two */
	unsigned shift;	 /* 64 - log2(capacity) */
};

/* Tables of a lower capacity stay in the caches: what is larger is faster in batches. */
#define STEPS_SMALL 4096

/* Start zeroed; frees. */
void steps_deinit(struct steps *s);
/* Make more room: 0, or -1 without memory. */
int steps_grow(struct steps *s);

static inline size_t steps_place(const struct steps *s, const struct step *k)
{
	uint64_t h = (k->from + (k->to << 23 | k->to >> 41)) * 0x9e3779b97f4a7c15u;

	h = (h ^ h >> 32 ^ k->next) * 0xc2b2ae3d27d4eb4fu;
	return (size_t)(h >> s->shift);
}

/* Where @k is or belongs, looking from @i on. */
static inline struct step *steps_find(const struct steps *s, const struct step *k, size_t i)
{
	struct step *at = &s->items[i];

	while (at->n && (at->from != k->from || at->to != k->to || at->next != k->next)) {
		i = (i + 1) & (s->capacity - 1);
		at = &s->items[i];
	}
	return at;
}

/* Count a step in its place. */
static inline void steps_count(struct steps *s, struct step *at, const struct step *k)
{
	if (!at->n) {
		*at = *k;
		at->n = 0;
		s->count++;
	}
	at->n += k->n;
	at->first_ns = order_least_known(at->first_ns, k->first_ns);
}

/* Count one step, of which n is how often: 0, or -1 without memory. */
static inline int steps_add_one(struct steps *s, const struct step *k)
{
	if (s->count >= s->room && steps_grow(s))
		return -1;
	steps_count(s, steps_find(s, k, steps_place(s, k)), k);
	return 0;
}

/* The same of @count steps. */
int steps_add(struct steps *s, const struct step *items, size_t count);
/* Add the counts of @from; 0, or -1 without memory. */
int steps_merge(struct steps *s, const struct steps *from);
/* for (const struct step *i = NULL; (i = steps_next(s, i));) -- in arbitrary order */
const struct step *steps_next(const struct steps *s, const struct step *previous);

/* What a recording tells of one step. */
struct step_told {
	uint16_t cycles;    /* from its branch to the next one; 0 = not known */
	uint8_t prediction; /* enum branch_prediction: of its branch */
};

/* Count what is told of @count steps: 0, or -1 without memory. */
int step_details_add(struct branch_details *d, const struct step *steps,
		     const struct step_told *told, size_t count);
/* Add what step_details_add counted in @from: 0, or -1 without memory. */
int step_details_merge(struct branch_details *d, const struct branch_details *from);
