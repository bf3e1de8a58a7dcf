/* SPDX-License-Identifier: MIT */
/* What to record of what runs already, instead of a command. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/vector.h"

/* What any of its members names. */
struct selection {
	VECTOR(pid_t) tasks; /* processes, or threads */
	bool threads;	     /* tasks are threads: of these, and what they make, alone */
	bool alone;	     /* without the children of its processes */
	const char *cgroup;  /* processes in this one (cgroup.h) */
	const char *name;    /* processes of this name, or of a program of this name: a pattern */
};

/* Can processes come to be selected later? */
static inline bool selection_is_open(const struct selection *s)
{
	return s->cgroup || s->name;
}

/* Is anything selected? Else a command is recorded. */
static inline bool selection_is_any(const struct selection *s)
{
	return s->tasks.count || selection_is_open(s);
}

/* Add the tasks of @list, numbers with commas between them, each once. 0; -1 if it is no such
 * list, or without memory. */
int selection_add_tasks(struct selection *s, const char *list);
/* Is the process @pid one by its name? Others' are not, but for root. */
bool selection_has_name(const struct selection *s, pid_t pid);
void selection_deinit(struct selection *s);
