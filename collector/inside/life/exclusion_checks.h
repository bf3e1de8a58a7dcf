/* SPDX-License-Identifier: MIT */
/* Where the collector must not be, or no longer: in a program that is to be executed, in one that
 * it was loaded into, and in a process that is about to take a step. */
#pragma once

#include "collector/kernel/task_status.h"
#include "collector/shared/program_file.h"
#include "collector/shared/exclusion.h"

/* ---- a program that is to be executed (exec_guard.c) ---------------------------------------- */

#define EXEC_GUARD_PATH_BYTES 4096u

struct exec_guard {
	const char *library; /* as LD_PRELOAD names it; NULL: there is nothing to guard */
	char control[256];   /* the session's file */
	bool has_first;	     /* AddressSanitizer's library stands before it there */
	uint32_t filters;    /* seccomp filters that were there at the start */
	uint32_t filtered;   /* there are more now; atomic */
};

struct exec_target {
	int directory, flags; /* as execveat(2) has them */
	bool search;	      /* in PATH, and what is no program is the shell's: execvp(3) */
	const char *path;
	char *const *environment;
	enum exclusion known; /* the process has been left, for good and what it runs, too */
};

/* What is asked about: by who passes room for it. */
struct exec_answer {
	enum exclusion reason;
	const char *program; /* the file that is loaded: of a script, its interpreter */
	struct program_file file;
	char found[EXEC_GUARD_PATH_BYTES];
	char script[PROGRAM_FILE_SCRIPT_BYTES];
	char libc[512]; /* the program's, or its linker */
};

/* This process's; set at the library's constructor. */
extern struct exec_guard exec_guard_here;

/* From the constructor, with the session's directory. */
void exec_guard_begin(struct exec_guard *g, const char *directory, uint32_t filters);
void exec_guard_ask(const struct exec_guard *g, const struct exec_target *t, struct exec_answer *a);

/* A seccomp filter is about to take effect: what is executed from now on is under it. No file is
 * looked at any more. */
void exec_guard_filter_comes(struct exec_guard *g);

/* An environment for a program that is not entered: as it is, but for what record put into it. What
 * others preload stays. What it needs; 0 if there is nothing to change. @library is as LD_PRELOAD
 * names it. */
size_t exec_environment_bytes(char *const *from, const char *library);
/* Make it in so much @room; other strings are @from's. */
char **exec_environment_make(char *const *from, const char *library, void *room);

/* ---- a process that begins (entry_check.c) -------------------------------------------------- */

/* @directory is the session's. */
enum exclusion entry_check(const char *directory, const struct task_status *status);
/* Tell the recorder that it may not, where no process's file is there to note it in. */
void entry_check_note(const char *directory, enum exclusion reason);

/*
 * Is there a Go runtime in the object that the function at @code is in, of a C program (go build
 * -buildmode=c-shared)? A Go runtime wants each signal on the alternate stack that it found or made
 * when a thread came to it, asks the kernel for that stack behind libc's back, and ends the program
 * when a signal comes elsewhere. Ours would be in its way. A new runtime sets its first handler
 * through libc before it looks at alternate stacks (libpreinit, runtime/signal_unix.go;
 * runtime/cgo/gcc_sigaction.c). No lock where glibc has _dl_find_object.
 */
bool entry_check_is_go(const void *code);

/* ---- a process that sandboxes itself (sandboxing.c) ----------------------------------------- */

/* The program is about to make the system call @number: leave first, if it is such a step. */
void sandboxing_before(long number, const uint64_t arguments[6]);
/* It has made it, and it did not fail. */
void sandboxing_after(long number, const uint64_t arguments[6]);
/* It is about to make one because of which @reason holds. */
void sandboxing_begin(enum exclusion reason);
