/* SPDX-License-Identifier: MIT */
/* Forks while a trace is followed, again and again: parent and child both go on with it in mind. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "busy.h"

#define FORKS 100

static volatile uint64_t result;

int main(void)
{
	for (unsigned i = 0; i < FORKS; i++) {
		pid_t child;
		int status = -1;

		result = work(i, 200000);
		child = fork();
		if (!child) {
			result = work(i, 500000);
			exit(0);
		}
		if (waitpid(child, &status, 0) != child || status)
			return 1;
	}
	return 0;
}
