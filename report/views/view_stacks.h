/* SPDX-License-Identifier: MIT */
/* The call tree of a recording. */
#ifndef REPORT_VIEWS_VIEW_STACKS_H
#define REPORT_VIEWS_VIEW_STACKS_H

#include "formats/model/call_tree.h"
#include "report/views/view.h"

/* Fill @t, zeroed, and put the facts that say how complete it is. Ended by call_tree_deinit, also
 * on failure. 0, or -1 without memory. */
int view_stacks_tree(struct view *v, struct call_tree *t);

#endif
