/* SPDX-License-Identifier: MIT */
#include "collector/recorder/selection.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/kernel/task_status.h"

static bool has_task(const struct selection *s, pid_t task)
{
	for (size_t i = 0; i < s->tasks.count; i++)
		if (s->tasks.items[i] == task)
			return true;
	return false;
}

int selection_add_tasks(struct selection *s, const char *list)
{
	do {
		char *end;
		long task;

		if (!isdigit((unsigned char)*list))
			return -1;
		errno = 0;
		task = strtol(list, &end, 10);
		if (errno || task < 1 || task > INT_MAX || (*end && *end != ','))
			return -1;
		if (!has_task(s, (pid_t)task) && vector_add(&s->tasks, (pid_t)task))
			return -1;
		list = end + 1;
		if (!*end)
			return 0;
	} while (true);
}

static bool is_own_users(pid_t pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return !geteuid() || (!stat(path, &st) && st.st_uid == geteuid());
}

/* What the kernel calls it, which may be cut off, without the end of the line. */
static bool read_name(pid_t pid, char *name, size_t bytes)
{
	char path[32];
	ssize_t got;
	int file;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	file = open(path, O_RDONLY | O_CLOEXEC);
	got = file < 0 ? -1 : read(file, name, bytes);
	if (file >= 0)
		close(file);
	if (got <= 0)
		return false;
	name[got - 1] = 0;
	return true;
}

/* The file name of its program. */
static bool read_program(pid_t pid, char *program, size_t bytes)
{
	static const char deleted[] = " (deleted)";
	char *slash;
	size_t end;

	if (!task_program((uint32_t)pid, program, bytes))
		return false;
	end = strlen(program);
	if (end > strlen(deleted) &&
	    !memcmp(program + end - strlen(deleted), deleted, strlen(deleted)))
		end -= strlen(deleted);
	program[end] = 0;
	slash = strrchr(program, '/');
	if (slash)
		memmove(program, slash + 1, strlen(slash));
	return true;
}

bool selection_has_name(const struct selection *s, pid_t pid)
{
	char name[PATH_MAX];

	if (!s->name || !is_own_users(pid))
		return false;
	return (read_name(pid, name, sizeof(name)) && !fnmatch(s->name, name, 0)) ||
	       (read_program(pid, name, sizeof(name)) && !fnmatch(s->name, name, 0));
}

void selection_deinit(struct selection *s)
{
	vector_deinit(&s->tasks);
}
