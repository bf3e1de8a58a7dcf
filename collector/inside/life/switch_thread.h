/* SPDX-License-Identifier: MIT */
/*
 * A process whose recording is switched on and off: a thread of ours sleeps in it until the
 * session's state changes, and closes or opens the events of all its threads then. While it is off
 * there is no event, no descriptor and no breakpoint of ours.
 *
 * It is a bare thread of the kernel, not libc's: libc does not count it among the program's, and it
 * calls nothing of libc. Recordings that are not switched do without it.
 */
#ifndef COLLECTOR_INSIDE_LIFE_SWITCH_THREAD_H
#define COLLECTOR_INSIDE_LIFE_SWITCH_THREAD_H

#include <stdbool.h>
#include <stdint.h>

struct process; /* collector/inside/handler/process.h */

/* What the thread does to its process: process.c's. */
struct switch_thread_operations {
	void (*pause)(bool pause);
	void (*leave)(void);
};

/* Start the thread, and do what the state says. 0 or a negative errno. */
int switch_thread_start(struct process *p, const struct switch_thread_operations *operations);
/* @p is refused: wait until the thread is gone, if there is one. */
void switch_thread_end(struct process *p);

#endif
