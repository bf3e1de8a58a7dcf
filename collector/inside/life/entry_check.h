/* SPDX-License-Identifier: MIT */
/*
 * Asked when the collector has been loaded into a program: may it begin? The second line behind
 * exec_guard.c, for programs that were started around libc, by libc itself, or by who is not
 * recorded.
 */
#pragma once

#include <stdbool.h>

#include "collector/kernel/task_status.h"
#include "collector/shared/refusal.h"

/* @directory is the session's. */
enum refusal entry_check(const char *directory, const struct task_status *status);
/* Tell the recorder that it may not, where no process's file is there to note it in. */
void entry_check_note(const char *directory, enum refusal reason);

/*
 * Is there a Go runtime in the object that the function at @code is in, of a C program (go build
 * -buildmode=c-shared)? A Go runtime wants each signal on the alternate stack that it found or made
 * when a thread came to it, asks the kernel for that stack behind libc's back, and ends the program
 * when a signal comes elsewhere. Ours would be in its way. A new runtime sets its first handler
 * through libc before it looks at alternate stacks (libpreinit, runtime/signal_unix.go;
 * runtime/cgo/gcc_sigaction.c). No lock where glibc has _dl_find_object.
 */
bool entry_check_is_go(const void *code);
