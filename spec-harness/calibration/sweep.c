/* SPDX-License-Identifier: MIT */
/* sweep ROUNDS: a sweep over 64 MB, which waits for memory, beside sorting in the cache. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 1 << 23, KEYS = 2000 };

static double *cells;
static unsigned keys[KEYS];

static __attribute__((noinline)) double sweep(void)
{
	double sum = 0;

	for (int i = 8; i < CELLS - 8; i += 8) {
		double v = cells[i - 8] * 0.25 + cells[i] * 0.5 + cells[i + 8] * 0.25;

		if (v > 0.6)
			v -= 0.1;
		cells[i] = v;
		sum += v;
	}
	return sum;
}

static __attribute__((noinline)) unsigned insertion(unsigned h)
{
	for (int i = 0; i < KEYS; i++) {
		unsigned key = h = h * 1664525 + 1013904223, k = (unsigned)i;

		while (k && keys[k - 1] > key) {
			keys[k] = keys[k - 1];
			k--;
		}
		keys[k] = key;
	}
	return h;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	double sum = 0;
	unsigned h = 7;

	cells = malloc(sizeof(*cells) * CELLS);
	if (!cells)
		return 1;
	for (int i = 0; i < CELLS; i++)
		cells[i] = (double)(i * 7919u % 1000) / 1000;
	for (int i = 0; i < rounds; i++) {
		sum += sweep();
		for (int k = 0; k < 12; k++)
			h = insertion(h);
	}
	printf("%.3f %u\n", sum, h);
	free(cells);
	return 0;
}
