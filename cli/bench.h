/* SPDX-License-Identifier: MIT */
/* What `softlbr bench` measured, and its picture. */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include "base/file_guard.h"
#include "base/vector.h"
#include "collector/machine/breakpoint_bench.h"

struct bench_row {
	enum breakpoint_delivery delivery;
	unsigned threads;
	struct breakpoint_cost cost;
};

struct bench_rows {
	VECTOR(struct bench_row) list;
};

/* Draw @rows as @path, whose ending says how (.svg or .png), by gnuplot(1). 0, or USAGE for another
 * ending, SYSTEM if gnuplot is not installed or fails. */
int bench_plot(const struct bench_rows *rows, const char *path, struct softlbr_error *e);
/* Has @path an ending that can be drawn? 0 or USAGE. */
int bench_plot_check(const char *path, struct softlbr_error *e);
/* A picture of either kind. */
extern const struct file_guard_kind bench_plot_kind;

#endif
