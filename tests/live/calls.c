/* SPDX-License-Identifier: MIT */
/* Calls of known shares: main calls two functions in turn, which call others, themselves and an
 * inlined one. */
#include <stdio.h>
#include <stdlib.h>

static unsigned mix(unsigned x)
{
	for (int i = 0; i < 4; i++)
		x = (x * 1664525u + 1013904223u) ^ (x >> 3 & (x & 1 ? 7 : 9));
	return x;
}

__attribute__((noinline)) static unsigned leaf(unsigned n)
{
	unsigned sum = n;

	for (unsigned i = 0; i < 4; i++)
		sum += (sum ^ i) & 3 ? mix(i + sum) : i;
	return sum;
}

/* 15 leaves below it. */
__attribute__((noinline)) static unsigned tree(unsigned depth, unsigned n)
{
	if (depth == 0)
		return leaf(n);
	return leaf(n) + tree(depth - 1, n + 1) + tree(depth - 1, n + 2);
}

__attribute__((noinline)) static unsigned flat(unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < 24; i++)
		sum += leaf(n + i);
	return sum;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 100000, sum = 0;

	for (unsigned i = 0; i < rounds; i++) {
		sum += tree(2, i);
		sum += flat(sum);
	}
	printf("%u\n", sum);
	return 0;
}
