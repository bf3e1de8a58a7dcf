/* SPDX-License-Identifier: MIT */
/*
 * Asked before an exec: can the collector be in the program that comes? Where it can't, the program
 * is not to notice that there is one: its environment is made without ours. By system calls alone:
 * also in the child of a vfork, and in a signal handler.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/shared/program_file.h"

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
	enum refusal known; /* the process has been left, for good and what it runs, too */
};

/* What is asked about: by who passes room for it. */
struct exec_answer {
	enum refusal reason;
	const char *program; /* the file that is loaded: of a script, its interpreter */
	struct program_file file;
	char found[EXEC_GUARD_PATH_BYTES];
	char script[PROGRAM_FILE_SCRIPT_BYTES];
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
