/* SPDX-License-Identifier: MIT */
/*
 * A program with a life: threads that come and go, fork, exec, signals, SIGTRAP of its own. Each
 * part checks itself; the output is the same with and without a profiler.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "busy.h"

#define ROUNDS 4000000u

static void *thread(void *result)
{
	uint64_t *sum = result;

	*sum = work(*sum, ROUNDS);
	return NULL;
}

static uint64_t with_threads(unsigned count)
{
	pthread_t threads[64];
	uint64_t sums[64], all = 0;

	for (unsigned i = 0; i < count; i++) {
		sums[i] = i + 1;
		pthread_create(&threads[i], NULL, thread, &sums[i]);
	}
	for (unsigned i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		all ^= sums[i];
	}
	return all;
}

static int with_fork(void)
{
	int status = -1;
	pid_t child = fork();

	if (!child)
		_exit(work(7, ROUNDS) & 0x3f);
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

static volatile sig_atomic_t traps;

static void on_trap(int number)
{
	(void)number;
	traps = traps + 1;
}

/* A handler for SIGTRAP that the program asks for gets the program's own SIGTRAPs, and only these.
 */
static int with_traps(void)
{
	struct sigaction action = {.sa_handler = on_trap}, seen;
	sigset_t all, before;

	sigaction(SIGTRAP, &action, NULL);
	sigaction(SIGTRAP, NULL, &seen);
	if (seen.sa_handler != on_trap)
		return -1;
	work(3, ROUNDS);
	raise(SIGTRAP);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	work(5, ROUNDS);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return traps;
}

static sigjmp_buf back;
static volatile uint64_t alarms;

static void on_alarm(int number)
{
	(void)number;
	alarms = alarms + 1;
	work(alarms, 1000);
	if (alarms % 2)
		siglongjmp(back, 1);
}

/* Handlers that run the code that is being traced, and leave by siglongjmp. */
static int with_jumps(void)
{
	signal(SIGALRM, on_alarm);
	for (volatile int i = 0; i < 20; i++) {
		if (!sigsetjmp(back, 1)) {
			ualarm(1000, 0);
			work(11, ROUNDS / 8);
		}
		ualarm(0, 0);
	}
	return 20;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "again")) {
		printf("exec %llx\n", (unsigned long long)work(9, ROUNDS));
		return 42;
	}
	if (argc > 1 && !strcmp(argv[1], "abort"))
		abort();
	printf("threads %llx\n", (unsigned long long)with_threads(8));
	printf("fork %d\n", with_fork());
	printf("traps %d\n", with_traps());
	printf("jumps %d\n", with_jumps());
	fflush(stdout);
	execl(argv[0], argv[0], "again", (char *)NULL);
	return 1;
}
