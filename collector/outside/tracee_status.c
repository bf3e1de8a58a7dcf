/* SPDX-License-Identifier: MIT */
/* What /proc tells of a process beside its status (collector/kernel/task_status.h). */
#include "collector/outside/tracee.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/kernel/clock.h"

/* As much of a file of /proc as there is room for, as text: "" if there is none. */
static void read_text(int folder, const char *path, char *text, size_t bytes)
{
	int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
	ssize_t got = file < 0 ? 0 : read(file, text, bytes - 1);

	if (file >= 0)
		close(file);
	text[got > 0 ? got : 0] = 0;
}

/* The signals of a descriptor, as /proc/PID/fdinfo tells them; 0 of what is no signalfd. */
static uint64_t signals_of(int folder, const char *number)
{
	char text[512];
	const char *mask;

	read_text(folder, number, text, sizeof(text));
	mask = strstr(text, "\nsigmask:");
	return mask ? strtoull(mask + sizeof("\nsigmask:") - 1, NULL, 16) : 0;
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
	char path[TASK_PATH_BYTES], text[1024], *end;

	task_path(path, pid, "stat");
	read_text(AT_FDCWD, path, text, sizeof(text));
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

bool tracee_status_ran(pid_t tid, uint64_t *ns, uint64_t *times)
{
	char path[TASK_PATH_BYTES], text[64];

	task_path(path, (uint32_t)tid, "schedstat");
	read_text(AT_FDCWD, path, text, sizeof(text));
	return sscanf(text, "%" SCNu64 " %*u %" SCNu64, ns, times) == 2;
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
