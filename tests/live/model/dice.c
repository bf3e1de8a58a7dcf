/* SPDX-License-Identifier: MIT */
/* Random numbers by splitmix64 (Steele, Lea, Flood 2014), one sequence for each step. */
#include "model.h"

static uint64_t next(struct dice *d)
{
	uint64_t z = d->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

struct dice dice_of(uint64_t seed, uint64_t step)
{
	struct dice d = {.state = seed};

	d.state = next(&d) ^ step * 0xff51afd7ed558ccdu;
	d.state = next(&d);
	return d;
}

uint32_t dice_below(struct dice *d, uint32_t limit)
{
	return (uint32_t)(next(d) >> 32) % limit;
}

bool dice_one_in(struct dice *d, uint32_t n)
{
	return !dice_below(d, n);
}
