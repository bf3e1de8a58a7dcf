/* SPDX-License-Identifier: MIT */
/* Threads, memory and a computation, for a build with each sanitizer. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4

static uint64_t found[THREADS];

static __attribute__((noinline)) uint64_t work(uint64_t seed)
{
	uint64_t sum = 0;

	for (int i = 0; i < 15000000; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		if (seed >> 60 < 6)
			sum += seed >> 40;
		else if (seed & 1u << 20)
			sum ^= seed;
	}
	return sum;
}

static void *run(void *number)
{
	uint64_t *sum = malloc(sizeof(*sum));

	*sum = work((uintptr_t)number);
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
