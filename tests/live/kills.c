/* SPDX-License-Identifier: MIT */
/*
 * kills TURNS: two threads and a child that work for so many turns each; says on standard error
 * that it has begun, and prints what came of it, unless it is ended before. The child is nobody's
 * then, and ends by itself.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned long turns;

static __attribute__((noinline)) uint64_t step(uint64_t x)
{
	if (x & 1)
		return x * 6364136223846793005u + 1;
	return x & 6 ? x / 3 : x ^ x << 7;
}

static void *work(void *from)
{
	uint64_t *x = from;

	for (unsigned long i = 0; i < turns; i++)
		*x = step(*x + i);
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t sums[3] = {1, 2, 3};
	pthread_t thread;
	int pipes[2];
	pid_t child;

	fputs("begun\n", stderr);
	turns = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	if (pipe(pipes) || pthread_create(&thread, NULL, work, &sums[1]))
		return 2;
	child = fork();
	if (!child) {
		work(&sums[2]);
		_exit(write(pipes[1], &sums[2], sizeof(sums[2])) != sizeof(sums[2]));
	}
	work(&sums[0]);
	if (pthread_join(thread, NULL) || child < 0 ||
	    read(pipes[0], &sums[2], sizeof(sums[2])) != sizeof(sums[2]) ||
	    waitpid(child, NULL, 0) != child)
		return 3;
	printf("%llx %llx %llx\n", (unsigned long long)sums[0], (unsigned long long)sums[1],
	       (unsigned long long)sums[2]);
	return 0;
}
