/* SPDX-License-Identifier: MIT */
/* Of a library: a function that gcc splits, so that its test is inlined and the rest is not. */
#include <stdio.h>

#include "counted.h"

static int pick(unsigned x)
{
	return x > 40 ? (int)(x % 5) : 1;
}

static unsigned rarely(unsigned h)
{
	unsigned sum = 0;

	if (h % 64)
		return h;
	for (unsigned i = 0; i < 9; i++) {
		sum += mix(h + i);
		if (sum == 77)
			printf("%u\n", sum);
		if (sum % 13 == 0)
			sum += (unsigned)pick(i * 5);
		sum ^= sum >> 3;
	}
	return sum;
}

unsigned hash(const char *text, unsigned n)
{
	unsigned h = 5381, odd = 0;

	for (unsigned i = 0; i < n; i++) {
		h = h * 33 + (unsigned char)text[i];
		if (text[i] == 3)
			h = rarely(h);
		else if (text[i] == 2)
			h += rarely(h >> 2);
	}
	return h + turned(255, &odd) + turned(254, &odd) + (unsigned)pick(h);
}
