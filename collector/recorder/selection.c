/* SPDX-License-Identifier: MIT */
#include "collector/recorder/selection.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

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

void selection_deinit(struct selection *s)
{
	vector_deinit(&s->tasks);
}
