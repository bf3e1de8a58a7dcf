/* SPDX-License-Identifier: MIT */
/* What `softlbr check` found, as a document. */
#pragma once

#include "compare/check.h"
#include "report/document.h"

/* Fill @out, which is initialised by the call; at most @top rows a table. */
void check_report_fill(const struct check *c, size_t top, struct document *out);
