/* SPDX-License-Identifier: MIT */
/* What a recording cost the program, for the line that record prints. */
#ifndef COLLECTOR_RECORDER_OVERHEAD_H
#define COLLECTOR_RECORDER_OVERHEAD_H

#include <stdbool.h>

#include "collector/recorder/recorder.h"

/* Relative to the program's own time: the collector's time, the recorder's, and @stop_us for the
 * kernel's part of each stop. From @outside, the program stood still meanwhile. NaN if nothing of
 * it is left. */
double overhead_share(const struct recorder_result *r, double stop_us, bool outside);

#endif
