/* SPDX-License-Identifier: MIT */
/* habits N: what the compiler leaves little of: two conditions that are one test, loops that are
 * one store, calls of which one does the work of two, conditions that are an addition of the carry.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 64

static unsigned long words[WORDS];

static void __attribute__((noinline)) flip(unsigned first, unsigned second, unsigned target)
{
	for (int i = 0; i < WORDS; i++)
		if (words[i] & 1ul << first)
			if (words[i] & 1ul << second)
				words[i] ^= 1ul << target;
}

struct queue {
	unsigned entries[4], kept[4], lost;
};

static void __attribute__((noinline)) push(struct queue *q, unsigned value)
{
	for (int i = 3; i > 0; i--)
		q->entries[i] = q->entries[i - 1];
	q->entries[0] = value;
	for (int i = 0; i != 4; i++)
		q->kept[i] = q->entries[i];
	if (value < q->lost)
		q->lost--;
}

struct table {
	unsigned count;
	unsigned *items;
};

static void grow(struct table *t, unsigned count)
{
	unsigned *items = calloc(count, sizeof(*items));

	if (!items)
		abort();
	memcpy(items, t->items, t->count * sizeof(*items));
	free(t->items);
	t->items = items;
	t->count = count;
}

/* Too long to be inlined before gcc counts, and inlined after that. */
static inline unsigned *at(struct table *t, unsigned i)
{
	if (i >= t->count) {
		grow(t, i + 1);
		if (t->count > 100000)
			fprintf(stderr, "%u entries of %p\n", t->count, (void *)t->items);
	}
	return &t->items[i];
}

static void __attribute__((noinline)) count(struct table *t, unsigned i)
{
	*at(t, i) += i;
	*at(t, i) ^= *at(t, i) >> 3;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
	struct queue q = {.lost = 1000};
	struct table t = {0};
	unsigned long seed = 1, sum = 0;

	for (unsigned i = 0; i < n; i++) {
		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
		words[i % WORDS] = seed;
		if (i % 16 == 0)
			flip(seed >> 40 & 63, seed >> 48 & 63, seed >> 56 & 63);
		push(&q, (unsigned)(seed >> 33));
		count(&t, seed >> 58);
		sum += q.kept[2] + *at(&t, i & 31);
	}
	printf("%lu %u\n", sum + words[3], q.lost);
	return 0;
}
