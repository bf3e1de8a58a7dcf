/* SPDX-License-Identifier: MIT */
/* Commands of the user that are run and waited for: what they cost, and how they ended. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "softlbr/error.h"

struct child {
	/* to be set */
	char *const *words;    /* argv, ended by NULL; looked up in PATH */
	const char *directory; /* where it runs; NULL: here */
	int out, err;	       /* its standard output and error; -1: ours */
	bool counts;	       /* count instructions, where the CPU can */
	/* what came of it, with all processes that were waited for */
	int status; /* as the shell has it: 128 + N if signal N ended it */
	double cpu_seconds, seconds;
	uint64_t instructions; /* in user mode; 0: not counted */
};

/* Run it, with an empty standard input. A failure of its own is no error: c->status. SIGINT and
 * SIGTERM end it, not us, and are an error here: child_interrupted. */
int child_run(struct child *c, struct softlbr_error *e);
/* Run @command by the shell. */
int child_run_shell(struct child *c, const char *command, struct softlbr_error *e);

/* From now on call @tell once a second while a child runs. */
void child_tick(void (*tell)(void *context), void *context);

/* Seconds of a clock that runs on, for how long something takes. */
double child_now(void);

/* From now on SIGINT and SIGTERM go to the child that runs, with all that it has started, and are
 * kept until it has ended. */
void child_keep_signals(void);
/* Has one come since? Its number, or 0. */
int child_interrupted(void);
