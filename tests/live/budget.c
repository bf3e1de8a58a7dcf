/* SPDX-License-Identifier: MIT */
/* The same work each time, with branches that data decides. */
#include <stdint.h>
#include <stdlib.h>

int main(int count, char **words)
{
	volatile uint64_t sum = 0;
	uint64_t value = 1;
	long rounds = count > 1 ? atol(words[1]) : 0;

	for (long i = 0; i < rounds; i++) {
		value = value * 6364136223846793005u + 1442695040888963407u;
		sum += value >> 63 ? value >> 7 : value ^ sum;
	}
	return 0;
}
