/* SPDX-License-Identifier: MIT */
/*
 * locked KIND: a program that keeps its memory locked (mlockall), as those do that must not wait
 * for pages, and says what it got; for locked.sh.
 *
 *	current, future, both	what is locked
 *	bare			both, by a system call of its own
 *	late			both, when it has three threads
 *	forked			both, in a child
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "busy.h"

#define THREADS	    3u
#define STACK_BYTES (128u << 10)
#define ROUNDS	    4000000u
#define PIECES	    64u
#define PIECE_BYTES 65536u

static pthread_barrier_t begin, locked;

static const char *text(int rc)
{
	return rc ? strerror(errno) : "yes";
}

static void lock(const char *kind)
{
	int all = MCL_CURRENT | MCL_FUTURE;

	work(1, ROUNDS);
	if (!strcmp(kind, "bare"))
		printf("locked: %s\n", text((int)syscall(SYS_mlockall, all)));
	else
		printf("locked: %s\n", text(mlockall(!strcmp(kind, "current")  ? MCL_CURRENT
						     : !strcmp(kind, "future") ? MCL_FUTURE
									       : all)));
}

/* How many pieces there are, all at once. */
static unsigned take_memory(void)
{
	char *pieces[PIECES];
	unsigned had = 0;

	for (unsigned i = 0; i < PIECES; i++) {
		pieces[i] = mmap(NULL, PIECE_BYTES, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (pieces[i] == MAP_FAILED)
			continue;
		memset(pieces[i], 1, PIECE_BYTES);
		had++;
	}
	for (unsigned i = 0; i < PIECES; i++)
		if (pieces[i] != MAP_FAILED)
			munmap(pieces[i], PIECE_BYTES);
	return had;
}

static void *run(void *late)
{
	if (late) {
		pthread_barrier_wait(&begin);
		pthread_barrier_wait(&locked);
	}
	return (void *)(uintptr_t)work(2, ROUNDS);
}

static int run_all(const char *kind)
{
	static const char is_late[] = "late";
	const char *late = strcmp(kind, is_late) ? NULL : is_late;
	pthread_t threads[THREADS];
	pthread_attr_t attributes;
	uintptr_t all = 0;
	void *found;
	int rc;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	pthread_barrier_init(&begin, NULL, THREADS + 1);
	pthread_barrier_init(&locked, NULL, THREADS + 1);
	if (!late)
		lock(kind);
	for (unsigned i = 0; i < THREADS; i++) {
		rc = pthread_create(&threads[i], &attributes, run, (void *)(uintptr_t)late);
		if (rc) {
			printf("thread %u: %s\n", i, strerror(rc));
			return 3;
		}
	}
	if (late) {
		pthread_barrier_wait(&begin);
		lock(kind);
		pthread_barrier_wait(&locked);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &found);
		all += (uintptr_t)found;
	}
	printf("%llx, %u pieces\n", (unsigned long long)all, take_memory());
	printf("large: %s\n", text(mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED));
	printf("unlocked: %s\n", text(munlockall()));
	printf("%llx\n", (unsigned long long)work(3, ROUNDS));
	return 0;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "both";
	pid_t child;
	int status;

	if (strcmp(kind, "forked"))
		return run_all(kind);
	child = fork();
	if (!child)
		exit(run_all(kind));
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 1;
	printf("child: %d\n", status);
	return 0;
}
