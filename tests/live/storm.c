/* SPDX-License-Identifier: MIT */
/* storm CHILDREN: as many children, each with a thread, which live for a moment; says how many did
 * not end as they should. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "busy.h"

static volatile uint64_t sink;

static void *moment(void *unused)
{
	sink += work(3, 100000);
	return unused;
}

static void live(void)
{
	pthread_t thread;

	moment(NULL);
	if (pthread_create(&thread, NULL, moment, NULL) || pthread_join(thread, NULL))
		_exit(1);
	_exit(0);
}

int main(int argc, char **argv)
{
	unsigned children = argc > 1 ? (unsigned)atoi(argv[1]) : 1, failed = 0;

	for (unsigned i = 0; i < children; i++) {
		pid_t child = fork();
		int status = 0;

		if (!child)
			live();
		failed += child < 0 || waitpid(child, &status, 0) != child || status;
	}
	printf("%u of %u failed\n", failed, children);
	return 0;
}
