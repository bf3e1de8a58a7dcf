/* SPDX-License-Identifier: MIT */
/* Functions that run for longer than any trace, below callers that differ. Frames have no pointers,
 * and one of them is too large for a small copy of the stack. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile unsigned seed; /* no call is like another */

__attribute__((noinline)) static unsigned crunch(unsigned n)
{
	unsigned x = seed;

	for (unsigned i = 0; i < n; i++)
		x = (x * 1664525u + i) ^ (x >> 3 & (x & 1 ? 7 : 9));
	return x;
}

__attribute__((noinline)) static unsigned left(unsigned n)
{
	return crunch(2 * n) + 1;
}

/* Not a loop, for a compiler. */
__attribute__((noinline, noclone)) static unsigned nested(unsigned depth, unsigned n)
{
	unsigned below = depth ? nested(depth - 1, n) : crunch(n);

	return below ^ below >> (depth + 1);
}

__attribute__((noinline)) static unsigned right(unsigned n)
{
	return left(n) + nested(5, 4 * n) + 1;
}

__attribute__((noinline)) static unsigned large(unsigned n)
{
	char room[20000];

	memset(room, (int)seed, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	return crunch(n) + (unsigned)room[n % sizeof(room)];
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 1000000, sum = 0;

	for (unsigned i = 0; i < 10; i++)
		sum += left(n) + right(n) + large(n) + 1;
	printf("%u\n", sum);
	return 0;
}
