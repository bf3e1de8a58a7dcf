/* SPDX-License-Identifier: MIT */
/* Control groups, of version 1 and 2 (cgroups(7)): the processes in one. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "softlbr/error.h"

/* The directory of the cgroup @name, into @path: it is that, or as /proc/PID/cgroup has it. 0, or
 * an error that says what to give. */
int cgroup_find(const char *name, char *path, size_t bytes, struct softlbr_error *e);
/* Call @take for each process in the cgroup of the directory @path, and in those below it. */
void cgroup_each(const char *path, void (*take)(void *context, pid_t pid), void *context);
