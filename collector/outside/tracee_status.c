/* SPDX-License-Identifier: MIT */
/* What /proc/TID/status tells of a thread: struct tracee_status of tracee.h. */
#include "collector/outside/tracee.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/kernel/clock.h"

/* Room for all that comes before the lists of processors and memory nodes, which can be long. */
#define STATUS_BYTES 4096

/* What follows @name at the beginning of a line, or NULL. A process's name can't begin a line. */
static const char *value_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? at + strlen(name) : NULL;
}

static uint32_t number_of(const char *text, const char *name)
{
	const char *value = value_of(text, name);

	return value ? (uint32_t)strtoul(value, NULL, 10) : 0;
}

static uint64_t set_of(const char *text, const char *name)
{
	const char *value = value_of(text, name);

	return value ? strtoull(value, NULL, 16) : 0;
}

static void take(const char *text, struct tracee_status *s)
{
	const char *state = value_of(text, "\nState:\t"), *users = value_of(text, "\nUid:"),
		   *queue = value_of(text, "\nSigQ:");

	*s = (struct tracee_status){.state = state ? *state : 0,
				    .kernel = number_of(text, "\nKthread:"), /* Linux 6.8 */
				    .pid = number_of(text, "\nTgid:"),
				    .parent = number_of(text, "\nPPid:"),
				    .tracer = number_of(text, "\nTracerPid:"),
				    .pending = set_of(text, "\nSigPnd:") |
					       set_of(text, "\nShdPnd:"),
				    .threads = number_of(text, "\nThreads:"),
				    .blocked = set_of(text, "\nSigBlk:"),
				    .ignored = set_of(text, "\nSigIgn:"),
				    .caught = set_of(text, "\nSigCgt:")};
	if (users)
		sscanf(users, "%u%u%u", &s->users[0], &s->users[1], &s->users[2]);
	if (queue)
		sscanf(queue, "%u/%u", &s->queued, &s->queued_most);
}

int tracee_status_read(pid_t tid, struct tracee_status *s)
{
	char path[64], text[STATUS_BYTES];
	ssize_t got;
	int file;

	*s = (struct tracee_status){0};
	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	got = read(file, text, sizeof(text) - 1);
	close(file);
	if (got <= 0)
		return -ESRCH; /* it ended meanwhile */
	text[got] = 0;
	take(text, s);
	return s->pid ? 0 : -ESRCH;
}

/* The signals of a descriptor, as /proc/PID/fdinfo tells them; 0 of what is no signalfd. */
static uint64_t signals_of(int folder, const char *number)
{
	char text[512];
	ssize_t got;
	int file = openat(folder, number, O_RDONLY | O_CLOEXEC);

	got = file < 0 ? 0 : read(file, text, sizeof(text) - 1);
	if (file >= 0)
		close(file);
	text[got > 0 ? got : 0] = 0;
	return set_of(text, "\nsigmask:");
}

uint64_t tracee_status_signalfds(uint32_t pid)
{
	struct dirent *entry;
	uint64_t all = 0;
	char path[64];
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%u/fdinfo", pid);
	d = opendir(path);
	if (!d)
		return ~UINT64_C(0);
	while ((entry = readdir(d)))
		if (entry->d_name[0] != '.')
			all |= signals_of(dirfd(d), entry->d_name);
	closedir(d);
	return all;
}

/* The times of /proc/PID/stat, behind the name, which may contain anything; @started since boot. */
static bool read_ticks(uint32_t pid, struct tracee_times *out, uint64_t *started)
{
	char path[64], text[1024], *end;
	ssize_t got;
	int file;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	got = read(file, text, sizeof(text) - 1);
	close(file);
	text[got > 0 ? got : 0] = 0;
	end = strrchr(text, ')');
	return end && sscanf(end,
			     ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64
			     " %*d %*d %*d %*d %*d %*d %" SCNu64,
			     &out->user_ticks, &out->system_ticks, started) == 3;
}

uint64_t tracee_status_age_ns(uint32_t pid)
{
	struct tracee_times times;
	struct timespec now;
	uint64_t started;

	if (!read_ticks(pid, &times, &started) || clock_gettime(CLOCK_BOOTTIME, &now))
		return 0;
	return clock_timespec_ns(&now) - started * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

bool tracee_status_times(uint32_t pid, struct tracee_times *out)
{
	struct timespec now;
	clockid_t clock;
	uint64_t started;

	if (clock_getcpuclockid((pid_t)pid, &clock) || clock_gettime(clock, &now))
		return false;
	out->cpu_ns = clock_timespec_ns(&now);
	return read_ticks(pid, out, &started);
}

bool tracee_status_has_ended(const struct tracee_status *s)
{
	return s->state == 'Z' || s->state == 'X';
}

bool tracee_status_ignores(const struct tracee_status *s, int number)
{
	uint64_t by_default = tracee_status_signal(SIGCHLD) | tracee_status_signal(SIGCONT) |
			      tracee_status_signal(SIGURG) | tracee_status_signal(SIGWINCH);

	return tracee_status_signal(number) & (s->ignored | (by_default & ~s->caught));
}
