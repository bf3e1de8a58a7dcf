/* SPDX-License-Identifier: MIT */
/* Whether this machine lets the attach backend work. */
#ifndef COLLECTOR_OUTSIDE_ATTACH_CHECK_H
#define COLLECTOR_OUTSIDE_ATTACH_CHECK_H

#include <stdbool.h>

/* Trace a child of ours as the tracer does. 0 or an errno; *hit: it came to a breakpoint. */
int attach_check(bool *hit);

#endif
