/* SPDX-License-Identifier: MIT */
/* chase ROUNDS: a linked list through 32 MB, which waits for each of its loads, beside branches on
 * bits. */
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 1 << 23 };

static unsigned *next;

static __attribute__((noinline)) unsigned follow(unsigned at, int n, unsigned *odd)
{
	for (int i = 0; i < n; i++) {
		at = next[at];
		if (at & 1)
			++*odd;
	}
	return at;
}

static __attribute__((noinline)) unsigned bits(unsigned h, int n, unsigned *sum)
{
	for (int i = 0; i < n; i++) {
		h = h * 1103515245u + 12345u;
		if (h & 0x10000)
			++*sum;
		if (h >> 20 & 4)
			*sum += 2;
		else if (h & 0x400)
			*sum ^= h;
	}
	return h;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	unsigned h = 1, at = 0, sum = 0;

	next = malloc(sizeof(*next) * NODES);
	if (!next)
		return 1;
	for (unsigned i = 0; i < NODES; i++)
		next[i] = i;
	for (unsigned i = NODES - 1; i > 0; i--) {
		unsigned k, was = next[i];

		h = h * 1664525u + 1013904223u;
		k = (unsigned)((unsigned long)h * i >> 32);
		next[i] = next[k];
		next[k] = was;
	}
	for (int i = 0; i < rounds; i++) {
		at = follow(at, 100000, &sum);
		h = bits(h, 3000000, &sum);
	}
	printf("%u %u\n", at, sum);
	free(next);
	return 0;
}
