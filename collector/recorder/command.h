/* SPDX-License-Identifier: MIT */
/* How a command can be recorded, if it can: asked before it is started. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "collector/recorder/executable.h"
#include "collector/shared/refusal.h"
#include "softlbr/error.h"

#define COMMAND_REASON_BYTES 96

struct command_way {
	enum refusal reason; /* that it can't be recorded from inside; or REFUSAL_NONE */
	struct executable_sanitizer sanitizer;
	bool traces;	    /* it calls ptrace(2) */
	char program[4096]; /* the file that is run: of a script, its interpreter's */
};

/* The file that execvp would run for @command, into @path; 0, or -1 with errno. */
int command_find(const char *command, char *path, size_t bytes);
/* How @command can be recorded. 0, or the errno that exec(2) would fail with for a file, or a
 * script's interpreter, that is not there or can't be run. */
int command_look(const char *command, struct command_way *out);
/* 0, or an error that says why it can't be recorded, and what to do. */
int command_check(const struct command_way *way, struct softlbr_error *e);
/* The reason as what follows the command's name: " is statically linked". */
const char *command_reason(const struct command_way *way, char text[COMMAND_REASON_BYTES]);
/* command_check for a running process. */
int command_check_process(int pid, struct softlbr_error *e);

/* What to send the command @pid when we get @number: SIGTERM for a SIGINT that it ignores, as what
 * a shell starts in the background does. */
int command_signal(int pid, int number);
