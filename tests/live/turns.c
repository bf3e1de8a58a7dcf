/* SPDX-License-Identifier: MIT */
/* turns SECONDS: a process that is switched some ten thousand times a second: it does three parts
 * of `many` and one of `few`, and waits for another process. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

/* Chains of multiplications: each step takes the same time. */
#define CHAIN(name, number)                                           \
	__attribute__((noinline, noipa)) static void name(unsigned n) \
	{                                                             \
		unsigned long x = sink;                               \
                                                                      \
		while (n--)                                           \
			x = x * 6364136223846793005ul + number;       \
		sink = x;                                             \
	}

CHAIN(many, 1442695040888963407ul)
CHAIN(few, 1442695040888963409ul)

static void answer(int from, int to)
{
	char byte;

	while (read(from, &byte, 1) == 1)
		if (write(to, &byte, 1) != 1)
			break;
	_exit(0);
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
	int there[2], back[2];
	char byte = 0;

	if (pipe(there) || pipe(back))
		return 1;
	if (!fork()) {
		close(there[1]);
		answer(there[0], back[1]);
	}
	while (time(NULL) < end) {
		many(30000);
		few(10000);
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			return 1;
	}
	return 0;
}
