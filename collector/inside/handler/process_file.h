/* SPDX-License-Identifier: MIT */
/*
 * A profiled process's file in the session's directory (collector/shared/session.h): its header,
 * and the chunks that its threads fill.
 *
 * The child of a fork has none of its own before its first sample: many end before, and making one
 * takes longer than they do. Until then it counts in its parent's.
 */
#pragma once

#include "collector/inside/handler/process.h"

/* Make it. 0 or a negative errno; then what there was is still there. */
int process_file_make(struct process *p);
/* In the child of a fork: the parent's is lent. */
void process_file_lend(struct process *p);
/* Before a thread's sample: is it the process's own, by now? Made for the first one; other threads'
 * samples that come meanwhile are lost. */
bool process_file_own(struct process *p);
/* Its mapping goes; fine without one. */
void process_file_forget(struct process *p);
/* Buffers for as many threads as there are: a thread keeps a chunk until it is full. Without them,
 * traces are dropped and counted. */
void process_file_fit(struct process *p);
/* It gets no traces any more: only the header stays. */
void process_file_return_chunks(struct process *p);
