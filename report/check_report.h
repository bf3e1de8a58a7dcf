/* SPDX-License-Identifier: MIT */
/* What `softlbr check` found, as a document. */
#ifndef REPORT_CHECK_REPORT_H
#define REPORT_CHECK_REPORT_H

#include "compare/check.h"
#include "report/document.h"

/* Fill @out, which is initialised by the call; at most @top rows a table. */
void check_report_fill(const struct check *c, size_t top, struct document *out);

#endif
