/* SPDX-License-Identifier: MIT */
/* Who made a recording. */
#ifndef REPORT_RECORDING_ORIGIN_H
#define REPORT_RECORDING_ORIGIN_H

#include "base/file.h"
#include "report/document.h"

/* Add what the header of a perf.data says of its making; nothing if it is damaged, which is for the
 * reading of the whole to find. */
void recording_origin_state(struct document *s, const struct file_view *view, const char *path);

#endif
