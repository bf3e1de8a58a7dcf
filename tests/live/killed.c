/* SPDX-License-Identifier: MIT */
/*
 * killed TURNS GO: threads that work for so many turns, and then on until there is a file GO;
 * prints what came of the turns, and how many hardware breakpoints each could still set for itself,
 * -1 where the kernel refuses them.
 */
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS	    3
#define BREAKPOINTS 4 /* a processor's */

struct worker {
	pthread_t thread;
	unsigned turns;
	uint64_t sum;
	int free;
};

static uint32_t table[4096];
static const char *go;

static __attribute__((noinline)) uint64_t step(uint64_t x)
{
	uint32_t *at = &table[x >> 40 & 4095];

	if (x & 1)
		return x * 6364136223846793005u + *at;
	return x & 6 ? x / 3 + *at : x ^ *at << 7;
}

static int free_breakpoints(void)
{
	int files[BREAKPOINTS], n = 0;

	for (; n < BREAKPOINTS; n++) {
		struct perf_event_attr attr = {.size = sizeof(attr),
					       .type = PERF_TYPE_BREAKPOINT,
					       .bp_type = HW_BREAKPOINT_W,
					       .bp_addr = (uintptr_t)&files[n],
					       .bp_len = HW_BREAKPOINT_LEN_4,
					       .exclude_kernel = 1,
					       .exclude_hv = 1};

		files[n] = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
		if (files[n] < 0)
			break;
	}
	for (int i = 0; i < n; i++)
		close(files[i]);
	return n;
}

static void *work(void *context)
{
	struct worker *w = context;
	volatile uint64_t idle = 1;
	uint64_t x = w->sum;

	for (unsigned i = 0; i < w->turns; i++)
		x = step(x) * 2862933555777941757u + i;
	w->sum = x;
	while (access(go, F_OK)) /* then whoever was killed is gone */
		idle = step(idle);
	w->free = free_breakpoints();
	return NULL;
}

int main(int argc, char **argv)
{
	struct worker workers[THREADS];
	int whole = free_breakpoints();

	if (argc != 3)
		return 2;
	go = argv[2];
	for (unsigned i = 0; i < 4096; i++)
		table[i] = i * 2654435761u;
	printf("%d\n", (int)getpid());
	fflush(stdout);
	for (unsigned i = 0; i < THREADS; i++) {
		workers[i].turns = (unsigned)atoi(argv[1]);
		workers[i].sum = i + 1;
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		printf("%llx free %d\n", (unsigned long long)workers[i].sum,
		       whole ? workers[i].free : -1);
	}
	return 0;
}
