/* SPDX-License-Identifier: MIT */
/* What llvm-bolt makes of a project's rebuilt programs. */
#pragma once

#include "pgo/project.h"

/* Record the rebuilt programs, and keep what llvm-bolt makes of them beside them (TRIAL_BOLTED). No
 * llvm-bolt, or programs that it refuses, are no error: it is said. */
int project_bolt(struct project *p, struct softlbr_error *e);
