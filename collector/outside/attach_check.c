/* SPDX-License-Identifier: MIT */
#include "collector/outside/attach_check.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/outside/tracee.h"

static __attribute__((noinline)) void target(void)
{
	__asm__ volatile("");
}

static pid_t stopped(pid_t child, int *status)
{
	return waitpid(child, status, 0) == child && WIFSTOPPED(*status) ? child : 0;
}

/* What a tracer does: stop, look at registers and memory, break, go on. 0, or an errno. */
static int trace_child(pid_t child, bool *hit)
{
	struct tracee_registers registers;
	struct isa_state state;
	uint64_t here, there;
	struct iovec to = {&here, sizeof(here)}, from = {(void *)target, sizeof(here)};
	int status, sig, rc = tracee_seize(child, true);

	if (!rc)
		rc = tracee_interrupt(child);
	if (rc)
		return -rc;
	if (!stopped(child, &status))
		return ECHILD;
	rc = tracee_registers(child, &registers);
	if (!rc)
		rc = tracee_load(child, &registers, &state);
	if (!rc)
		rc = tracee_break_at(child, (uintptr_t)target);
	if (!rc)
		rc = tracee_resume(child, 0, false);
	if (rc)
		return -rc;
	memcpy(&there, (const void *)target, sizeof(there));
	if (process_vm_readv(child, &to, 1, &from, 1, 0) != sizeof(here))
		return errno;
	if (!stopped(child, &status) || here != there)
		return ECHILD;
	*hit = tracee_why(child, NULL, status, &sig) == TRACEE_BREAKPOINT;
	return 0;
}

int attach_check(bool *hit)
{
	int status, rc;
	pid_t child = fork();

	*hit = false;
	if (child < 0)
		return errno;
	if (child == 0) {
		alarm(5);
		for (;;)
			target();
	}
	rc = trace_child(child, hit);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return rc;
}
