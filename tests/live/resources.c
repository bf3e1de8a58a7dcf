/* SPDX-License-Identifier: MIT */
/*
 * resources KIND: a program that looks at what it has, or limits itself at run time, and says how
 * far it came; for resources.sh.
 *
 *	size		the size of its address space in KB
 *	threads COUNT	as many at once, which share some work
 *	address, data	64 MB of addresses, or 8 MB of data: a thread, memory and a child all the
 *same lock		all that it has, and will have, stays in memory: how much that is
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "busy.h"

#define THREADS_MAX 4000u
#define ROUNDS	    200000000u
#define PIECES	    100u
#define PIECE_BYTES 100000u

static pthread_barrier_t together;

static long status_kb(const char *name)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[200];
	long kb = -1;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			kb = atol(line + strlen(name));
	if (f)
		fclose(f);
	return kb;
}

static void *wait_and_work(void *number)
{
	pthread_barrier_wait(&together);
	return (void *)(uintptr_t)work((uintptr_t)number, ROUNDS / THREADS_MAX);
}

static int run_threads(unsigned count)
{
	static pthread_t threads[THREADS_MAX];
	pthread_attr_t attributes;
	uint64_t all = 0;

	if (count > THREADS_MAX)
		return 1;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	pthread_barrier_init(&together, NULL, count);
	for (unsigned i = 0; i < count; i++)
		if (pthread_create(&threads[i], &attributes, wait_and_work, (void *)(uintptr_t)i))
			return 1;
	for (unsigned i = 0; i < count; i++) {
		void *found;

		pthread_join(threads[i], &found);
		all += (uintptr_t)found;
	}
	printf("%u threads, %llx\n", count, (unsigned long long)all);
	return 0;
}

/* How many pieces of memory there were, with work in between. */
static void *take_memory(void *unused)
{
	uintptr_t had = 0;

	(void)unused;
	for (unsigned i = 0; i < PIECES; i++) {
		char *piece = malloc(PIECE_BYTES);

		work(i, ROUNDS / 1000);
		if (!piece)
			continue;
		memset(piece, 1, PIECE_BYTES);
		free(piece);
		had++;
	}
	return (void *)had;
}

static int run_limited(int resource, rlim_t bytes)
{
	struct rlimit limit = {bytes, bytes};
	void *in_thread = NULL;
	pthread_t thread;
	int rc, status;
	pid_t child;

	if (setrlimit(resource, &limit))
		return 1;
	rc = pthread_create(&thread, NULL, take_memory, NULL);
	if (!rc)
		pthread_join(thread, &in_thread);
	printf("thread: %s, %ju; here: %ju\n", strerror(rc), (uintmax_t)(uintptr_t)in_thread,
	       (uintmax_t)(uintptr_t)take_memory(NULL));
	fflush(stdout);
	child = fork();
	if (!child)
		_exit((int)(uintptr_t)take_memory(NULL));
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 1;
	printf("child: %d\n", status);
	return 0;
}

static int run_locked(void)
{
	int rc = mlockall(MCL_CURRENT | MCL_FUTURE);

	fprintf(stderr, "%ld\n", status_kb("VmRSS:"));
	printf("locked: %d\n", rc);
	return run_threads(4);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";

	if (!strcmp(kind, "size"))
		return printf("%ld\n", status_kb("VmSize:")) < 0;
	if (!strcmp(kind, "threads") && argc > 2)
		return run_threads((unsigned)atoi(argv[2]));
	if (!strcmp(kind, "address"))
		return run_limited(RLIMIT_AS, 64 << 20);
	if (!strcmp(kind, "data"))
		return run_limited(RLIMIT_DATA, 8 << 20);
	if (!strcmp(kind, "lock"))
		return run_locked();
	return 2;
}
