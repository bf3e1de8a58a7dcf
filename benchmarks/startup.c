/* SPDX-License-Identifier: MIT */
/*
 * What recording adds to a program that lives for a millisecond, for startup.sh.
 *
 *	startup inside ROUNDS		under `softlbr record`: this program with the collector and
 *					without in turns, from exec to main and to its end
 *	startup whole ROUNDS SOFTLBR	`softlbr record -- true` and `true` in turns
 *	startup main			writes when it came to main
 *
 * Prints medians in ms, of time and of processor time, which other programs disturb less.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS_MOST 10000

struct run {
	double main_ms, end_ms; /* since it was started */
	double cpu_ms;
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

static double timeval_ms(struct timeval t)
{
	return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

/* With its standard output into @output and no standard error; its status has to be 0. */
static struct run run_once(char *const *command, char *const *environment, int output)
{
	posix_spawn_file_actions_t files;
	double begin = now_ms();
	struct rusage used;
	struct run r = {0};
	pid_t child;
	int status;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, output, 1);
	posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	if (posix_spawnp(&child, command[0], &files, NULL, command, environment))
		fail(command[0]);
	if (wait4(child, &status, 0, &used) != child || status)
		fail("its status");
	r.end_ms = now_ms() - begin;
	r.cpu_ms = timeval_ms(used.ru_utime) + timeval_ms(used.ru_stime);
	posix_spawn_file_actions_destroy(&files);
	return r;
}

static struct run run_main(char *const *environment)
{
	char *command[] = {"/proc/self/exe", "main", NULL};
	double begin = now_ms(), at_main;
	struct run r;
	int ends[2];

	if (pipe(ends))
		fail("pipe");
	r = run_once(command, environment, ends[1]);
	if (read(ends[0], &at_main, sizeof(at_main)) != sizeof(at_main))
		fail("what it wrote");
	r.main_ms = at_main - begin;
	close(ends[0]);
	close(ends[1]);
	return r;
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

static struct run without[ROUNDS_MOST], with[ROUNDS_MOST];

static double get_main(const struct run *r)
{
	return r->main_ms;
}

static double get_end(const struct run *r)
{
	return r->end_ms;
}

static double get_cpu(const struct run *r)
{
	return r->cpu_ms;
}

static double median_of(const struct run *runs, int rounds, double (*get)(const struct run *))
{
	static double values[ROUNDS_MOST];

	for (int i = 0; i < rounds; i++)
		values[i] = get(&runs[i]);
	return median(values, rounds);
}

static void print(const char *what, int rounds, double (*get)(const struct run *))
{
	double plain = median_of(without, rounds, get), recorded = median_of(with, rounds, get);

	printf("%-28s %6.2f plain %6.2f recorded %6.2f added\n", what, plain, recorded,
	       recorded - plain);
}

static void inside(int rounds)
{
	char **plain = plain_environment();

	if (!getenv("SOFTLBR_SESSION"))
		fail("not under softlbr record");
	for (int i = 0; i < rounds; i++) {
		without[i] = run_main(plain);
		with[i] = run_main(environ);
	}
	print("a program, start to main", rounds, get_main);
	print("a program, start to end", rounds, get_end);
	print("a program, processor time", rounds, get_cpu);
}

static void whole(int rounds, char *softlbr)
{
	char *plain[] = {"/bin/true", NULL};
	char *recorded[] = {softlbr, "record", "-o", "startup.data", "--", "/bin/true", NULL};
	int output = open("/dev/null", O_WRONLY);

	for (int i = 0; i < rounds; i++) {
		without[i] = run_once(plain, environ, output);
		with[i] = run_once(recorded, environ, output);
	}
	print("record -- true, whole", rounds, get_end);
	print("record -- true, processors", rounds, get_cpu);
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
