/* SPDX-License-Identifier: MIT */
#include "pgo/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

static volatile sig_atomic_t interrupted; /* the signal's number */
static volatile sig_atomic_t running;	  /* the child, which leads a process group, or 0 */

static struct {
	void (*tell)(void *context);
	void *context;
} child_ticks;

/* For all that the child has started: a build's compilers, too. */
static void child_take_signal(int number)
{
	interrupted = number;
	if (running)
		kill(-(pid_t)running, number);
}

void child_tick(void (*tell)(void *context), void *context)
{
	child_ticks.tell = tell;
	child_ticks.context = context;
}

void child_keep_signals(void)
{
	const struct sigaction action = {.sa_handler = child_take_signal};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

int child_interrupted(void)
{
	return interrupted;
}

double child_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double cpu_of(const struct rusage *r)
{
	return (double)(r->ru_utime.tv_sec + r->ru_stime.tv_sec) +
	       1e-6 * (double)(r->ru_utime.tv_usec + r->ru_stime.tv_usec);
}

/* Instructions of @pid and of all that it makes, from its exec on; -1: not here. */
static int open_counter(pid_t pid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = 1,
		.inherit = 1,
		.enable_on_exec = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static void put_descriptor(int fd, int as)
{
	if (fd >= 0 && dup2(fd, as) < 0)
		_exit(126);
}

/* In the child; @go is closed when it may begin. */
static void become(const struct child *c, int go)
{
	int nothing = open("/dev/null", O_RDONLY);
	char byte;

	setpgid(0, 0);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	put_descriptor(nothing, STDIN_FILENO);
	put_descriptor(c->out, STDOUT_FILENO);
	put_descriptor(c->err, STDERR_FILENO);
	if (c->directory && chdir(c->directory))
		_exit(126);
	while (read(go, &byte, 1) < 0 && errno == EINTR)
		;
	execvp(c->words[0], c->words);
	_exit(errno == ENOENT ? 127 : 126);
}

static void take_end(struct child *c, int status, const struct rusage *used, int counter)
{
	if (counter < 0 ||
	    read(counter, &c->instructions, sizeof(c->instructions)) != sizeof(c->instructions))
		c->instructions = 0;
	c->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	c->cpu_seconds = cpu_of(used);
}

/* Tell once a second until it ends. */
static void wait_telling(pid_t pid)
{
	int fd = child_ticks.tell ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	struct pollfd end = {.fd = fd, .events = POLLIN};
	int ready = 0;

	while (fd >= 0 && (ready = poll(&end, 1, 1000)) <= 0 && (!ready || errno == EINTR))
		child_ticks.tell(child_ticks.context);
	if (fd >= 0)
		close(fd);
}

int child_run(struct child *c, struct softlbr_error *e)
{
	double begun = child_now();
	struct rusage used;
	int go[2], status, counter;
	pid_t pid, got;

	if (interrupted)
		return error_set(e, SOFTLBR_E_SYSTEM, NULL, "interrupted");
	if (pipe2(go, O_CLOEXEC))
		return error_set_errno(e, c->words[0], "cannot start %s", c->words[0]);
	pid = fork();
	if (!pid) {
		close(go[1]);
		become(c, go[0]);
	}
	close(go[0]);
	if (pid < 0) {
		close(go[1]);
		return error_set_errno(e, c->words[0], "cannot start %s", c->words[0]);
	}
	setpgid(pid, pid); /* here, too: a signal may come before it has */
	running = pid;
	counter = c->counts ? open_counter(pid) : -1;
	close(go[1]);
	wait_telling(pid);
	do
		got = wait4(pid, &status, 0, &used);
	while (got < 0 && errno == EINTR);
	running = 0;
	c->seconds = child_now() - begun;
	if (got == pid)
		take_end(c, status, &used, counter);
	if (counter >= 0)
		close(counter);
	if (got < 0)
		return error_set_errno(e, c->words[0], "cannot wait for %s", c->words[0]);
	return interrupted ? error_set(e, SOFTLBR_E_SYSTEM, NULL, "interrupted") : 0;
}

int child_run_shell(struct child *c, const char *command, struct softlbr_error *e)
{
	char *const words[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, (char *)command, NULL};

	c->words = words;
	return child_run(c, e);
}
