/* SPDX-License-Identifier: MIT */
#include "part.h"

static __attribute__((noinline)) int helper(int x)
{
	if (x % 3 == 0)
		return x;
	return SIGN x;
}

int part(int x)
{
	int sum = 0;

	for (int i = 0; i < x % 7; i++)
		sum += helper(i + x);
	return sum;
}
