/* SPDX-License-Identifier: MIT */
/* short_lives thread|fork LIVES ROUNDS: as many threads or children, one after the other, of which
 * each runs its ten tenths once. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "busy.h"

static volatile uint64_t sink;
static uint64_t rounds;

#define TENTH(n)                                             \
	static __attribute__((noinline)) void tenth##n(void) \
	{                                                    \
		sink += work_here(n, rounds);                \
	}

TENTH(0)
TENTH(1)
TENTH(2)
TENTH(3)
TENTH(4)
TENTH(5)
TENTH(6)
TENTH(7)
TENTH(8)
TENTH(9)

static void *live(void *unused)
{
	static void (*const tenths[])(void) = {tenth0, tenth1, tenth2, tenth3, tenth4,
					       tenth5, tenth6, tenth7, tenth8, tenth9};

	for (unsigned i = 0; i < 10; i++)
		tenths[i]();
	return unused;
}

int main(int argc, char **argv)
{
	unsigned lives = argc == 4 ? (unsigned)atoi(argv[2]) : 0;
	pthread_t thread;
	pid_t child;

	rounds = argc == 4 ? (uint64_t)atoll(argv[3]) : 0;
	while (lives--) {
		if (!strcmp(argv[1], "thread")) {
			if (pthread_create(&thread, NULL, live, NULL))
				return 1;
			pthread_join(thread, NULL);
			continue;
		}
		child = fork();
		if (!child) {
			live(NULL);
			exit(0);
		}
		if (child < 0 || waitpid(child, NULL, 0) != child)
			return 1;
	}
	return 0;
}
