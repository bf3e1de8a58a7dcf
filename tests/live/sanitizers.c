/* SPDX-License-Identifier: MIT */
/* Threads, memory and a computation, for a build with each sanitizer. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "busy.h"

#define THREADS 4

static uint64_t found[THREADS];

static void *run(void *number)
{
	uint64_t *sum = malloc(sizeof(*sum));

	*sum = work((uintptr_t)number, 15000000);
	found[(uintptr_t)number] = *sum;
	free(sum);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	uint64_t all = 0;

	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		all = all * 31 + found[i];
	}
	printf("%llx\n", (unsigned long long)all);
	return 0;
}
