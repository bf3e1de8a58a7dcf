/* SPDX-License-Identifier: MIT */
/* One of two programs: it sorts, or makes hash numbers. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "size.h"

void work_sort(uint32_t *values, size_t n);
uint32_t work_hash(const uint32_t *values, size_t n, int rounds);

int main(int argc, char **argv)
{
	static uint32_t values[SIZE];
	size_t n = sizeof(values) / sizeof(values[0]);
	uint32_t x = 1, sum = 0;

	for (int round = argc > 1 ? atoi(argv[1]) : 1; round--;) {
		for (size_t i = 0; i < n; i++)
			values[i] = x = x * 1664525 + 1013904223;
#ifdef SORTS
		work_sort(values, n);
		sum += values[n / 2];
#else
		sum += work_hash(values, n, 300);
#endif
	}
	printf("%u\n", sum);
	return 0;
}
