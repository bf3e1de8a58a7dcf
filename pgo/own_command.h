/* SPDX-License-Identifier: MIT */
/* A command that a step runs as a user would: softlbr's own, llvm-bolt. */
#pragma once

#include "pgo/project.h"

/* Start with e set, and out if need be; what fails is kept until own_command_run. */
struct own_command {
	struct softlbr_error *e;
	VECTOR(char *) words; /* borrowed, or of formatted */
	project_texts formatted;
	const char *out; /* the state's file of its standard output; NULL: the log */
	int rc;
	int status; /* of the command */
};

void own_command_word(struct own_command *c, const char *word);
void own_command_format(struct own_command *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Run it in the project's directory; it writes to the state's file @log. What it ends with is no
 * error: c->status. */
int own_command_run(struct own_command *c, const struct project *p, const char *log);
void own_command_deinit(struct own_command *c);
