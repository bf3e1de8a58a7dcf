/* SPDX-License-Identifier: MIT */
/* How a command can be recorded, if it can: asked before it is started. */
#pragma once

#include "base/file.h"
#include "collector/shared/program_file.h"
#include "collector/shared/exclusion.h"
#include "softlbr/error.h"

/* ---- its file (executable.c) ---------------------------------------------------------------- */

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
	bool sets_actions;   /* it may set SIGTRAP's handler, unseen */
	bool traces;	     /* it calls ptrace(2): a debugger, whose tracees can't be ours */
};

/* What @v, the whole file @path, tells. */
void executable_look(const struct file_view *v, const char *path, struct executable *out);
/* What the program of the running process @pid tells; nothing is known where it can't be read. */
void executable_look_at_process(int pid, struct executable *out);

/* Does the program @path look for leaks at its end, with the environment of the process @pid?
 * LeakSanitizer, a part of AddressSanitizer, traces the program for that, and ends it with a status
 * of its own where somebody else does. */
bool executable_finds_leaks(const char *path, int pid);

/* What a tracer has to know of the program of a process, most of it what it takes from libc. */
struct executable_calls {
	bool ptrace; /* it is a debugger, whose tracees can't be ours */
	bool is_32_bit;
	bool pending;	  /* it looks for pending signals, and would see a tracer's */
	bool signalfd;	  /* it reads signals by descriptors, which tell of which */
	bool finds_leaks; /* as executable_finds_leaks says, by its symbols */
};

/* Those of the program that was looked at last; zeroed at first. Of many processes most execute
 * one. */
struct executable_calls_known {
	uint64_t device, inode, changed_ns;
	struct executable_calls calls; /* finds_leaks: with the environment for it */
};

/* The calls of the running process @pid; none where it can't be read. */
struct executable_calls executable_calls(int pid, struct executable_calls_known *known);

/* program_file_glibc of the file @path; 0 if it can't be read. */
unsigned executable_glibc(const char *path);

/* Why the program can't be entered, or EXCLUSION_NONE. */
enum exclusion executable_exclusion(const struct executable *x);

/* ---- the command ---------------------------------------------------------------------------- */

#define COMMAND_REASON_BYTES 96

struct command_way {
	enum exclusion reason; /* that it can't be recorded from inside; or EXCLUSION_NONE */
	struct executable_sanitizer sanitizer;
	bool traces;				/* it calls ptrace(2) */
	char linker[PROGRAM_FILE_LINKER_BYTES]; /* another than this system's; or "" */
	char program[4096]; /* the file that is run: of a script, its interpreter's */
};

/* The file that execvp would run for @command, into @path; 0, or -1 with errno. */
int command_find(const char *command, char *path, size_t bytes);
/* How @command can be recorded. 0, or the errno that exec(2) would fail with for a file, or a
 * script's interpreter, that is not there or can't be run. */
int command_look(const char *command, struct command_way *out);
/* Where the program has a dynamic linker of its own: is its glibc one that the collector @library
 * can be loaded with? way->reason says. */
void command_ask_libc(struct command_way *way, const char *library);
/* 0, or an error that says why it can't be recorded, and what to do. */
int command_check(const struct command_way *way, struct softlbr_error *e);
/* The reason as what follows the command's name: " is statically linked". */
const char *command_reason(const struct command_way *way, char text[COMMAND_REASON_BYTES]);
/* Fail: from outside, the program @name would not find its leaks. */
int command_refuse_leaks(const char *name, struct softlbr_error *e);
/* command_check for a running process. */
int command_check_process(int pid, struct softlbr_error *e);

/* What to send the command @pid when we get @number: SIGTERM for a SIGINT that it ignores, as what
 * a shell starts in the background does. */
int command_signal(int pid, int number);
