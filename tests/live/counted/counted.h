/* SPDX-License-Identifier: MIT */
/* What the files of the program have in common: a function that is inlined in each, and one that is
 * not, of which each object has its own. */
static inline unsigned mix(unsigned x)
{
	if (x & 1)
		return x * 2654435761u >> 3;
	return x >> 1 ^ 0x5bd1u;
}

static __attribute__((noinline, unused)) unsigned turned(unsigned x, volatile unsigned *odd)
{
	for (unsigned i = 0; i < 8; i++, x >>= 1)
		if (x & 1)
			++*odd;
	return x;
}

int run(const unsigned char *code, int steps);
int sort_of(unsigned x);
unsigned hash(const char *text, unsigned n);
int never(int x);
