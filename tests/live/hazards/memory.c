/* SPDX-License-Identifier: MIT */
/* Memory: code that is rewritten, protections that come and go, places that vanish. */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hazards.h"

#define PAGE 4096u

typedef uint64_t code(uint64_t);

/* A loop of 1000 rounds: rax = rdi; { rax = rax * 5 + @add; if odd, rax ^= @with } */
static void write_code(uint8_t *at, uint8_t add, uint8_t with)
{
	const uint8_t bytes[] = {
		0x48, 0x89, 0xf8,	      /* mov %rdi, %rax */
		0xb9, 0xe8, 0x03, 0x00, 0x00, /* mov $1000, %ecx */
		0x48, 0x8d, 0x04, 0x80,	      /* lea (%rax,%rax,4), %rax */
		0x48, 0x83, 0xc0, add,	      /* add $add, %rax */
		0xa8, 0x01,		      /* test $1, %al */
		0x74, 0x04,		      /* jz over the next */
		0x48, 0x83, 0xf0, with,	      /* xor $with, %rax */
		0xff, 0xc9,		      /* dec %ecx */
		0x75, 0xec,		      /* jnz to the lea */
		0xc3,			      /* ret */
	};

	memcpy(at, bytes, sizeof(bytes));
}

static int run_jit(char **argv)
{
	uint8_t *at = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t sum = 1;

	(void)argv;
	if (at == MAP_FAILED)
		return NOT_HERE;
	for (unsigned round = 0; round < 3000; round++) {
		uint8_t *place = at + round % 4 * PAGE + round % 7;

		/* some stay executable while they are rewritten, some do not */
		if (round % 3 == 0)
			mprotect(at, 4 * PAGE, PROT_READ | PROT_WRITE);
		write_code(place, (uint8_t)(round % 101), (uint8_t)(round % 93));
		if (round % 3 == 0)
			mprotect(at, 4 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
		for (unsigned i = 0; i < 60; i++)
			sum = ((code *)(uintptr_t)place)(sum);
	}
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}

static volatile int stop;
static uint8_t *shared;

static void *toggle(void *unused)
{
	unsigned changes = 0;

	(void)unused;
	while (!stop) {
		mprotect(shared, 64 * PAGE, changes++ % 2 ? PROT_READ : PROT_READ | PROT_WRITE);
		usleep(200);
	}
	return NULL;
}

/* Its pages are read all the while that another thread changes how they are protected. */
static int run_mprotect(char **argv)
{
	uint64_t sum = 0;
	pthread_t other;

	(void)argv;
	shared = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (unsigned i = 0; i < 64 * PAGE; i++)
		shared[i] = (uint8_t)(i * 2654435761u >> 24);
	pthread_create(&other, NULL, toggle, NULL);
	for (unsigned round = 0; round < 400; round++)
		for (unsigned i = 0; i < 64 * PAGE; i++)
			sum = shared[i] & 1 ? sum * 31 + i : sum ^ shared[i];
	stop = 1;
	pthread_join(other, NULL);
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}

static void *map_and_unmap(void *seed)
{
	uint64_t sum = (uintptr_t)seed;

	for (unsigned round = 0; round < 1500; round++) {
		uint8_t *at = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		for (unsigned i = 0; i < 16; i++)
			at[i * PAGE] = (uint8_t)(sum >> i);
		/* a part goes while the rest is read */
		munmap(at + 8 * PAGE, 8 * PAGE);
		for (unsigned i = 0; i < 8 * PAGE; i += 3)
			sum = at[i] & 1 ? sum * 31 + i : sum + at[i];
		munmap(at, 8 * PAGE);
	}
	return (void *)(uintptr_t)sum;
}

static int run_unmap(char **argv)
{
	pthread_t threads[4];
	uint64_t sum = 0;
	void *value;

	(void)argv;
	for (uintptr_t i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, map_and_unmap, (void *)(i + 1));
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(threads[i], &value);
		sum = sum * 31 + (uintptr_t)value;
	}
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}

const struct hazard hazards_memory[] = {
	{"jit", run_jit},
	{"mprotect", run_mprotect},
	{"unmap", run_unmap},
	{NULL, NULL},
};
