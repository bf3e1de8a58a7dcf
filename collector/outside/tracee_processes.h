/* SPDX-License-Identifier: MIT */
/* The traced processes: code, mappings, decode caches. */
#pragma once

#include "collector/outside/tracer.h"

/* The process @pid, or NULL if none of its threads is traced. */
struct tracee_process *tracee_process_find(const struct tracer *t, uint32_t pid);
/* The same, made if it is not known: @task is a thread of it. NULL without memory. */
struct tracee_process *tracee_process_get(struct tracer *t, uint32_t pid, pid_t task);
/* The process runs another program now. */
int tracee_process_executed(struct tracer *t, struct tracee_process *process);
/* A thread is gone; with the last one, the process is. */
void tracee_process_release(struct tracer *t, struct tracee_process *process);
/* Add the times of a process, or of all, since the last call to the result; nothing of one that is
 * gone. */
void tracee_process_keep_time(struct tracer *t, struct tracee_process *process);
void tracee_processes_keep_time(struct tracer *t);
/* Its program calls these. */
void tracee_process_note_calls(struct tracee_process *process,
			       const struct executable_calls *calls);
/* The signals that it would see where they are pending. */
uint64_t tracee_process_seen_signals(struct tracee_process *process);
/* A new file begins: tell of all that is there. */
int tracee_processes_tell_again(struct tracer *t);
/* See that its mappings are recorded, at @address for sure. *replaced (may be NULL) becomes true if
 * something else was there before. */
int tracee_process_refresh(struct tracer *t, struct tracee_process *process, uint64_t address,
			   bool *replaced);
