/* SPDX-License-Identifier: MIT */
#include "collector/outside/tracer_failure.h"

#include <errno.h>

#include "base/error.h"

/* As when a filter, or a security module's new rule, forbids it. Threads that stopped would stay
 * so. */
void tracer_failure_refused(struct tracer *t, int rc)
{
	if (!rc || rc == -ESRCH || rc == -EIO || t->refused)
		return;
	t->refused = true;
	errno = -rc;
	t->failed = error_set_errno(t->error, NULL,
				    "the kernel refuses to go on tracing (ptrace): the recording "
				    "ends, the program goes on");
	t->stopping = true;
}

void tracer_failure_note(struct tracer *t, int rc)
{
	if (!rc)
		return;
	t->failed = rc;
	t->stopping = true;
}
