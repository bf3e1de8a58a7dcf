/* SPDX-License-Identifier: MIT */
/*
 * Go code in a C program (go build -buildmode=c-shared). A Go runtime wants each signal on the
 * alternate stack that it found or made when a thread came to it, asks the kernel for that stack
 * behind libc's back, and ends the program when a signal comes elsewhere. Ours would be in its way.
 */
#ifndef COLLECTOR_INSIDE_GO_RUNTIME_H
#define COLLECTOR_INSIDE_GO_RUNTIME_H

#include <stdbool.h>

/* Is there a Go runtime in the object that the function at @code is in? A new runtime sets its
 * first handler through libc before it looks at alternate stacks (libpreinit,
 * runtime/signal_unix.go; runtime/cgo/gcc_sigaction.c). No lock where glibc has _dl_find_object. */
bool go_runtime_at(const void *code);

#endif
