/* SPDX-License-Identifier: MIT */
/* What a program's whole ELF file, and the libraries that it names, tell of how it can be recorded,
 * before it is started. */
#pragma once

#include <stdbool.h>

#include "base/file.h"
#include "collector/shared/program_file.h"

/* Programs that are built with a sanitizer, whose runtime wants things of whoever preloads a
 * library. */
struct executable_sanitizer {
	/* AddressSanitizer's runtime as a library (gcc): it has to be preloaded first. "" = none.
	 */
	char first[64];
	/* ThreadSanitizer's runtime in the program itself (clang): it cannot have a signal handler
	 * before it is ready, so the program is traced from outside. */
	bool from_outside;
};

struct executable {
	struct program_file file;
	struct executable_sanitizer sanitizer;
	bool has_go_library; /* it is linked with one that is written in Go */
	bool filters;	     /* it may install a seccomp filter that can't be foreseen */
	bool traces;	     /* it calls ptrace(2): a debugger, whose tracees can't be ours */
};

/* What @v, the whole file @path, tells. */
void executable_look(const struct file_view *v, const char *path, struct executable *out);
/* What the program of the running process @pid tells; nothing is known where it can't be read. */
void executable_look_at_process(int pid, struct executable *out);

/* What the program of a process takes from libc that a tracer has to know of. */
struct executable_calls {
	bool ptrace;  /* it is a debugger, whose tracees can't be ours */
	bool pending; /* it looks for pending signals, and would see a tracer's */
};

/* The calls of the running process @pid; none where it can't be read. */
struct executable_calls executable_calls(int pid);

/* Why the program can't be entered, or REFUSAL_NONE. */
enum refusal executable_refusal(const struct executable *x);
