/* SPDX-License-Identifier: MIT */
/* What an address belongs to, as rows are grouped: itself, its line, its function. */
#ifndef REPORT_VIEWS_CODE_GROUP_H
#define REPORT_VIEWS_CODE_GROUP_H

#include "report/views/view.h"

/* The same number for all addresses that are one row; not for REPORT_BY_BRANCH. STRINGS_NONE
 * without memory. */
uint32_t code_group_key(struct view *v, struct view_part *p, uint64_t va);
/* Put the group's name: "main+0x1f", "div.c:24", "main". */
void code_group_put(struct view *v, struct view_part *p, uint64_t va);
/* Put the source of one address, all inlined frames; none if it is not known. */
void code_group_put_source(struct view *v, struct view_part *p, uint64_t va);
/* "conditional", "call"... of an enum isa_kind. */
const char *code_group_kind(uint8_t kind);

#endif
