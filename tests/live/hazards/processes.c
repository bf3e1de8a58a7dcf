/* SPDX-License-Identifier: MIT */
/* Processes: daemons, vfork, many that are short, stopped ones, replaced ones. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hazards.h"

/* Forks twice, leaves its session; its result comes through a pipe. */
static int run_daemon(char **argv)
{
	uint64_t sum = 0;
	int ends[2];
	pid_t child;

	(void)argv;
	if (pipe(ends))
		return 1;
	child = fork();
	if (!child) {
		setsid();
		if (fork())
			_exit(0);
		close(0);
		open("/dev/null", O_RDWR);
		sum = work(3, 60000000);
		_exit(write(ends[1], &sum, sizeof(sum)) != sizeof(sum));
	}
	close(ends[1]);
	waitpid(child, NULL, 0);
	hazard_expect("read", read(ends[0], &sum, sizeof(sum)), sizeof(sum));
	printf("daemon %llx, itself %llx\n", (unsigned long long)sum,
	       (unsigned long long)work(4, 30000000));
	return 0;
}

static int run_vfork(char **argv)
{
	int exits = 0, execs = 0, status;
	uint64_t sum = 1;

	for (int i = 0; i < 60; i++) {
		pid_t child = vfork();

		if (!child) {
			if (i % 2)
				execl(argv[0], argv[0], "short", (char *)NULL);
			_exit(i);
		}
		sum = work(sum, 300000);
		waitpid(child, &status, 0);
		if (i % 2)
			execs += WEXITSTATUS(status) == 21;
		else
			exits += WEXITSTATUS(status) == i;
	}
	printf("%d exits, %d execs, %llx\n", exits, execs, (unsigned long long)sum);
	return 0;
}

static int run_short(char **argv)
{
	(void)argv;
	return work(1, 100000) ? 21 : 0;
}

/* 600 processes, 20 at a time, half of them with a child of their own. */
static int run_bomb(char **argv)
{
	int alive = 0, ended = 0, good = 0, status;

	(void)argv;
	for (int i = 0; i < 600 || alive; i++) {
		if (i < 600) {
			pid_t child = fork();

			if (!child) {
				pid_t below = i % 2 ? fork() : 0;

				if (below)
					waitpid(below, NULL, 0);
				_exit(work((uint64_t)i, 100000) ? 5 : 0);
			}
			alive += child > 0;
		}
		if (alive >= 20 || i >= 600) {
			ended += wait(&status) > 0;
			good += WIFEXITED(status) && WEXITSTATUS(status) == 5;
			alive--;
		}
	}
	printf("%d ended, %d well\n", ended, good);
	return 0;
}

/* Stopped and continued ten times, while it works. */
static int run_stop(char **argv)
{
	int status = 0, stops = 0, ends[2];
	uint64_t sum = 0;
	pid_t child;

	(void)argv;
	if (pipe(ends))
		return 1;
	child = fork();
	if (!child) {
		sum = work(8, 100000000);
		_exit(write(ends[1], &sum, sizeof(sum)) != sizeof(sum));
	}
	for (int i = 0; i < 10; i++) {
		usleep(20000);
		kill(child, SIGSTOP);
		if (waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status))
			stops++;
		else
			break;
		usleep(5000);
		kill(child, SIGCONT);
	}
	hazard_expect("read", read(ends[0], &sum, sizeof(sum)), sizeof(sum));
	if (!WIFEXITED(status))
		waitpid(child, &status, 0);
	printf("%s, status %x, %llx\n", stops ? "stopped" : "never stopped", (unsigned)status,
	       (unsigned long long)sum);
	return 0;
}

/* Replaces itself twenty times, with signals blocked and pending on the way. */
static int run_exec(char **argv)
{
	int round = argv[2] ? atoi(argv[2]) : 0;
	uint64_t sum = argv[2] ? strtoull(argv[3], NULL, 16) : 1;
	char next[16], state[32];
	sigset_t set, pending;

	sigpending(&pending);
	hazard_expect("pending", sigismember(&pending, SIGUSR1), round > 0);
	sum = work(sum, 4000000);
	if (round == 20) {
		printf("%llx\n", (unsigned long long)sum);
		return 0;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	snprintf(next, sizeof(next), "%d", round + 1);
	snprintf(state, sizeof(state), "%llx", (unsigned long long)sum);
	execl(argv[0], argv[0], argv[1], next, state, (char *)NULL);
	return 1;
}

const struct hazard hazards_processes[] = {
	{"daemon", run_daemon}, {"vfork", run_vfork}, {"short", run_short}, {"bomb", run_bomb},
	{"stop", run_stop},	{"exec", run_exec},   {NULL, NULL},
};
