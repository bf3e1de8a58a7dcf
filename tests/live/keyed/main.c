/* SPDX-License-Identifier: MIT */
/* A program of three objects, in C and C++, two of them in a library: for gcc_keys.sh. */
#include <stdio.h>
#include <stdlib.h>

#include "part.h"

#define TWICE(x) ((x) > 3 ? (x)*2 : (x))

static int local(int x)
{
	return TWICE(x) + part(x);
}

int main(int argc, char **argv)
{
	long sum = argc;

	for (int i = 0; i < atoi(argv[1]); i++)
		sum += local(i) + other(i);
	printf("%ld %s\n", sum, getenv("HOME") ? "" : argv[0]);
	return 0;
}
