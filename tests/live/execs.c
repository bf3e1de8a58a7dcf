/* SPDX-License-Identifier: MIT */
/*
 * execs PROGRAM...: starts each PROGRAM in all the ways that libc has, and what can't be started,
 * too; prints what came of it, which is the same with and without a collector.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS "one", "two words", ""

static char *words[] = {"name", WORDS, NULL};
static char *large[3002];

static char *const small[] = {"FIRST=1", "LD_LIBRARY_PATH=/nowhere", "PATH=/bin", NULL};

static void make_large(void)
{
	for (int i = 0; i < 3000; i++) {
		large[i] = malloc(32);
		snprintf(large[i], 32, "LARGE_%d=%d", i, i);
	}
	large[3000] = "LD_PRELOAD=";
}

/* Never returns but with what is wrong. */
static int start(const char *how, const char *path)
{
	int fd;

	if (!strcmp(how, "execve"))
		execve(path, words, environ);
	else if (!strcmp(how, "execve-small"))
		execve(path, words, small);
	else if (!strcmp(how, "execve-large"))
		execve(path, words, large);
	else if (!strcmp(how, "execve-null"))
		execve(path, words, NULL);
	else if (!strcmp(how, "execv"))
		execv(path, words);
	else if (!strcmp(how, "execvp"))
		execvp(path, words);
	else if (!strcmp(how, "execvpe"))
		execvpe(path, words, small);
	else if (!strcmp(how, "execl"))
		execl(path, "name", WORDS, NULL);
	else if (!strcmp(how, "execlp"))
		execlp(path, "name", WORDS, NULL);
	else if (!strcmp(how, "execle"))
		execle(path, "name", WORDS, NULL, small);
	else if (!strcmp(how, "execveat"))
		execveat(AT_FDCWD, path, words, environ, 0);
	else if (!strcmp(how, "execveat-fd"))
		execveat(open(path, O_PATH | O_CLOEXEC), "", words, small, AT_EMPTY_PATH);
	else if (!strcmp(how, "fexecve") && (fd = open(path, O_RDONLY | O_CLOEXEC)) >= 0)
		fexecve(fd, words, environ);
	return errno;
}

static void report(const char *how, const char *path, int status, int why)
{
	if (why)
		printf("%s %s: errno %d\n", how, path, why);
	else if (WIFSIGNALED(status))
		printf("%s %s: signal %d\n", how, path, WTERMSIG(status));
	else
		printf("%s %s: status %d\n", how, path, WEXITSTATUS(status));
	fflush(stdout);
}

/* In the child of a vfork, which shares our memory: @why comes back. */
static void by_vfork(const char *how, const char *path)
{
	volatile int why = 0;
	int status = 0;
	pid_t child = vfork();

	if (!child) {
		why = start(how, path);
		_exit(0);
	}
	waitpid(child, &status, 0);
	report(how, path, status, why);
}

static void by_spawn(const char *path, bool search, char *const *environment)
{
	pid_t child;
	int status = 0, why = (search ? posix_spawnp : posix_spawn)(&child, path, NULL, NULL, words,
								    environment);

	if (!why)
		waitpid(child, &status, 0);
	report(search ? "posix_spawnp" : "posix_spawn", path, status, why);
}

static void by_shell(const char *path)
{
	char line[PATH_MAX], got[256];
	FILE *f;

	snprintf(line, sizeof(line), "'%s' from a shell", path);
	report("system", path, system(line), 0);
	f = popen(line, "r");
	while (f && fgets(got, sizeof(got), f))
		fputs(got, stdout);
	report("popen", path, pclose(f), 0);
}

static void all(const char *path)
{
	static const char *const hows[] = {
		"execve",   "execve-small", "execve-large", "execve-null", "execv",
		"execvp",   "execvpe",	    "execl",	    "execlp",	   "execle",
		"execveat", "execveat-fd",  "fexecve",
	};

	for (size_t i = 0; i < sizeof(hows) / sizeof(hows[0]); i++)
		by_vfork(hows[i], path);
	by_spawn(path, false, environ);
	by_spawn(path, true, small);
	by_spawn(path, false, large);
	by_shell(path);
}

int main(int argc, char **argv)
{
	make_large();
	for (int i = 1; i < argc; i++)
		all(argv[i]);
	return 0;
}
