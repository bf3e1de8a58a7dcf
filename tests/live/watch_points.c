/* SPDX-License-Identifier: MIT */
/*
 * watch_points writes | reads: a program that takes all four hardware breakpoints, in the middle of
 * its life and in a thread that works, and says what they counted.
 */
#define _GNU_SOURCE
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "busy.h"

#define WATCHED 4
#define ROUNDS	400

static volatile uint32_t watched[WATCHED];
static volatile int stop;

static void *spin(void *unused)
{
	(void)unused;
	while (!stop)
		work(1, 10000);
	return NULL;
}

int main(int argc, char **argv)
{
	uint32_t type = argc > 1 && !strcmp(argv[1], "reads") ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = type,
		.bp_len = HW_BREAKPOINT_LEN_4,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	pthread_t thread;
	uint64_t counted, sum = 0;
	int fds[WATCHED];

	pthread_create(&thread, NULL, spin, NULL);
	sum += work(1, 20000000);
	for (int i = 0; i < WATCHED; i++) {
		attr.bp_addr = (uintptr_t)&watched[i];
		fds[i] = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
		printf("%s", fds[i] < 0 ? "none " : "one ");
	}
	for (int i = 0; i < ROUNDS; i++) {
		for (int k = 0; k < WATCHED; k++)
			watched[k] = watched[k] + (uint32_t)i;
		sum += work(1, 100000);
	}
	for (int i = 0; i < WATCHED; i++)
		if (fds[i] >= 0 && read(fds[i], &counted, sizeof(counted)) == sizeof(counted))
			printf("%llu ", (unsigned long long)counted);
	stop = 1;
	pthread_join(thread, NULL);
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}
