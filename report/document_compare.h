/* SPDX-License-Identifier: MIT */
/*
 * Two documents of the same kind as one: rows that name the same are one row, with both values of
 * each figure and the change of the shares. Rows are named by their texts and addresses, so of two
 * builds of a program lines and functions can be compared, and addresses hardly.
 */
#ifndef REPORT_DOCUMENT_COMPARE_H
#define REPORT_DOCUMENT_COMPARE_H

#include "report/document.h"

/*
 * Initialise @out with what @a and @b say, both made without a limit of rows; of each table at most
 * @top rows, those that changed most, 0 = all. Tables that only one of them has are left out.
 * Nothing of @a and @b is needed afterwards.
 */
void document_compare(struct document *out, const struct document *a, const struct document *b,
		      size_t top);

#endif
