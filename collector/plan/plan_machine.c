/* SPDX-License-Identifier: MIT */
#include "collector/plan/plan_machine.h"

#include "collector/kernel/task_status.h"
#include "collector/machine/rate_measure.h"

static uint32_t count_filters(void)
{
	struct task_status own;

	task_status_filters(&own);
	return own.filters;
}

static bool filter_kills(void)
{
	struct task_status own;

	task_status_filters(&own);
	return event_deadly_signal(&own) != 0;
}

static bool has_timers(void)
{
	struct task_status own;

	task_status_filters(&own);
	return event_timer_works(&own);
}

const struct plan_machine plan_machine_own = {
	.filters = count_filters,
	.kills = filter_kills,
	.find_event = event_parse,
	.try_event = event_try,
	.try_breakpoint = event_try_breakpoint,
	.has_timers = has_timers,
	.measure = rate_measure,
};
