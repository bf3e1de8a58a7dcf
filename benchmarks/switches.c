/* SPDX-License-Identifier: MIT */
/* switches ROUNDS: two threads on one processor send each other a byte through pipes. Prints the
 * processor time of each of the 2 ROUNDS context switches, in microseconds. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct end {
	long rounds;
	int from, to;
};

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void *answer(void *end)
{
	const struct end *e = end;
	char byte;

	for (long i = 0; i < e->rounds; i++)
		if (read(e->from, &byte, 1) != 1 || write(e->to, &byte, 1) != 1)
			fail("pipe");
	return NULL;
}

static void *ask(void *end)
{
	const struct end *e = end;

	if (write(e->to, "", 1) != 1)
		fail("pipe");
	return answer(end);
}

static double cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

int main(int count, char **arguments)
{
	long rounds = count > 1 ? atol(arguments[1]) : 50000;
	int there[2], back[2];
	pthread_t threads[2];
	cpu_set_t first;
	double begin;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (rounds < 1 || sched_setaffinity(0, sizeof(first), &first) || pipe(there) || pipe(back))
		fail("switches");
	struct end ends[2] = {{rounds, back[0], there[1]}, {rounds, there[0], back[1]}};
	begin = cpu_us();
	if (pthread_create(&threads[0], NULL, ask, &ends[0]) ||
	    pthread_create(&threads[1], NULL, answer, &ends[1]))
		fail("pthread_create");
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%.2f\n", (cpu_us() - begin) / (2.0 * (double)rounds));
	return 0;
}
