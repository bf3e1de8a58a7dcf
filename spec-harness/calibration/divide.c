/* SPDX-License-Identifier: MIT */
/* divide ROUNDS: divisions of doubles that wait for each other beside a loop of cheap branches. */
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned count;

static __attribute__((noinline)) double divide(double x, int n)
{
	for (int i = 0; i < n; i++) {
		x = 1e6 / (x + 1.25);
		x = x / 1.0001 + 3 / x;
		if (x > 500)
			x = x / 7;
	}
	return x;
}

static __attribute__((noinline)) void tally(int n)
{
	for (int i = 0; i < n; i++) {
		if (i & 1)
			count++;
		if (i % 5 == 0)
			count += 2;
	}
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	double x = 3.7;

	for (int i = 0; i < rounds; i++) {
		x = divide(x, 800000);
		tally(4000000);
	}
	printf("%.6f %u\n", x, count);
	return 0;
}
