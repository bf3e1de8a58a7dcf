/* SPDX-License-Identifier: MIT */
/* exchange ROUNDS: two threads hash and parse blocks that a third one makes and hands over under a
 * lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 16384, READERS = 2, BLOCKS_A_ROUND = 30 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned char blocks[READERS][BLOCK];
static int full[READERS], left;
static unsigned long sums[READERS];

static __attribute__((noinline)) unsigned long fill(unsigned char *block, unsigned long h)
{
	for (int i = 0; i < BLOCK; i++) {
		h ^= h << 13;
		h ^= h >> 7;
		h ^= h << 17;
		block[i] = h & 0x300 ? '0' + h % 10 : ',';
	}
	return h;
}

static __attribute__((noinline)) unsigned long parse(const unsigned char *block)
{
	unsigned long number = 0, sum = 0;

	for (int i = 0; i < BLOCK; i++) {
		if (block[i] != ',') {
			number = number * 10 + block[i] - '0';
			continue;
		}
		sum += number % 1009;
		number = 0;
	}
	return sum;
}

static __attribute__((noinline)) unsigned long hash(const unsigned char *block)
{
	unsigned long h = 14695981039346656037ul;

	for (int turn = 0; turn < 3; turn++)
		for (int i = 0; i < BLOCK; i++) {
			h = (h ^ block[i]) * 1099511628211ul;
			if ((h & 0xff0) == 0x550)
				h += h >> 32;
		}
	return h;
}

static void *reader(void *number)
{
	unsigned long which = (unsigned long)number;
	static unsigned char mine[READERS][BLOCK];

	for (;;) {
		pthread_mutex_lock(&lock);
		while (!full[which] && left)
			pthread_cond_wait(&changed, &lock);
		if (!full[which]) {
			pthread_mutex_unlock(&lock);
			return NULL;
		}
		for (int i = 0; i < BLOCK; i++)
			mine[which][i] = blocks[which][i];
		full[which] = 0;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
		sums[which] += which ? hash(mine[which]) : parse(mine[which]);
	}
}

int main(int argc, char **argv)
{
	int count = BLOCKS_A_ROUND * (argc > 1 ? atoi(argv[1]) : 1);
	static unsigned char made[BLOCK];
	pthread_t threads[READERS];
	unsigned long h = 88172645463325252ul;

	left = 1;
	for (unsigned long i = 0; i < READERS; i++)
		if (pthread_create(&threads[i], NULL, reader, (void *)i))
			return 1;
	for (int n = 0; n < count * READERS; n++) {
		int to = n % READERS;

		h = fill(made, h);
		pthread_mutex_lock(&lock);
		while (full[to])
			pthread_cond_wait(&changed, &lock);
		for (int i = 0; i < BLOCK; i++)
			blocks[to][i] = made[i];
		full[to] = 1;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
	}
	pthread_mutex_lock(&lock);
	left = 0;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < READERS; i++)
		pthread_join(threads[i], NULL);
	printf("%lu %lu\n", sums[0], sums[1]);
	return 0;
}
