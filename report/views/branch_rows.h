/* SPDX-License-Identifier: MIT */
/* Taken branches as rows: each one, or those between two lines or two functions as one. */
#ifndef REPORT_VIEWS_BRANCH_ROWS_H
#define REPORT_VIEWS_BRANCH_ROWS_H

#include "report/views/code_group.h"
#include "report/views/view.h"

struct branch_row {
	size_t part;
	uint64_t from, to; /* of one of the row's branches */
	const struct branch_site *site;
	uint64_t count, branches; /* taken; distinct ones */
	uint64_t leaving;	  /* taken from where this row's begin, to any target */
	uint64_t predicted, mispredicted;
};

struct branch_rows {
	VECTOR(struct branch_row) items; /* by falling count, then by address */
	uint64_t sum;			 /* of counts */
};

/* Of the branches whose kind is in @kinds (1 << enum isa_kind). @rows starts zeroed; 0, or -1
 * without memory. */
int branch_rows_make(struct branch_rows *rows, struct view *v, unsigned kinds);
void branch_rows_deinit(struct branch_rows *rows);

#endif
