/* SPDX-License-Identifier: MIT */
/*
 * Recordings that are a directory: perf record --threads writes the header and its own records to
 * DIR/data, and those of each of its threads to DIR/data.0, DIR/data.1 ...
 * (tools/perf/Documentation/perf.data-directory-format.txt).
 */
#ifndef FORMATS_PERFDATA_DIRECTORY_H
#define FORMATS_PERFDATA_DIRECTORY_H

#include "base/file.h"

/*
 * Like compress_view_open; but of such a directory all files are viewed as the one perf.data that
 * they would have been without --threads, which is spooled to an unnamed file.
 */
int perfdata_view_open(struct file_view *v, const char *path, struct softlbr_error *e);

#endif
