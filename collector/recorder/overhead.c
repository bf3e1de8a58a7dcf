/* SPDX-License-Identifier: MIT */
#include "collector/recorder/overhead.h"

#include <math.h>

double overhead_share(const struct recorder_result *r, double stop_us, bool outside)
{
	double stops = (double)r->counters[COUNTER_SAMPLES] + (double)r->counters[COUNTER_HITS];
	double ours = (double)r->counters[COUNTER_HANDLER_NS] + stops * stop_us * 1e3;
	double own = (double)r->cpu_ns - (outside ? 0 : ours);

	return own > 0 ? (ours + (double)r->own_ns) / own : NAN;
}
