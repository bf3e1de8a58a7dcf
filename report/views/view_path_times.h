/* SPDX-License-Identifier: MIT */
/* How long traces take by the model and by the program, by where they begin (record --times). */
#ifndef REPORT_VIEWS_VIEW_PATH_TIMES_H
#define REPORT_VIEWS_VIEW_PATH_TIMES_H

#include "report/views/view.h"

/* Add the table, if the recording has such times. 0, or -1 without memory. */
int view_path_times(struct view *v);

#endif
