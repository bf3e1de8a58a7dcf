/* SPDX-License-Identifier: MIT */
/*
 * linked RECORDING: records itself three times while threads come and go and one goes on from
 * before to after; the last recording remains. Between recordings a fork and a SIGTRAP of its own.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "softlbr/collector.h"

static volatile uint64_t sink;
static volatile int quit;
static volatile sig_atomic_t traps;

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

static int record(const char *output, unsigned depth)
{
	struct softlbr_collector_options options = {.size = sizeof(options),
						    .output = output,
						    .event = "task-clock",
						    .period = 500000,
						    .depth = depth};
	struct softlbr_error error = {0};
	pthread_t threads[4];
	int status = -1;
	pid_t child;

	if (softlbr_collector_start(&options, &error)) {
		fprintf(stderr, "start: %s\n", error.text);
		return -1;
	}
	if (!softlbr_collector_start(&options, &error) || error.code != SOFTLBR_E_USAGE)
		return -1; /* twice at once must be refused */
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)15000000);
	child = fork();
	if (!child) {
		work((void *)(uintptr_t)5000000);
		_exit(7);
	}
	waitpid(child, &status, 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	raise(SIGTRAP);
	memset(&error, 0, sizeof(error));
	if (softlbr_collector_stop(&error)) {
		fprintf(stderr, "stop: %s\n", error.text);
		return -1;
	}
	return WEXITSTATUS(status) == 7 ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct softlbr_collector_options wrong = {.size = 3};
	struct softlbr_error error = {0};
	pthread_t companion;

	if (argc != 2)
		return 2;
	if (!softlbr_collector_stop(&error) || error.code != SOFTLBR_E_USAGE)
		return 3;
	if (softlbr_collector_start(&wrong, NULL) != -SOFTLBR_E_USAGE)
		return 4;
	signal(SIGTRAP, on_trap);
	pthread_create(&companion, NULL, work, (void *)UINTPTR_MAX);
	for (unsigned round = 0; round < 3; round++)
		if (record(argv[1], round == 1 ? 64 : 16))
			return 5;
	raise(SIGTRAP);
	quit = 1;
	pthread_join(companion, NULL);
	printf("traps %d\n", (int)traps);
	return 0;
}
