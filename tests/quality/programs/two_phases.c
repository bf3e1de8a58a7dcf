/* SPDX-License-Identifier: MIT */
/* Two long phases in turn, that share a helper: a chase of pointers through 16 MiB, which misses
 * the caches at each step, and arithmetic in registers. two_phases STEPS */
#include <stdio.h>
#include <stdlib.h>

#define PLACES (1u << 22)

static unsigned *next;
static unsigned long sum;

__attribute__((noinline)) static unsigned helper(unsigned x)
{
	return x & 1 ? x * 3 + 1 : x >> 1;
}

__attribute__((noinline)) static void chase(long steps)
{
	unsigned at = 0;

	while (steps--) {
		at = next[at];
		if ((at & 7) == 3)
			sum += helper(at);
	}
	sum += at;
}

__attribute__((noinline)) static void compute(long steps)
{
	unsigned x = 12345;

	while (steps--) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		if (x & 16)
			sum += helper(x);
		else
			sum ^= x;
	}
}

/* One cycle through all places (Sattolo). */
static void shuffle(void)
{
	unsigned random = 1;

	for (unsigned i = 0; i < PLACES; i++)
		next[i] = i;
	for (unsigned i = PLACES - 1; i; i--) {
		unsigned other, kept = next[i];

		random = random * 1664525u + 1013904223u;
		other = (unsigned)((unsigned long)random * i >> 32);
		next[i] = next[other];
		next[other] = kept;
	}
}

int main(int argc, char **argv)
{
	long steps = argc > 1 ? atol(argv[1]) : 1000000;

	next = malloc(PLACES * sizeof(*next));
	if (!next)
		return 1;
	shuffle();
	for (int round = 0; round < 4; round++) {
		chase(steps);
		compute(steps * 4);
	}
	printf("%lu\n", sum);
	return 0;
}
