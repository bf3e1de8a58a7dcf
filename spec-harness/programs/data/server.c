// SPDX-License-Identifier: MIT
/* server THREADS REQUESTS: threads that answer requests (look-ups and insertions of words in tables
 * that they share, sorting of answers) until each has answered REQUESTS. Prints a checksum that
 * does not depend on the order in which threads run. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { shards = 64, buckets = 1024, answers = 32 };

struct entry {
	struct entry *next;
	uint64_t key, value;
};

struct shard {
	pthread_mutex_t lock;
	struct entry *bucket[buckets];
};

static struct shard table[shards];
static _Atomic uint64_t checksum;
static long requests;

static uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	return x ^ x >> 29;
}

/* The value of a key depends on the key alone, so that the sum is the same in each run. */
static uint64_t look_up(uint64_t key)
{
	uint64_t hash = mix(key);
	struct shard *shard = &table[hash % shards];
	struct entry **bucket = &shard->bucket[hash / shards % buckets], *entry;
	uint64_t value;

	pthread_mutex_lock(&shard->lock);
	for (entry = *bucket; entry && entry->key != key; entry = entry->next)
		;
	if (!entry) {
		entry = malloc(sizeof(*entry));
		if (!entry)
			abort();
		*entry = (struct entry){.next = *bucket, .key = key, .value = mix(hash)};
		*bucket = entry;
	}
	value = entry->value;
	pthread_mutex_unlock(&shard->lock);
	return value;
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t answer(uint64_t request)
{
	uint64_t found[answers], sum = 0;

	for (int i = 0; i < answers; i++)
		found[i] = look_up(mix(request + (uint64_t)i * 7) % 40000);
	qsort(found, answers, sizeof(found[0]), ascending);
	for (int i = 0; i < answers; i++)
		sum = sum * 31 + found[i];
	return sum;
}

static void *serve(void *argument)
{
	uint64_t first = (uint64_t)(uintptr_t)argument << 32, sum = 0;

	for (long i = 0; i < requests; i++)
		sum += answer(first + (uint64_t)i);
	atomic_fetch_add(&checksum, sum);
	return NULL;
}

int main(int count, char **arguments)
{
	int threads = count > 1 ? atoi(arguments[1]) : 4;
	pthread_t *ids = calloc((size_t)threads, sizeof(*ids));

	requests = count > 2 ? atol(arguments[2]) : 1000;
	for (int i = 0; i < shards; i++)
		pthread_mutex_init(&table[i].lock, NULL);
	for (int i = 0; i < threads; i++)
		if (pthread_create(&ids[i], NULL, serve, (void *)(uintptr_t)i)) {
			perror("pthread_create");
			return 1;
		}
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	printf("%llu\n", (unsigned long long)checksum);
	return 0;
}
