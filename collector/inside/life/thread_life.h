/* SPDX-License-Identifier: MIT */
/* How a thread comes to be profiled, and how it ends: in ordinary code, never in a handler. */
#pragma once

#include <stdint.h>

#include "collector/inside/handler/thread.h"

/* The arena of slots. */
void thread_init(struct arena *slots);
/* Take a slot; NULL if there is none, or no memory: the thread is counted as failed. */
struct thread *thread_take(struct process *p);
/* Open the events of thread @tid of this process and start sampling it; 0 or a negative errno. */
int thread_begin(struct thread *t, uint32_t tid);
/* Stop and give the slot back, unless another does; waits for the thread's handler to return. */
void thread_end(struct thread *t);
/* The calling thread ends, whichever slot it has by now. */
void thread_end_current(struct process *p);
/* Give back a slot that was taken for nothing. */
void thread_give_back(struct thread *t);
/* The program wants the number @fd: leave it, if it is this thread's. */
void thread_move_descriptor(struct thread *t, int fd);
