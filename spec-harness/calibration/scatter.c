/* SPDX-License-Identifier: MIT */
/* scatter ROUNDS: counts in a table larger than the caches, a chain of multiplications, and a
 * search for words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 1 << 22 };

static unsigned *slots;
static char line[1024];

static __attribute__((noinline)) unsigned long scatter(unsigned long h, int n)
{
	for (int i = 0; i < n; i++) {
		h = h * 6364136223846793005ul + 1442695040888963407ul;
		if (++slots[h >> 42] > 3)
			h ^= slots[h >> 43];
	}
	return h;
}

static __attribute__((noinline)) unsigned long mix(unsigned long h, int n)
{
	for (int i = 0; i < n; i++) {
		h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9ul;
		h = (h ^ h >> 32) * 0x94d049bb133111ebul;
	}
	return h;
}

static __attribute__((noinline)) unsigned words(int n)
{
	unsigned found = 0;

	for (int i = 0; i < n; i++)
		for (const char *p = line; *p; p++) {
			if (*p == ' ')
				found++;
			else if (*p > 's' && p[1] == 'e')
				found += 3;
		}
	return found;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	unsigned long h = 1;
	unsigned found = 0;

	slots = calloc(SLOTS, sizeof(*slots));
	if (!slots)
		return 1;
	for (unsigned i = 0; i + 1 < sizeof(line); i++) {
		h = h * 6364136223846793005ul + 1442695040888963407ul;
		line[i] = h >> 60 < 3 ? ' ' : (char)('a' + (h >> 33) % 26);
	}
	for (int i = 0; i < rounds; i++) {
		h = scatter(h, 400000);
		h = mix(h, 1500000);
		found += words(4000);
	}
	printf("%lu %u\n", h, found);
	free(slots);
	return 0;
}
