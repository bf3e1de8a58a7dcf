/* SPDX-License-Identifier: MIT */
/*
 * Programs that install a seccomp filter by an instruction of their own. From inside nothing tells
 * when they do: the collector stands before libc's functions only, and its next system call may be
 * the program's end.
 */
#ifndef COLLECTOR_RECORDER_RAW_FILTER_H
#define COLLECTOR_RECORDER_RAW_FILTER_H

#include <stdbool.h>

#include "base/file.h"

/* Has the file, which is ELF's of 64 bits, code as compilers make it of such a call? What takes the
 * call's number from a variable is not found, nor what libraries do. */
bool raw_filter_is_in(const struct file_view *v);

#endif
