/* SPDX-License-Identifier: MIT */
/* What the files of the program have in common: a function that is inlined in each. */
static inline unsigned mix(unsigned x)
{
	if (x & 1)
		return x * 2654435761u >> 3;
	return x >> 1 ^ 0x5bd1u;
}

int run(const unsigned char *code, int steps);
int sort_of(unsigned x);
unsigned hash(const char *text, unsigned n);
int never(int x);
