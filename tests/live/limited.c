/* SPDX-License-Identifier: MIT */
/*
 * limited address-space | data: a program that leaves itself 24 MB more in the middle of its life,
 * and says what it gets of them: threads, and pieces of a megabyte.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "busy.h"

#define MORE  (24u << 20)
#define PIECE (1u << 20)

static void *run(void *unused)
{
	(void)unused;
	return (void *)(uintptr_t)work(1, 20000000);
}

/* The process's, in bytes: all of it, or its data (proc(5), statm). */
static uint64_t has(int data)
{
	unsigned long pages[6] = {0};
	FILE *f = fopen("/proc/self/statm", "r");

	for (int i = 0; f && i < 6; i++)
		if (fscanf(f, "%lu", &pages[i]) != 1)
			exit(3);
	if (f)
		fclose(f);
	return (data ? pages[5] : pages[0]) * 4096;
}

int main(int argc, char **argv)
{
	int data = argc > 1 && !strcmp(argv[1], "data");
	struct rlimit limit;
	pthread_attr_t small;
	pthread_t thread;
	unsigned pieces = 0, threads = 0;
	uint64_t sum = work(1, 40000000);
	void *result;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, PIECE);
	limit.rlim_cur = limit.rlim_max = has(data) + MORE;
	if (setrlimit(data ? RLIMIT_DATA : RLIMIT_AS, &limit))
		return 3;
	sum += work(1, 40000000);
	for (int i = 0; i < 4; i++) {
		if (pthread_create(&thread, &small, run, NULL))
			continue;
		threads++;
		pthread_join(thread, &result);
		sum += (uint64_t)(uintptr_t)result;
	}
	while (mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
	       MAP_FAILED)
		pieces++;
	printf("%u threads, %u pieces, %llx\n", threads, pieces, (unsigned long long)sum);
	return 0;
}
