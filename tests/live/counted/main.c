/* SPDX-License-Identifier: MIT */
/* main N: what tests/live/counters.sh counts: a program of three objects, one of them in a library.
 */
#include <stdio.h>
#include <stdlib.h>

#include "counted.h"

#define OPERATION(seed, k) \
	((unsigned char)(((seed) >> ((k)&15)) % 10 < 6 ? 0 : ((seed) >> ((k)&7)) % 4))

/* Another one than that of words.c. */
static int pick(unsigned x)
{
	if (x % 7 == 0)
		return (int)mix(x) & 15;
	return (int)(x & 3);
}

int main(int argc, char **argv)
{
	unsigned n = (unsigned)atoi(argv[1]), seed = 1, odd = 0;
	unsigned char code[64];
	long sum = 0;

	for (unsigned i = 0; i < n; i++) {
		seed = seed * 1103515245 + 12345;
		for (unsigned k = 0; k < sizeof(code) - 1; k++)
			code[k] = OPERATION(seed, k);
		code[sizeof(code) - 1] = 4;
		sum += run(code, (int)(seed >> 16 & 31) + 40);
		sum += sort_of(seed >> 10);
		sum += (int)hash((const char *)code, sizeof(code) - 1);
		sum += pick(seed >> 8);
		sum += turned(seed << 7, &odd);
		if (argc > 5)
			sum += never((int)seed);
	}
	printf("%ld\n", sum);
	return 0;
}

/* It never runs. */
int main_never(int x);
int main_never(int x)
{
	return x > 3 ? x * 5 : x - 1;
}
