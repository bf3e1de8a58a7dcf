/* SPDX-License-Identifier: MIT */
/*
 * many THREADS ROUNDS: as many threads at once, which share the rounds of work. Prints what they
 * found, and to standard error the memory of this process while all are there.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "busy.h"

#define THREADS_MAX 1000u

static uint64_t rounds, found[THREADS_MAX];
static pthread_barrier_t together;

static void *thread(void *number)
{
	pthread_barrier_wait(&together);
	found[(uintptr_t)number] = work((uintptr_t)number, rounds);
	pthread_barrier_wait(&together);
	return NULL;
}

static long status_kb(const char *name)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[200];
	long kb = 0;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			kb = atol(line + strlen(name));
	if (f)
		fclose(f);
	return kb;
}

int main(int argc, char **argv)
{
	unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	static pthread_t threads[THREADS_MAX];
	pthread_attr_t attributes;
	uint64_t all = 0;

	if (!count || count > THREADS_MAX)
		return 1;
	rounds = (argc > 2 ? strtoull(argv[2], NULL, 10) : 100000000) / count;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	pthread_barrier_init(&together, NULL, count + 1);
	for (unsigned i = 0; i < count; i++)
		if (pthread_create(&threads[i], &attributes, thread, (void *)(uintptr_t)i))
			return 1;
	pthread_barrier_wait(&together);
	pthread_barrier_wait(&together);
	fprintf(stderr, "memory %ld KB, shared %ld KB\n", status_kb("RssAnon:"),
		status_kb("RssShmem:"));
	for (unsigned i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		all = all * 31 + found[i];
	}
	printf("%llx\n", (unsigned long long)all);
	return 0;
}
