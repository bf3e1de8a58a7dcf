/* SPDX-License-Identifier: MIT */
/* Forks while a trace is followed, again and again: parent and child both go on with it in mind. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define FORKS 100

static volatile uint64_t result;

static void work(unsigned rounds)
{
	uint64_t sum = 0, seed = rounds;

	for (unsigned i = 0; i < rounds; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		if (seed >> 60 < 6)
			sum += seed >> 40;
		else if (seed & 1u << 20)
			sum ^= seed;
	}
	result = sum;
}

int main(void)
{
	for (unsigned i = 0; i < FORKS; i++) {
		pid_t child;
		int status = -1;

		work(200000);
		child = fork();
		if (!child) {
			work(500000);
			exit(0);
		}
		if (waitpid(child, &status, 0) != child || status)
			return 1;
	}
	return 0;
}
