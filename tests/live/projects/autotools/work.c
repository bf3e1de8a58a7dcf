/* SPDX-License-Identifier: MIT */
/* Two kinds of work that have no branch in common. */
#include <stddef.h>
#include <stdint.h>

void work_sort(uint32_t *values, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint32_t value = values[i];
		size_t at = i;

		for (; at && values[at - 1] > value; at--)
			values[at] = values[at - 1];
		values[at] = value;
	}
}

uint32_t work_hash(const uint32_t *values, size_t n, int rounds)
{
	uint32_t hash = 1;

	for (int round = 0; round < rounds; round++)
		for (size_t i = 0; i < n; i++) {
			hash = hash * 31 ^ values[i];
			if (hash & 1)
				hash += 7;
			else if (hash % 5 == 3)
				hash ^= hash >> 9;
		}
	return hash;
}
