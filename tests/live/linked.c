/* SPDX-License-Identifier: MIT */
/*
 * linked RECORDING: records itself into a file "earlier", and then three times while threads come
 * and go and one goes on from before to after; the last recording remains. In recordings a fork, a
 * SIGTRAP of its own, a dump and a reset; after each of them nothing is left.
 */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "softlbr/collector.h"

static volatile uint64_t sink;
static volatile int quit;
static volatile sig_atomic_t traps, users;

static void *work(void *rounds)
{
	for (uint64_t i = 0; i < (uintptr_t)rounds && !quit; i++) {
		if (i * 2654435761u & 64)
			sink += i;
		else
			sink ^= i;
	}
	return NULL;
}

static void on_trap(int number)
{
	(void)number;
	traps = traps + 1;
}

static void on_user(int number)
{
	(void)number;
	users = users + 1;
}

static __attribute__((noinline)) void forgotten(void)
{
	for (uint64_t i = 0; i < 30000000; i++)
		sink += i % 7 < 3;
}

static __attribute__((noinline)) void remembered(void)
{
	for (uint64_t i = 0; i < 400000000; i++)
		sink += i % 9 < 4;
}

/* How many descriptors are open: whichever path they have, none may be left behind. */
static int open_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int count = 0;

	while (d && readdir(d))
		count++;
	if (d)
		closedir(d);
	return count;
}

/* What the kernel has, not what the library says. @descriptors: how many were open before. */
static int is_clean(int descriptors)
{
	struct {
		void *handler;
		unsigned long flags;
		void *restorer;
		unsigned long mask;
	} trap = {0}, user = {0};
	stack_t stack = {0};
	int left = open_descriptors() - descriptors;

	syscall(SYS_rt_sigaction, SIGTRAP, NULL, &trap, 8);
	syscall(SYS_rt_sigaction, SIGUSR1, NULL, &user, 8);
	syscall(SYS_sigaltstack, NULL, &stack);
	if (left || trap.handler != (void *)on_trap || user.handler != (void *)on_user ||
	    !(stack.ss_flags & SS_DISABLE))
		fprintf(stderr, "left: %d descriptors, trap %p, user %p, stack flags %x\n", left,
			trap.handler, user.handler, (unsigned)stack.ss_flags);
	return !left && trap.handler == (void *)on_trap && user.handler == (void *)on_user &&
	       stack.ss_flags & SS_DISABLE;
}

static int record(const char *output, unsigned depth)
{
	/* as a program has it that was built with a later header */
	struct {
		struct softlbr_collector_options known;
		uint64_t more[4];
	} later = {.known = {.size = sizeof(later),
			     .output = output,
			     .event = "task-clock",
			     .period = 500000,
			     .depth = depth,
			     .timer_correction = "off"},
		   .more = {1, 2, 3, 4}};
	const struct softlbr_collector_options *options = &later.known;
	struct softlbr_error error = {0};
	int descriptors = open_descriptors(), status = -1;
	pthread_t threads[4];
	pid_t child;

	if (softlbr_collector_start(options, &error)) {
		fprintf(stderr, "start: %s\n", error.text);
		return -1;
	}
	if (!softlbr_collector_start(options, &error) || error.code != SOFTLBR_E_USAGE)
		return -1; /* twice at once must be refused */
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)100000000);
	child = fork();
	if (!child) {
		work((void *)(uintptr_t)5000000);
		_exit(7);
	}
	waitpid(child, &status, 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	raise(SIGTRAP);
	raise(SIGUSR1);
	memset(&error, 0, sizeof(error));
	if (softlbr_collector_dump(output, &error) != -SOFTLBR_E_USAGE)
		return -1;
	memset(&error, 0, sizeof(error));
	if (softlbr_collector_dump("dumped", &error)) {
		fprintf(stderr, "dump: %s\n", error.text);
		return -1;
	}
	forgotten();
	if (softlbr_collector_reset(&error)) {
		fprintf(stderr, "reset: %s\n", error.text);
		return -1;
	}
	remembered();
	if (softlbr_collector_stop(&error)) {
		fprintf(stderr, "stop: %s\n", error.text);
		return -1;
	}
	return WEXITSTATUS(status) == 7 && is_clean(descriptors) ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct softlbr_collector_options wrong = {.size = 3}, unknown = {.size = sizeof(unknown)};
	/* as a program has it that was built with an earlier header, behind which is anything */
	struct softlbr_collector_options earlier = {
		.size = offsetof(struct softlbr_collector_options, period),
		.output = "earlier",
		.event = "task-clock",
		.depth = ~0u};
	struct softlbr_error error = {0};
	pthread_t companion;

	if (argc != 2)
		return 2;
	if (!softlbr_collector_stop(&error) || error.code != SOFTLBR_E_USAGE)
		return 3;
	if (softlbr_collector_start(&wrong, NULL) != -SOFTLBR_E_USAGE)
		return 4;
	unknown.event = "nosuch";
	if (softlbr_collector_start(&unknown, NULL) != -SOFTLBR_E_USAGE)
		return 7;
	unknown = (struct softlbr_collector_options){.size = sizeof(unknown), .depth = ~0u};
	if (softlbr_collector_start(&unknown, NULL) != -SOFTLBR_E_USAGE)
		return 8;
	if (softlbr_collector_dump("none", NULL) != -SOFTLBR_E_USAGE ||
	    softlbr_collector_reset(NULL) != -SOFTLBR_E_USAGE)
		return 6;
	signal(SIGTRAP, on_trap);
	sigaction(SIGUSR1, &(struct sigaction){.sa_handler = on_user, .sa_flags = SA_ONSTACK},
		  NULL);
	if (softlbr_collector_start(&earlier, &error) || softlbr_collector_stop(&error)) {
		fprintf(stderr, "earlier: %s\n", error.text);
		return 9;
	}
	pthread_create(&companion, NULL, work, (void *)UINTPTR_MAX);
	for (unsigned round = 0; round < 3; round++)
		if (record(argv[1], round == 1 ? 64 : 16))
			return 5;
	raise(SIGTRAP);
	quit = 1;
	pthread_join(companion, NULL);
	printf("traps %d, users %d\n", (int)traps, (int)users);
	return 0;
}
