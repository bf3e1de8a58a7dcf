/* SPDX-License-Identifier: MIT */
/* Text that repeats itself is made, packed by the longest match before, and its literals moved to
 * the front of a list as they come. */
#include "start.h"

#define SIZE   220000
#define CHAINS (1 << 12)

static uint8_t input[SIZE + 8], front[256];
static int last[CHAINS], before[SIZE];
static uint32_t histogram[256];

static NOINLINE void make(void)
{
	for (int i = 0; i < SIZE;) {
		int length = 3 + (int)(draw() % 30), back = 1 + (int)(draw() % 3000);

		if (back > i || draw() % 5 == 0) {
			for (; length && i < SIZE; length--)
				input[i++] = (uint8_t)('a' + draw() % 23);
		} else {
			for (; length && i < SIZE; length--, i++)
				input[i] = input[i - back];
		}
	}
}

static int match_length(int a, int b)
{
	int n = 0;

	while (n < 64 && b + n < SIZE && input[a + n] == input[b + n])
		n++;
	return n;
}

static unsigned chain_of(int at)
{
	return (input[at] * 33u * 33u + input[at + 1] * 33u + input[at + 2]) % CHAINS;
}

static NOINLINE int longest(int at, int *where)
{
	int best = 0, tried = 0;

	for (int other = last[chain_of(at)]; other && tried < 8; other = before[other], tried++) {
		int n = match_length(other, at);

		if (n > best) {
			best = n;
			*where = other;
			if (n == 64)
				break;
		}
	}
	return best;
}

static NOINLINE unsigned to_front(uint8_t byte)
{
	unsigned at = 0;
	uint8_t moved = front[0];

	while (moved != byte) {
		uint8_t next = front[++at];

		front[at] = moved;
		moved = next;
	}
	front[0] = byte;
	return at;
}

static void remember(int at)
{
	int *chain = &last[chain_of(at)];

	before[at] = *chain;
	*chain = at;
}

static NOINLINE unsigned run(void)
{
	unsigned out = 0;
	int where = 0;

	make();
	for (int i = 0; i < 256; i++)
		front[i] = (uint8_t)i;
	for (int at = 1; at < SIZE - 4;) {
		int n = longest(at, &where);

		if (n >= 4) {
			out += 3 + (unsigned)(where & 1);
			for (; n && at < SIZE - 4; n--)
				remember(at++);
		} else {
			histogram[to_front(input[at])]++;
			remember(at++);
			out++;
		}
	}
	return out + histogram[0];
}
