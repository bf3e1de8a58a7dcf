/* SPDX-License-Identifier: MIT */
/* What to record of what runs already, instead of a command. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/vector.h"

struct selection {
	VECTOR(pid_t) tasks; /* processes, or threads */
	bool threads;	     /* tasks are threads: of these, and what they make, alone */
	bool alone;	     /* without the children of its processes */
};

/* Is anything selected? Else a command is recorded. */
static inline bool selection_is_any(const struct selection *s)
{
	return s->tasks.count != 0;
}

/* Add the tasks of @list, numbers with commas between them, each once. 0; -1 if it is no such
 * list, or without memory. */
int selection_add_tasks(struct selection *s, const char *list);
void selection_deinit(struct selection *s);
