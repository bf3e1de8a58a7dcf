/* SPDX-License-Identifier: MIT */
/* The source that ran, with the counts of both sides of a comparison. */
#ifndef REPORT_DIFF_SOURCE_H
#define REPORT_DIFF_SOURCE_H

#include "base/map.h"
#include "compare/diff.h"
#include "report/source_files.h"

struct diff_source {
	struct source_files files;
	struct map lines; /* (file, line) -> n, m = counts of the sides, inlined code where it is */
	double total[2];
};

/* @d has source profiles and a binary. Files are looked for below @root. @out is initialised by
 * the call, ended with diff_source_deinit also on failure. */
int diff_source_read(struct diff_source *out, const struct diff *d, const char *root,
		     struct softlbr_error *e);
void diff_source_deinit(struct diff_source *s);

#endif
