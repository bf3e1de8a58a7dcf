/* SPDX-License-Identifier: MIT */
/* The threads that are traced, by number. */
#ifndef COLLECTOR_OUTSIDE_TRACER_THREADS_H
#define COLLECTOR_OUTSIDE_TRACER_THREADS_H

#include "collector/outside/tracer.h"

/* NULL if it is not traced. */
struct traced *tracer_threads_find(const struct tracer *t, pid_t tid);
/* A thread that is traced from now on. NULL if it is gone, or without memory. */
struct traced *tracer_threads_add(struct tracer *t, pid_t tid);
/* The same for one that made itself known by stopping: a tracee made it. */
struct traced *tracer_threads_meet(struct tracer *t, pid_t tid);
/* The signal for a thread's events, or 0: it is interrupted. */
int tracer_threads_signal(const struct tracer *t, const struct traced *thread,
			  const struct tracee_status *status);
void tracer_threads_close_events(struct tracer *t, struct traced *thread);
/* Open its events anew, or none. */
void tracer_threads_choose_events(struct tracer *t, struct traced *thread,
				  const struct tracee_status *status);
/* The thread is gone. */
void tracer_threads_end(struct tracer *t, struct traced *thread);

#endif
