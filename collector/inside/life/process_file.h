/* SPDX-License-Identifier: MIT */
/* A profiled process's file in the session's directory (collector/shared/session.h). Not in
 * handlers. */
#pragma once

#include "collector/inside/handler/process.h"

/* Make it. 0 or a negative errno. */
int process_file_make(struct process *p);
/* Its mapping goes; fine without one. */
void process_file_forget(struct process *p);
/* Buffers for as many threads as there are: a thread keeps a chunk until it is full. Without them,
 * traces are dropped and counted. */
void process_file_fit(struct process *p);
/* It gets no traces any more: only the header stays. */
void process_file_return_chunks(struct process *p);
