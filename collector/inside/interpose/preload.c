/* SPDX-License-Identifier: MIT */
/* Where the preloaded collector wakes up: `softlbr record` names the session in the environment. */
#include <stdlib.h>

#include "collector/inside/life/call_cost.h"
#include "collector/inside/life/exclusion_checks.h"
#include "collector/inside/interpose/interposed.h"
#include "collector/inside/life/process_life.h"

/* Does it change the program to be in it? Then the recorder is told, but for a filter, under which
 * nothing is written. */
static bool may_enter(const char *directory)
{
	struct task_status status;
	enum exclusion reason;

	task_status_own(&status);
	reason = entry_check(directory, &status);
	exec_guard_begin(&exec_guard_here, directory, status.filters);
	if (reason == EXCLUSION_SECCOMP)
		exec_guard_filter_comes(&exec_guard_here);
	else if (reason)
		entry_check_note(directory, reason);
	return !reason;
}

__attribute__((constructor)) static void begin(void)
{
	const char *directory = getenv(SESSION_ENVIRONMENT);
	struct call_cost cost;

	if (!process_can_watch_forks()) { /* another libc than glibc */
		if (directory)
			entry_check_note(directory, EXCLUSION_LIBC);
		return;
	}
	interposed_resolve();
	/* Failure is not the program's business: the recorder sees that nobody joined, and why. */
	if (!directory || !may_enter(directory))
		return;
	cost = call_cost_begin(CALL_COST_JOIN);
	if (!process_join(directory))
		process_watch_forks(process_after_fork);
	call_cost_end(&cost);
}

__attribute__((destructor)) static void end(void)
{
	struct call_cost cost = call_cost_begin(CALL_COST_END);

	process_end();
	call_cost_end(&cost);
}
