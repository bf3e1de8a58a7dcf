/* SPDX-License-Identifier: MIT */
/* A flame graph in a page: its data, and the section that the page's script draws it in. */
#ifndef REPORT_HTML_PAGE_FLAME_H
#define REPORT_HTML_PAGE_FLAME_H

#include <stdio.h>

#include "formats/model/call_tree.h"

#define PAGE_FLAME_ID	 "flame"
#define PAGE_FLAME_TITLE "Flame graph"

/* @t has been summed. Frames that no screen has room for (under 1/4,000 of all, or deeper than 200)
 * are left out; they are in the totals of those above them. */
void page_flame_put(const struct call_tree *t, FILE *out);

#endif
