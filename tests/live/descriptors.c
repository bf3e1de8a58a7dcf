/* SPDX-License-Identifier: MIT */
/*
 * A program that looks at all its descriptors, takes and closes them: what it finds is the same
 * with and without a collector in it, and it is recorded all the while (after_* each take a part of
 * the time). With "children" as argument: what a child has.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "busy.h"

static volatile uint64_t sink;

#define AFTER(what)                                              \
	static __attribute__((noinline)) void after_##what(void) \
	{                                                        \
		sink = work_here(__COUNTER__, 6000000);          \
	}
AFTER(closefrom)
AFTER(close_range)
AFTER(close)
AFTER(listed)
AFTER(dup)
AFTER(vfork)
AFTER(fork)
AFTER(limit)

static volatile int started, quit;

static __attribute__((noinline)) int in_a_c11_thread(void *unused)
{
	(void)unused;
	started = 1;
	while (!quit)
		sink = work_here(sink, 6000000);
	return 7;
}

static int open_one(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int failed;

static void expect(const char *what, long found, long wanted)
{
	printf("%s %s\n", what, found == wanted ? "unchanged" : "changed");
	if (found != wanted)
		printf("%s: %ld, not %ld\n", what, found, wanted);
	failed |= found != wanted;
}

static long limit(void)
{
	struct rlimit l;

	getrlimit(RLIMIT_NOFILE, &l);
	return (long)l.rlim_cur;
}

/* Numbers in use from 3 on, as the calls have it that tell. */
static int count_used(void)
{
	struct stat st;
	int used = 0;

	for (int fd = 3; fd < limit() + 100; fd++) {
		used += fcntl(fd, F_GETFD) != -1 || errno != EBADF;
		used += !fstat(fd, &st);
	}
	return used;
}

static int close_all(void)
{
	int closed = 0;

	for (int fd = 3; fd < limit() + 100; fd++)
		closed += !close(fd);
	return closed;
}

/* The kernel lists ours too: to close them is as if they were not there. */
static int close_listed(void)
{
	DIR *d = opendir("/proc/self/fd");
	const struct dirent *entry;
	int closed = 0;

	while (d && (entry = readdir(d))) {
		int fd = atoi(entry->d_name);

		closed += fd > 2 && fd != dirfd(d) && !close(fd);
	}
	closedir(d);
	return closed;
}

/* Each number can be had by force, and is then the program's. */
static int take_by_force(int low, int high)
{
	int taken = 0;

	for (int fd = low; fd < high; fd++)
		taken += dup2(0, fd) == fd && fcntl(fd, F_GETFD) == 0;
	for (int fd = low; fd < high; fd++)
		taken += dup3(0, fd, O_CLOEXEC) == fd && fcntl(fd, F_GETFD) == FD_CLOEXEC;
	for (int fd = low; fd < high; fd++)
		taken += !close(fd);
	return taken;
}

static int open_all(void)
{
	int lowest = open_one(), fd, count = 1;

	while ((fd = open_one()) >= 0)
		count++;
	close_range(lowest, ~0u, 0);
	return count;
}

/* What a process made by fork or vfork and exec has open: perf events, of all. */
static int inherited(const char *self)
{
	int status = -1;
	pid_t child = vfork();

	if (!child) {
		close_range(3, ~0u, 0);
		dup2(0, 1000);
		close(1000);
		execl(self, self, "children", (char *)NULL);
		_exit(99);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

static int in_child(const char *self)
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		int found = count_used() + 2 * close_all();

		closefrom(3);
		if (found)
			_exit(97);
		unsetenv("LD_PRELOAD"); /* what it finds then it has from us */
		execl(self, self, "children", (char *)NULL);
		_exit(99);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

static int children(void)
{
	DIR *d = opendir("/proc/self/fd");
	const struct dirent *entry;
	int events = 0, own = getenv("LD_PRELOAD") ? 2 : 0;
	char path[300], to[300] = "";

	while (d && (entry = readdir(d))) {
		snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
		memset(to, 0, sizeof(to));
		if (readlink(path, to, sizeof(to) - 1) > 0)
			events += strstr(to, "perf_event") != NULL;
	}
	return events > own ? events : 0;
}

int main(int argc, char **argv)
{
	int low = limit() < 1200 ? 100 : 900, high = limit() < 1200 ? (int)limit() : 1200;
	thrd_t thread;
	int result = 0;

	if (argc > 1 && !strcmp(argv[1], "children"))
		return children();
	setvbuf(stdout, NULL, _IONBF, 0);
	closefrom(3); /* of whoever started us */
	after_closefrom();
	thrd_create(&thread, in_a_c11_thread, NULL);
	while (!started) /* its events get a low number at first */
		thrd_yield();
	expect("used", count_used(), 0);
	expect("first", open_one(), 3);
	expect("second", open_one(), 4);
	expect("close-range", close_range(3, ~0u, 0), 0);
	after_close_range();
	expect("closed", close_all(), 0);
	after_close();
	expect("closed-listed", close_listed(), 0);
	after_listed();
	expect("by-force", take_by_force(low, high), 3L * (high - low));
	after_dup();
	expect("by-vfork", inherited(argv[0]), 0);
	after_vfork();
	expect("by-fork", in_child(argv[0]), 0);
	after_fork();
	if (limit() < 1200)
		expect("to-the-limit", open_all(), limit() - 3);
	after_limit();
	expect("used at the end", count_used(), 0);
	quit = 1;
	thrd_join(thread, &result);
	expect("thread", result, 7);
	return failed;
}
