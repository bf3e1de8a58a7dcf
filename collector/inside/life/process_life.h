/* SPDX-License-Identifier: MIT */
/* How a process comes into a recording, is switched off and on, and leaves it. */
#pragma once

#include <stdbool.h>

#include "collector/inside/handler/process.h"

/* Join the session in @directory and start profiling the calling thread. 0 or a negative errno. */
int process_join(const char *directory);
/* Profile the threads that exist already. */
void process_add_existing_threads(void);
/* The program wants the number @fd, which is ours. */
void process_move_descriptor(int fd);
/* In a new thread: begin to sample it in the slot @t, if the recording is on. */
void process_begin_thread(struct thread *t);
/* Close the events of all threads, or open them anew. One caller at a time. */
void process_pause(bool pause);
/* The program wants all hardware breakpoints: give up those of its threads. False if there are none
 * to give up. */
bool process_give_up_breakpoints(void);
/* In the child of a fork: forget the parent's events, join the session as a process of its own. */
void process_after_fork(void);
/* Stop: no event of ours is left open, and the signals are the program's again. */
void process_leave(void);
/* The same for good, because of what the program is or is about to do: the recorder is told. On
 * return no thread is in code of ours that makes system calls, nor comes there any more. */
void process_refuse(enum refusal reason);
/* The same for a program that is about to end: its signals are left as they are. */
void process_end(void);

/* Is this glibc's process? The collector can be loaded with another libc, but only to stay out. */
bool process_can_watch_forks(void);
/* Have @after called in the child of each fork. 0, or -1 if that can't be. */
int process_watch_forks(void (*after)(void));
