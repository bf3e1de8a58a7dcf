/* SPDX-License-Identifier: MIT */
/* roots ROUNDS: square roots that wait for each other beside a state machine over bytes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned char bytes[4096];

static __attribute__((noinline)) double roots(double x, int n)
{
	for (int i = 0; i < n; i++) {
		x = sqrt(x + i) + sqrt(x);
		if (x > 900)
			x -= 870;
	}
	return x;
}

static __attribute__((noinline)) unsigned scan(unsigned state, int n)
{
	for (int i = 0; i < n; i++)
		for (unsigned k = 0; k < sizeof(bytes); k++)
			switch ((state ^ bytes[k]) & 3) {
			case 0:
				state += 5;
				break;
			case 1:
				state = state >> 1 | 64;
				break;
			case 2:
				state ^= bytes[k];
				break;
			default:
				state -= 3;
			}
	return state;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	double x = 2;
	unsigned state = 1;

	for (unsigned i = 0, h = 1; i < sizeof(bytes); i++, h = h * 1103515245 + 12345)
		bytes[i] = h >> 24 & 31;
	for (int i = 0; i < rounds; i++) {
		x = roots(x, 700000);
		state = scan(state, 500);
	}
	printf("%.6f %u\n", x, state);
	return 0;
}
