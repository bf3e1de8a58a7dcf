/* SPDX-License-Identifier: MIT */
/* What `softlbr update` did, as a document. */
#pragma once

#include "report/document.h"
#include "converter/update/update.h"

/* Fill @out, which is initialised by the call; at most @top functions that lost counts. */
void update_report_fill(const struct update *u, size_t top, struct document *out);
