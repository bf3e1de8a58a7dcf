/* SPDX-License-Identifier: MIT */
/* Programs whose calls into libc are dear where softlbr stands before them: benchmarks/account.py
 * runs them. calls WHAT TIMES */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void on_signal(int number)
{
	(void)number;
}

static void mask(long times, const sigset_t *set)
{
	sigset_t before;

	while (times--) {
		sigprocmask(SIG_BLOCK, set, &before);
		sigprocmask(SIG_SETMASK, &before, NULL);
	}
}

static void mask_all(long times)
{
	sigset_t set;

	sigfillset(&set);
	mask(times, &set);
}

/* The program means SIGTRAP. */
static void mask_handled(long times)
{
	signal(SIGTRAP, on_signal);
	mask_all(times);
}

static void mask_trap(long times)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	mask(times, &set);
}

/* Some code of its own: branches that data decides. */
static void *work(void *times)
{
	volatile uint64_t sum = 0;
	uint64_t value = 1;

	for (intptr_t i = 0; i < (intptr_t)times; i++) {
		value = value * 6364136223846793005u + 1442695040888963407u;
		sum += value >> 63 ? value >> 7 : value ^ sum;
	}
	return NULL;
}

static void threads(long times)
{
	pthread_t thread;

	while (times--) {
		if (pthread_create(&thread, NULL, work, (void *)1000))
			exit(1);
		pthread_join(thread, NULL);
	}
}

static void forks(long times)
{
	while (times--) {
		pid_t child = fork();

		if (!child) {
			work((void *)100000);
			_exit(0);
		}
		if (child < 0 || waitpid(child, NULL, 0) != child)
			exit(1);
	}
}

static void plain(long times)
{
	work((void *)(intptr_t)times);
}

static const struct {
	const char *name;
	void (*run)(long times);
} kinds[] = {
	{"mask-all", mask_all},	  {"mask-handled", mask_handled},
	{"mask-trap", mask_trap}, {"threads", threads},
	{"forks", forks},	  {"plain", plain},
};

int main(int count, char **words)
{
	for (size_t i = 0; count == 3 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(words[1], kinds[i].name) != 0)
			continue;
		kinds[i].run(atol(words[2]));
		return 0;
	}
	fputs("calls WHAT TIMES\n", stderr);
	return 2;
}
