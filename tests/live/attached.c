/* SPDX-License-Identifier: MIT */
/*
 * attached PART: programs to attach to. `spin N` runs N threads until SIGTERM; `words` counts in an
 * array; `wait` sleeps in epoll_wait and ends with status 1 if that is interrupted; `changes` is a
 * thread that reads what another writes; `trap` counts its own SIGTRAPs with the signal blocked and
 * ignored by turns; `life` makes processes by fork and posix_spawn that work and end, one after the
 * other; `exec` works until SIGUSR1, and then becomes `spin 2`. Each says "ready" when it is at
 * work.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "busy.h"

static volatile sig_atomic_t over;
static volatile uint64_t sink;

static void on_term(int number)
{
	(void)number;
	over = 1;
}

static void be_ready(void)
{
	puts("ready");
	fflush(stdout);
}

static void *thread(void *sum)
{
	while (!over)
		*(volatile uint64_t *)sum = work(1, 100000);
	return NULL;
}

static int spin(unsigned count)
{
	pthread_t threads[512];
	static uint64_t sums[512];

	for (unsigned i = 1; i < count; i++)
		pthread_create(&threads[i], NULL, thread, &sums[i]);
	be_ready();
	thread(&sums[0]);
	for (unsigned i = 1; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

/* Each path comes to words that it did not touch before. */
static int count_words(void)
{
	static uint32_t words[1 << 16];
	uint32_t state = 1;

	be_ready();
	while (!over) {
		state = state * 1664525 + 1013904223;
		words[state >> 16]++;
		if (state >> 31)
			sink = words[state >> 17];
	}
	return 0;
}

static _Atomic uint64_t changing;

static void *change(void *unused)
{
	while (!over)
		changing++;
	return unused;
}

/* No trace of more than a few branches is as it could be foreseen. */
static int read_changes(void)
{
	pthread_t other;
	uint64_t sum = 0;

	pthread_create(&other, NULL, change, NULL);
	be_ready();
	while (!over)
		sum += changing & 1 ? changing : sum >> 1;
	sink = sum;
	pthread_join(other, NULL);
	return 0;
}

/* Short work and short sleeps in a call that signal(7) lists as interrupted by any stop. */
static int wait_for_events(void)
{
	int epoll = epoll_create1(0);
	struct epoll_event event;

	be_ready();
	while (!over) {
		sink = work(sink, 200000);
		if (epoll_wait(epoll, &event, 1, 1) < 0 && !over)
			return 1;
	}
	return 0;
}

static volatile sig_atomic_t traps;

static void on_trap(int number)
{
	(void)number;
	traps = traps + 1;
}

/* SIGTRAP's disposition and mask are as the program left them. */
static int traps_stay(void)
{
	struct sigaction action = {.sa_handler = on_trap}, seen;
	sigset_t trap, mask;

	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	be_ready();
	for (unsigned round = 1; !over; round++) {
		action.sa_handler = round % 2 ? SIG_IGN : on_trap;
		sigaction(SIGTRAP, &action, NULL);
		sigprocmask(round % 3 ? SIG_BLOCK : SIG_UNBLOCK, &trap, NULL);
		sink = work(round, 100000);
		raise(SIGTRAP);
		sigprocmask(SIG_BLOCK, NULL, &mask);
		sigaction(SIGTRAP, NULL, &seen);
		if (sigismember(&mask, SIGTRAP) != (round % 3 != 0) ||
		    seen.sa_handler != action.sa_handler)
			return 1;
	}
	return traps ? 0 : 1;
}

extern char **environ;

#define CHILD_STATUS 7

static int child(void)
{
	return work(5, 1000000) == work(5, 1000000) ? CHILD_STATUS : 1;
}

static int ends_well(pid_t pid)
{
	int status;

	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       WEXITSTATUS(status) == CHILD_STATUS;
}

static int live(char *self)
{
	char *arguments[] = {self, "child", NULL};
	unsigned rounds = 0;

	be_ready();
	for (; !over; rounds++) {
		pid_t spawned = 0, forked = fork();

		if (!forked)
			_exit(child());
		if (posix_spawn(&spawned, "/proc/self/exe", NULL, NULL, arguments, environ) ||
		    !ends_well(forked) || !ends_well(spawned))
			return 1;
	}
	return rounds ? 0 : 1;
}

static volatile sig_atomic_t asked;

static void on_usr1(int number)
{
	(void)number;
	asked = 1;
}

/* Another thread is there too, which the exec ends. */
static int become_another(char *self)
{
	char *arguments[] = {self, "spin", "2", NULL};
	static uint64_t sum;
	pthread_t other;

	signal(SIGUSR1, on_usr1);
	pthread_create(&other, NULL, thread, &sum);
	be_ready();
	while (!asked)
		sink = work(sink, 10000);
	execv("/proc/self/exe", arguments);
	return 1;
}

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";
	int status = 2;

	signal(SIGTERM, on_term);
	if (!strcmp(part, "spin"))
		status = spin(argc > 2 ? (unsigned)atoi(argv[2]) : 1);
	else if (!strcmp(part, "words"))
		status = count_words();
	else if (!strcmp(part, "changes"))
		status = read_changes();
	else if (!strcmp(part, "wait"))
		status = wait_for_events();
	else if (!strcmp(part, "trap"))
		status = traps_stay();
	else if (!strcmp(part, "life"))
		status = live(argv[0]);
	else if (!strcmp(part, "child"))
		return child();
	else if (!strcmp(part, "exec"))
		status = become_another(argv[0]);
	puts(status ? "changed" : "unchanged");
	return status;
}
