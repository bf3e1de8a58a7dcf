/* SPDX-License-Identifier: MIT */
/*
 * What recording adds to a program that lives for a millisecond, for startup.sh.
 *
 *	startup inside ROUNDS		under `softlbr record`: this program with the collector and
 *					without in turns, from exec to main and to its end
 *	startup whole ROUNDS SOFTLBR	`softlbr record -- true` and `true` in turns
 *	startup main			writes when it came to main
 *
 * Prints medians in ms.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS_MOST 10000

struct run {
	double main_ms, end_ms; /* since it was started */
};

extern char **environ;

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* With its standard output into @output and no standard error; its status has to be 0. */
static void run_once(char *const *command, char *const *environment, int output)
{
	posix_spawn_file_actions_t files;
	pid_t child;
	int status;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, output, 1);
	posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	if (posix_spawnp(&child, command[0], &files, NULL, command, environment))
		fail(command[0]);
	if (waitpid(child, &status, 0) != child || status)
		fail("its status");
	posix_spawn_file_actions_destroy(&files);
}

static struct run run_main(char *const *environment)
{
	char *command[] = {"/proc/self/exe", "main", NULL};
	struct run r = {0};
	double begin;
	int ends[2];

	if (pipe(ends))
		fail("pipe");
	begin = now_ms();
	run_once(command, environment, ends[1]);
	r.end_ms = now_ms() - begin;
	if (read(ends[0], &r.main_ms, sizeof(r.main_ms)) != sizeof(r.main_ms))
		fail("what it wrote");
	r.main_ms -= begin;
	close(ends[0]);
	close(ends[1]);
	return r;
}

static double run_command(char *const *command, int output)
{
	double begin = now_ms();

	run_once(command, environ, output);
	return now_ms() - begin;
}

/* The environment without the collector. */
static char **plain_environment(void)
{
	static char *plain[4096];
	size_t count = 0;

	for (char **e = environ; *e && count < 4095; e++)
		if (strncmp(*e, "LD_PRELOAD=", 11) && strncmp(*e, "SOFTLBR_", 8))
			plain[count++] = *e;
	return plain;
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double *values, int count)
{
	qsort(values, (size_t)count, sizeof(*values), ascending);
	return values[count / 2];
}

static double values[4][ROUNDS_MOST];

static void inside(int rounds)
{
	char **plain = plain_environment();

	if (!getenv("SOFTLBR_SESSION"))
		fail("not under softlbr record");
	for (int i = 0; i < rounds; i++) {
		struct run p = run_main(plain), r = run_main(environ);

		values[0][i] = p.main_ms;
		values[1][i] = r.main_ms;
		values[2][i] = p.end_ms;
		values[3][i] = r.end_ms;
	}
	for (int i = 0; i < 4; i += 2) {
		double without = median(values[i], rounds), with = median(values[i + 1], rounds);

		printf("%s %.2f plain, %.2f recorded, %.2f added\n",
		       i ? "start to end: " : "start to main:", without, with, with - without);
	}
}

static void whole(int rounds, char *softlbr)
{
	char *plain[] = {"/bin/true", NULL};
	char *recorded[] = {softlbr, "record", "-o", "startup.data", "--", "/bin/true", NULL};
	int output = open("/dev/null", O_WRONLY);
	double without, with;

	for (int i = 0; i < rounds; i++) {
		values[0][i] = run_command(plain, output);
		values[1][i] = run_command(recorded, output);
	}
	without = median(values[0], rounds);
	with = median(values[1], rounds);
	printf("true:          %.2f plain, %.2f under record, %.2f added\n", without, with,
	       with - without);
}

int main(int argc, char **argv)
{
	double now = now_ms();
	int rounds = argc > 2 ? atoi(argv[2]) : 50;

	if (rounds < 1 || rounds > ROUNDS_MOST)
		fail("rounds");
	if (argc == 2 && !strcmp(argv[1], "main"))
		return write(1, &now, sizeof(now)) != sizeof(now);
	if (argc == 3 && !strcmp(argv[1], "inside"))
		inside(rounds);
	else if (argc == 4 && !strcmp(argv[1], "whole"))
		whole(rounds, argv[3]);
	return 0;
}
