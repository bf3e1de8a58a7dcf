/* SPDX-License-Identifier: MIT */
/* How a command can be recorded, if it can: asked before it is started. */
#ifndef COLLECTOR_RECORDER_COMMAND_H
#define COLLECTOR_RECORDER_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/recorder/sanitizer.h"
#include "softlbr/error.h"

struct command_way {
	bool outside;	 /* by ptrace: the collector can't be preloaded */
	const char *why; /* "is statically linked"; NULL: it is recorded from inside */
	struct sanitizer sanitizer;
};

/* The file that execvp would run for @command, into @path; 0, or -1 with errno. */
int command_find(const char *command, char *path, size_t bytes);
/* The errno that exec(2) would fail with for a file that is not there or can't be run, or 0. */
int command_errno(const char *command);
/* 0, or an error that says why the command can't be recorded, and what to do. What exec(2) will
 * refuse is left to it. */
int command_check(const char *command, struct command_way *out, struct softlbr_error *e);
/* The same for a running process. */
int command_check_process(int pid, struct softlbr_error *e);

/* What to send the command @pid when we get @number: SIGTERM for a SIGINT that it ignores, as what
 * a shell starts in the background does. */
int command_signal(int pid, int number);

#endif
