/* SPDX-License-Identifier: MIT */
/* The loops that traces show, with how often they turn each time. */
#ifndef REPORT_VIEWS_VIEW_LOOPS_H
#define REPORT_VIEWS_VIEW_LOOPS_H

#include "report/views/loop_trips.h"

/* Put the tables; 0, or -1 without memory. */
int view_loops_put(struct view *v, struct loop_trips *t);

#endif
