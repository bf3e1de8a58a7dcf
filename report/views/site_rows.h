/* SPDX-License-Identifier: MIT */
/* Branch instructions as rows: each one, or those of a line or a function as one. */
#ifndef REPORT_VIEWS_SITE_ROWS_H
#define REPORT_VIEWS_SITE_ROWS_H

#include "report/views/code_group.h"
#include "report/views/view.h"

struct site_row {
	size_t part;
	struct branch_site site; /* the sums; address and kind are of one of them */
	uint64_t branches;
	uint64_t rank;
};

struct site_rows {
	VECTOR(struct site_row) items; /* by falling rank, then by address */
};

/* Of the sites whose @rank, a sum over a row, is not 0. @rows starts zeroed; 0, or -1 without
 * memory. */
int site_rows_make(struct site_rows *rows, struct view *v,
		   uint64_t (*rank)(const struct branch_site *site));
void site_rows_deinit(struct site_rows *rows);

#endif
