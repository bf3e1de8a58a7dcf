/* SPDX-License-Identifier: MIT */
/* What people see of the program: messages, colours, a progress bar, the width of lines. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "softlbr/error.h"

struct aggregate_damage;
struct aggregate_progress;
struct branch_profile_clamped;

/* How many columns lines of standard output may have: 100 where it is no terminal. */
size_t terminal_columns(void);

/*
 * Words in colour, on terminals only: not where the output is a file or a pipe, NO_COLOR is set to
 * anything (no-color.org), or TERM is "dumb".
 */
enum color { COLOR_GOOD, COLOR_DOUBTFUL, COLOR_BAD };

/* What begins @color on @stream, and what ends it: "" where there is no colour. */
const char *terminal_color(FILE *stream, enum color color);
const char *terminal_color_end(FILE *stream);

/*
 * A progress bar, for what takes longer than a second. Nothing is shown, and nothing costs, where
 * standard error is no terminal.
 */
struct terminal_progress {
	const char *what;
	bool terminal, shown;
	int64_t next_ns; /* when to draw again */
};

/* @what is borrowed until terminal_progress_end. */
void terminal_progress_begin(struct terminal_progress *p, const char *what);
/* @out draws @p, as the rooms that read files take it. */
void terminal_progress_calls(struct terminal_progress *p, struct aggregate_progress *out);
/* Leaves no trace of the bar. */
void terminal_progress_end(struct terminal_progress *p);
/* The value of @call, which draws a bar for @what by @calls, a struct aggregate_progress. */
#define TERMINAL_PROGRESS(calls, what, call)            \
	__extension__({                                 \
		struct terminal_progress bar;           \
		int rc_;                                \
                                                        \
		terminal_progress_begin(&bar, what);    \
		terminal_progress_calls(&bar, (calls)); \
		rc_ = call;                             \
		terminal_progress_end(&bar);            \
		rc_;                                    \
	})

/* Print "softlbr COMMAND: error: TEXT" for @e, to standard error. */
void terminal_print_error(const char *command, const struct softlbr_error *e);
/* Say what a subtraction of profiles was short of, to standard error. */
void terminal_print_clamped(const struct branch_profile_clamped *clamped);
/* Warn of damaged lines of the recording at @path that were left out; nothing if there are none. */
void terminal_print_damage(const char *command, const char *path,
			   const struct aggregate_damage *damage);
/* The exit status of a program whose command's was @status: what is still to be written to standard
 * output, or was not, counts; a command that failed has said why. */
int terminal_end(int status);
