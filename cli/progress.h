/* SPDX-License-Identifier: MIT */
/*
 * A progress bar on the terminal, for what takes longer than a second. Nothing is shown, and
 * nothing costs, where standard error is no terminal.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "converter/samples/aggregate.h"

struct progress {
	const char *what;
	bool terminal, shown;
	int64_t next_ns; /* when to draw again */
};

/* @what is borrowed until progress_end. */
void progress_begin(struct progress *p, const char *what);
/* Call often; @context is the struct progress. */
void progress_report(void *context, uint64_t done, uint64_t total);
/* That, as the rooms that read files take it. */
struct aggregate_progress progress_calls(struct progress *p);
/* Leaves no trace of the bar. */
void progress_end(struct progress *p);

#endif
