/* SPDX-License-Identifier: MIT */
/*
 * go_library [LIBRARY]: a C program with threads, handlers and an alternate stack of its own that
 * calls Go code, which it is linked with (-DLINKED), or else loads in the middle of its life.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 60

static unsigned long (*go_work)(int);
static volatile int loaded;
static char stack[65536];
static volatile int handled, in_place;

static __attribute__((noinline)) uint64_t work(unsigned n)
{
	uint64_t hash = 1469598103934665603u;

	for (unsigned i = 0; i < n * 1000; i++) {
		hash ^= i * 7 & 255;
		hash *= 1099511628211u;
		if (hash & 1)
			hash ^= i;
	}
	return hash;
}

static uint64_t both(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < ROUNDS; i++)
		sum += go_work(i) + work(100);
	return sum;
}

static void *run(void *unused)
{
	uint64_t n = 0;

	(void)unused;
	while (!loaded)
		n ^= work(1);
	return (void *)(uintptr_t)(both() + (n == 1));
}

static void on_signal(int number)
{
	char here;

	(void)number;
	handled++;
	in_place += &here >= stack && &here < stack + sizeof(stack);
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
	pthread_t threads[3];
	uint64_t sum = 0;
	void *result;

	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	sum += work(40000);
	raise(SIGUSR1);
#ifdef LINKED
	unsigned long GoWork(int);
	(void)argc;
	(void)argv;
	go_work = GoWork;
#else
	void *library = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW);

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	*(void **)&go_work = dlsym(library, "GoWork");
#endif
	loaded = 1;
	pthread_create(&threads[2], NULL, run, NULL);
	sum += both();
	raise(SIGUSR1);
	for (int i = 0; i < 3; i++) {
		pthread_join(threads[i], &result);
		sum += (uint64_t)(uintptr_t)result;
	}
	printf("%llx, %d signals, %d on their stack\n", (unsigned long long)sum, handled, in_place);
	return 0;
}
