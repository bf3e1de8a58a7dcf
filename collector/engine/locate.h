/* SPDX-License-Identifier: MIT */
/* Where on its path, or behind it, a thread is that was interrupted (waypoints.h). */
#pragma once

#include <stdbool.h>

#include "collector/engine/core.h"

/* The thread was interrupted, with its registers in core_state(@c), after it had run on from a
 * trace that is complete: follow it from there to where it is found. The trace stays as it is, and
 * @m's reads are not of its path. */
bool locate_thread(struct core *c, const struct isa_memory *m, struct rate_work *work);
