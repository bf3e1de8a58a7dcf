/* SPDX-License-Identifier: MIT */
/*
 * cycle COUNT: do the same some thousand branches COUNT times: calls through pointers, a switch,
 * recursion, bits and zeros that are tested, a loop of one block, atomics, and what of it depends
 * on memory. The path is the same each time (cycle_branches.c has it by single steps), so that each
 * trace has to be a piece of it. Prints a sum.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define OUT_OF_LINE __attribute__((noinline))

static uint64_t table[64], shared;

OUT_OF_LINE static uint64_t one_block(uint64_t n)
{
	uint64_t sum = 0;

	do {
		sum += n * n;
		__asm__ volatile("" : "+r"(sum));
	} while (--n);
	return sum;
}

OUT_OF_LINE static uint64_t recursive(uint64_t n)
{
	return n < 2 ? n + 1 : recursive(n - 1) + recursive(n - 2);
}

OUT_OF_LINE static uint64_t chosen(uint64_t n)
{
	switch (n % 7) {
	case 0:
		return n * 3;
	case 1:
		return n ^ 0x55;
	case 2:
		return one_block(n % 5 + 1);
	case 3:
		return recursive(n % 6);
	case 4:
		return n >> 3;
	case 5:
		return table[n % 64] + 1;
	default:
		return n << 2 | 1;
	}
}

OUT_OF_LINE static uint64_t tested(uint64_t n)
{
	uint64_t sum = 0;

	for (unsigned bit = 0; bit < 16; bit++)
		if (n >> bit & 1)
			sum += bit;
	return n & 8 ? sum : sum + 5;
}

OUT_OF_LINE static uint64_t atomic(uint64_t n)
{
	__atomic_fetch_add(&shared, n, __ATOMIC_SEQ_CST);
	return __atomic_exchange_n(&shared, n, __ATOMIC_ACQ_REL) & 0xff;
}

static uint64_t (*const functions[])(uint64_t) = {chosen, tested, recursive, atomic};

OUT_OF_LINE void cycle_begin(void)
{
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	for (long count = argc > 1 ? atol(argv[1]) : 2; count; count--) {
		uint64_t random = 88172645463325252u;

		cycle_begin();
		shared = 0;
		for (unsigned i = 0; i < 64; i++)
			table[i] = i * 7;
		for (unsigned i = 0; i < 300; i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			sum += functions[random % 4](random >> 8 & 7);
			table[random % 64] = sum & 0xff;
		}
		sum &= 0xffff;
	}
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
