/* SPDX-License-Identifier: MIT */
#include "collector/outside/tracee.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPTIONS_ALONE (PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC) /* threads are clones */
#define OPTIONS_ALL   (OPTIONS_ALONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK)

int tracee_seize(pid_t tid, bool children)
{
	return tracee_request(PTRACE_SEIZE, tid, 0, children ? OPTIONS_ALL : OPTIONS_ALONE);
}

int tracee_follow(pid_t tid, bool children)
{
	return tracee_request(PTRACE_SETOPTIONS, tid, 0, children ? OPTIONS_ALL : OPTIONS_ALONE);
}

int tracee_interrupt(pid_t tid)
{
	return tracee_request(PTRACE_INTERRUPT, tid, 0, 0);
}

/* ---- stops --------------------------------------------------------------------------------- */

/* A signal is about to be delivered: the program's, or ours. */
static enum tracee_stop why_signalled(pid_t tid, const struct tracee_events *events)
{
	siginfo_t info;

	if (tracee_request(PTRACE_GETSIGINFO, tid, 0, (uintptr_t)&info))
		return TRACEE_SIGNALLED;
	switch (events ? tracee_events_kind(events, &info) : TRACEE_EVENTS_NONE) {
	case TRACEE_EVENTS_CLOCK:
		return TRACEE_SAMPLED;
	case TRACEE_EVENTS_BREAKPOINT:
		return TRACEE_BREAKPOINT;
	case TRACEE_EVENTS_OLD:
		return TRACEE_BELATED;
	case TRACEE_EVENTS_NONE:
		break;
	}
	return tracee_takes_hit(tid, &info) ? TRACEE_BREAKPOINT : tracee_stepped(tid, &info);
}

enum tracee_stop tracee_why(pid_t tid, const struct tracee_events *events, int status, int *sig)
{
	int event = status >> 16;
	enum tracee_stop why;

	*sig = 0;
	switch (event) {
	case PTRACE_EVENT_STOP:
		return WSTOPSIG(status) == SIGTRAP ? TRACEE_TRAPPED : TRACEE_PAUSED;
	case PTRACE_EVENT_EXEC:
		return TRACEE_EXECUTED;
	case 0:
		break;
	default:
		return TRACEE_EVENT;
	}
	why = why_signalled(tid, events);
	if (why == TRACEE_SIGNALLED)
		*sig = WSTOPSIG(status);
	return why;
}

int tracee_resume(pid_t tid, int sig, bool step)
{
	return tracee_request(step ? PTRACE_SINGLESTEP : PTRACE_CONT, tid, 0, (uintptr_t)sig);
}

int tracee_listen(pid_t tid)
{
	return tracee_request(PTRACE_LISTEN, tid, 0, 0);
}

/* ---- its signals --------------------------------------------------------------------------- */

bool tracee_blocks(pid_t tid, int number)
{
	uint64_t mask = 0;

	return tracee_request(PTRACE_GETSIGMASK, tid, sizeof(mask), (uintptr_t)&mask) ||
	       mask & tracee_status_signal(number);
}

bool tracee_ignores_trap(pid_t tid)
{
	struct task_status status;

	return tracee_status_read(tid, &status) || tracee_status_ignores(&status, SIGTRAP);
}

/* ---- /proc --------------------------------------------------------------------------------- */

int tracee_open_state(pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)tid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

bool tracee_is_running(int file)
{
	char text[8];
	ssize_t got = file < 0 ? -1 : pread(file, text, sizeof(text), 0);

	/* where this is not told, the thread is stopped to look */
	return got <= 0 || text[0] == 'r';
}
