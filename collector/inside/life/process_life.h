/* SPDX-License-Identifier: MIT */
/* How a process and its threads come into a recording, are switched off and on, and leave it: in
 * ordinary code, never in a handler. */
#pragma once

#include "collector/inside/handler/process.h"
#include "collector/inside/handler/process_file.h"
#include "collector/inside/handler/thread.h"

/* Join the session in @directory and start profiling the calling thread. 0 or a negative errno. */
int process_join(const char *directory);
/* Profile the threads that exist already. */
void process_add_existing_threads(void);
/* The program wants the number @fd, which is ours. */
void process_move_descriptor(int fd);
/* In a new thread: begin to sample it in the slot @t, if the recording is on. */
void process_begin_thread(struct thread *t);
/* A thread is prepared: open its events, if the recording is on; else the slot is given back. */
void process_open_thread(struct thread *t, uint64_t period);
/* Close the events of all threads, or open them anew. One caller at a time. */
void process_pause(bool pause);
/* The program wants all hardware breakpoints: give up those of its threads. False if there are none
 * to give up. */
bool process_give_up_breakpoints(void);
/* SIGTRAP is about to matter to the program (trap_mask_matters). */
void process_trap_matters(const sigset_t *set);
/* In the child of a fork: forget the parent's events, join the session as a process of its own. */
void process_after_fork(void);
/* Stop: no event of ours is left open, and the signals are the program's again. */
void process_leave(void);
/* The same for good, because of what the program is or is about to do: the recorder is told. On
 * return no thread is in code of ours that makes system calls, nor comes there any more. */
void process_exclude(enum exclusion reason);
/* The same for a program that is about to end: its signals are left as they are. */
void process_end(void);

/* Is this glibc's process? The collector can be loaded with another libc, but only to stay out. */
bool process_can_watch_forks(void);
/* Have @after called in the child of each fork. 0, or -1 if that can't be. */
int process_watch_forks(void (*after)(void));

/* ---- threads ------------------------------------------------------------------------------- */

/* The arena of slots. */
void thread_init(struct arena *slots);
/* Take a slot; NULL if there is none, or no memory: the thread is counted as failed. */
struct thread *thread_take(struct process *p);
/* Draw when thread @tid of this process is to be sampled. */
void thread_prepare(struct thread *t, uint32_t tid);
/* Open its events and start sampling it: @period is of the first sample, 0: any. 0 or a negative
 * errno; then the slot is given back. */
int thread_open(struct thread *t, uint64_t period);
/* Stop and give the slot back, unless another does; waits for the thread's handler to return. */
void thread_end(struct thread *t);
/* The calling thread ends, whichever slot it has by now. */
void thread_end_current(struct process *p);
/* The program wants the number @fd: leave it, if it is this thread's. */
void thread_move_descriptor(struct thread *t, int fd);

/* ---- threads without a clock, as yet (late_clock.c) ------------------------------------------ */

/* In a new thread, prepared: may it go without a clock for now? @open gives it one later: it is
 * process_open_thread. */
bool late_clock_may_wait(struct thread *t, void (*open)(struct thread *t, uint64_t period));
/* The calling thread @tid ends: let it not be given one meanwhile. */
void late_clock_wait_for(const struct thread *t, uint32_t tid);
/* The thread ends; false if it was none of these. */
bool late_clock_end(struct thread *t);
/* A thread with a clock ends, perhaps before the sample that it had for another one. */
void late_clock_pass_on(struct thread *t);
/* The program is about to ask for what only a process with one thread gets: if ours is the only
 * other one, let it end first. */
void late_clock_retire(struct process *p);
/* The process is left, and no thread begins any more: wait until our thread is gone. */
void late_clock_leave(struct process *p);
/* In the child of a fork. */
void late_clock_after_fork(struct process *p);

/* ---- threads of our own (own_thread.c) --------------------------------------------------------
 */

/* A bare thread of the kernel, which libc does not know, and that calls nothing of libc, runs @run
 * with @p on *@stack, which is mapped if it is NULL; its number is in *@tid, until it ends. 0 or a
 * negative errno. */
int own_thread_start(struct process *p, int (*run)(void *), char **stack, uint32_t *tid);

/* ---- the control page (control_page.c) ------------------------------------------------------- */

/* Map the control page of the session in @directory, read only, and copy its options: whoever is
 * the session's user can write there. 0 or a negative errno: -EPERM for a session of another user,
 * -EPROTO for one of another version, or none. */
int control_page_map(const char *directory, struct session_control **control,
		     struct session_options *options);

/* ---- when SIGTRAP may be given back (quiescence.c) ------------------------------------------ */

/* Wait, for a second at most, until no thread of process @pid can have a SIGTRAP of ours under way;
 * 0: of this process, but for the calling thread. False if one still may. Not in handlers. */
bool quiescence_wait(uint32_t pid);
/* The threads of process @pid, as the kernel lists them; 0: of this one. No call of libc's. */
void quiescence_each_thread(uint32_t pid, void (*each)(uint32_t tid, void *context), void *context);
/* A millisecond. */
void quiescence_sleep(void);
