/* SPDX-License-Identifier: MIT */
/*
 * Asked when the collector has been loaded into a program: may it begin? The second line behind
 * exec_guard.c, for programs that were started around libc, by libc itself, or by who is not
 * recorded.
 */
#ifndef COLLECTOR_INSIDE_ENTRY_CHECK_H
#define COLLECTOR_INSIDE_ENTRY_CHECK_H

#include "collector/kernel/task_status.h"
#include "collector/shared/refusal.h"

/* @directory is the session's. */
enum refusal entry_check(const char *directory, const struct task_status *status);
/* Tell the recorder that it may not, where no process's file is there to note it in. */
void entry_check_note(const char *directory, enum refusal reason);

#endif
