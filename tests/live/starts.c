/* SPDX-License-Identifier: MIT */
/*
 * Threads and processes by the number, of which most are short.
 *
 *	starts lone			a thread computes, behind many that did nothing
 *	starts bursts			the same, a millisecond at a time
 *	starts thread|fork LIVES ROUNDS	each computes for so long, and the main thread as long in
 *					turns with them
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "busy.h"

#define EMPTY	 40u
#define LONE_NS	 60000000u
#define BURST_NS 1000000u

static volatile uint64_t sink;
static uint64_t rounds;

static uint64_t used_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static __attribute__((noinline)) void lone(uint64_t until_ns)
{
	while (used_ns() < until_ns)
		sink += work_here(1, 10000);
}

static __attribute__((noinline)) void brief(void)
{
	sink += work_here(2, rounds);
}

static __attribute__((noinline)) void steady(void)
{
	sink += work_here(3, rounds);
}

static void *do_nothing(void *unused)
{
	return unused;
}

static void *run_lone(void *unused)
{
	lone(LONE_NS);
	return unused;
}

static void *run_bursts(void *unused)
{
	for (uint64_t at = BURST_NS; at <= LONE_NS; at += BURST_NS) {
		lone(at);
		usleep(500);
	}
	return unused;
}

static void *run_brief(void *unused)
{
	brief();
	return unused;
}

static void run_thread(void *(*routine)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, routine, NULL))
		exit(1);
	pthread_join(thread, NULL);
}

static void run_child(void)
{
	pid_t child = fork();

	if (!child) {
		brief();
		_exit(0);
	}
	if (child < 0 || waitpid(child, NULL, 0) != child)
		exit(1);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	rounds = argc > 3 ? (uint64_t)atoll(argv[3]) : 0;
	if (argc == 2) {
		for (unsigned i = 0; i < EMPTY; i++)
			run_thread(do_nothing);
		run_thread(strcmp(what, "lone") ? run_bursts : run_lone);
		return 0;
	}
	for (int lives = argc > 2 ? atoi(argv[2]) : 0; lives > 0; lives--) {
		if (strcmp(what, "thread"))
			run_child();
		else
			run_thread(run_brief);
		steady();
	}
	return 0;
}
