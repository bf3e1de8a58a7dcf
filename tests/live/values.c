/* SPDX-License-Identifier: MIT */
/*
 * Values with known shares: a copy of 16 bytes in nine of ten runs, else of 37; a division by 64 in
 * 95 %, else by 7; a call through a pointer, and a jump through it at a function's end, that go to
 * one function in 80 %; a jump through a table, which calls nothing. Prints how often each ran:
 * values ROUNDS.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

static char from[64], to[64];
static uint64_t state = 88172645463325252u;

static uint32_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32);
}

NOINLINE void copy(char *out, const char *in, size_t bytes)
{
	memcpy(out, in, bytes);
	__asm__ volatile("" ::: "memory");
}

/* a jump to the PLT */
NOINLINE void *copy_last(char *out, const char *in, size_t bytes)
{
	return memcpy(out, in, bytes);
}

NOINLINE uint64_t divide(uint64_t a, uint64_t b)
{
	return a / b;
}

NOINLINE static int often(int a)
{
	__asm__ volatile("");
	return a + 1;
}

NOINLINE static int seldom(int a)
{
	__asm__ volatile("");
	return a - 1;
}

static int (*volatile functions[2])(int) = {often, seldom};

NOINLINE int call(unsigned which, int a)
{
	return functions[which](a) * 2;
}

/* a jump through a register */
NOINLINE int call_last(unsigned which, int a)
{
	return functions[which](a + 1);
}

/* a jump through a table, with the stack as at the function's entry, too */
NOINLINE int choose(unsigned which, int a)
{
	switch (which) {
	case 0:
		return a * 3;
	case 1:
		return a / 3;
	case 2:
		return a ^ 12345;
	case 3:
		return a << 3 | 5;
	case 4:
		__asm__ volatile("");
		return -a;
	default:
		return a & 0xffff;
	}
}

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
	uint64_t sum = 0, copies = 0, divisions = 0, calls = 0;

	for (uint64_t i = 0; i < rounds; i++) {
		size_t bytes = draw() % 10 ? 16 : 37;
		uint64_t divisor = draw() % 100 < 95 ? 64 : 7;
		unsigned which = draw() % 10 >= 8;

		copies += bytes == 16;
		divisions += divisor == 64;
		calls += !which;
		copy(to, from, bytes);
		sum += copy_last(to, from, bytes) == from;
		sum += divide(state, divisor) + (uint64_t)call(which, (int)i);
		sum += (uint64_t)call_last(which, (int)i) + (uint64_t)choose(i % 6, (int)i);
	}
	printf("%.4f %.4f %.4f %llu\n", 100.0 * (double)copies / (double)rounds,
	       100.0 * (double)divisions / (double)rounds, 100.0 * (double)calls / (double)rounds,
	       (unsigned long long)sum);
	return 0;
}
