/* SPDX-License-Identifier: MIT */
/*
 * Following a trace in a profiled thread, from its sample over its breakpoints to its record: the
 * in-process backend's operations (collector/engine/drive.h). Used in the signal handler.
 */
#pragma once

#include "collector/inside/handler/thread.h"

/* The thread's sampling event, at @ticks: @context is where it was, unless the signal came @late.
 */
void follow_sample(struct thread *t, const void *context, bool late, uint64_t ticks);
/* Around those two: nobody gives the thread up meanwhile. False: it was given up. What comes
 * between is only noted, in t->nested, and counted as late at the end. */
bool follow_begin(struct thread *t);
void follow_end(struct thread *t);
/* Samples come faster than they are handled, each in the handler of the one before: no more until
 * one of these handlers is through. Before those two. */
void follow_hold(struct thread *t);
/* No more of either in the calling thread, which blocks SIGTRAP or is about to: none is pending
 * then, and a trace is dropped. In ordinary code, or in the handler before and after follow_*. */
void follow_suspend(struct thread *t);
void follow_resume(struct thread *t);
/* The same of the calling thread, if it has a slot. */
void follow_suspend_current(void);
void follow_resume_current(void);
/* The same, when a signal handler is over and sigreturn comes, which sets the mask: none of ours is
 * to be pending until then. */
void follow_resume_at_return(struct thread *t);
/* Its breakpoint, at @ticks. */
void follow_breakpoint(struct thread *t, const void *context, bool late, uint64_t ticks);
/* The stop is over in which the program's first trace ended: what it cost is told. */
void follow_note_first(struct thread *t);
/* If a trace is followed, it ends here, as far as it came; one that is yet to be checked is wrong,
 * unless the recording comes to a @stop. In the handler, or when none of ours can run any more. */
void follow_give_up(struct thread *t, bool stop);
