/* SPDX-License-Identifier: MIT */
/* remainder ROUNDS: a chain of remainders by a 64-bit divisor beside counting digits. */
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned long sink;

static __attribute__((noinline)) unsigned long powers(unsigned long h, int n)
{
	for (int i = 0; i < n; i++) {
		h = (h * h + (unsigned long)i) % 4294967291ul;
		if (h % 1000003 < 400000)
			h += 17;
	}
	return h;
}

static __attribute__((noinline)) unsigned long digits(int n)
{
	unsigned long sum = 0;

	for (int i = 0; i < n; i++) {
		sum += i & 1 ? 3 : 1;
		if ((i & 0x30) == 0x10)
			sum ^= 5;
		sink = sum;
	}
	return sum;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	unsigned long h = 5, sum = 0;

	for (int i = 0; i < rounds; i++) {
		h = powers(h, 500000);
		sum += digits(6000000);
	}
	printf("%lu %lu\n", h, sum);
	return 0;
}
