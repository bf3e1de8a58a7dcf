/* SPDX-License-Identifier: MIT */
/* What /proc says of a thread, in its status (proc(5)). By system calls alone, with little stack:
 * also in the child of a vfork. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct task_status {
	uint32_t process; /* whose thread it is; 0: not known, and neither is the rest */
	uint32_t parent;
	uint32_t tracer;   /* who traces it; 0: nobody */
	uint32_t filters;  /* seccomp filters; 1 where the kernel tells only that there are some */
	uint32_t threads;  /* of the process */
	uint32_t kernel;   /* it is a thread of the kernel's */
	uint32_t users[3]; /* real, effective, saved */
	uint32_t queue[2]; /* signals of the user's that queue, and the most of them */
	uint32_t waits, preemptions; /* how often another thread came to run instead */
	/* signals, of which the lowest bit is number 1 */
	uint64_t pending, pending_of_process, blocked, ignored, caught;
	char state; /* as ps(1) prints it */
};

/* The status of the calling thread. All zero where there is no /proc. */
void task_status_own(struct task_status *out);
/* Only its process and filters. The kernel itself says that there are none, which saves reading
 * /proc, and tells it where there is no /proc. */
void task_status_filters(struct task_status *out);
/* The status of the thread @tid; a process's number is its first thread's. All zero if it is gone.
 */
void task_status_of(uint32_t tid, struct task_status *out);

/* The path of the program that the process @pid runs; false if /proc does not tell it. */
bool task_program(uint32_t pid, char *path, size_t bytes);

/* Paths in /proc, which signal handlers make as well: without snprintf. */

/* Print @n to @at; where it ends. */
char *task_path_number(char *at, uint64_t n);
#define TASK_PATH_BYTES 48u
/* "/proc/TID/NAME", of a process or a thread; @name is short. */
void task_path(char path[TASK_PATH_BYTES], uint32_t tid, const char *name);
