/* SPDX-License-Identifier: MIT */
/* Debug registers: Intel SDM volume 3, section 18.2; the kernel's side of them is
 * arch/x86/kernel/ptrace.c, which keeps the breakpoints of each thread apart. */
#include "collector/outside/tracee.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/outside/tracee_status.h"

#define CODE_HARDWARE_BREAKPOINT 4 /* TRAP_HWBKPT */
#define STATUS_HIT_0		 1u
#define STATUS_NONE		 0xffff0ff0u /* as it is after a reset */
#define CONTROL_ENABLE_0	 1u	     /* of register 0; execution, length 1: all else zero */
#define XSAVE_BYTES_MAX		 16384u

static int call(enum __ptrace_request request, pid_t tid, uintptr_t address, uintptr_t data)
{
	return ptrace(request, tid, (void *)address, (void *)data) < 0 ? -errno : 0;
}

#define OPTIONS_ALONE (PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC) /* threads are clones */
#define OPTIONS_ALL   (OPTIONS_ALONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK)

int tracee_seize(pid_t tid, bool children)
{
	return call(PTRACE_SEIZE, tid, 0, children ? OPTIONS_ALL : OPTIONS_ALONE);
}

int tracee_follow(pid_t tid, bool children)
{
	return call(PTRACE_SETOPTIONS, tid, 0, children ? OPTIONS_ALL : OPTIONS_ALONE);
}

int tracee_interrupt(pid_t tid)
{
	return call(PTRACE_INTERRUPT, tid, 0, 0);
}

/* ---- stops --------------------------------------------------------------------------------- */

static uint64_t debug_register(pid_t tid, unsigned number)
{
	errno = 0;
	return (uint64_t)ptrace(PTRACE_PEEKUSER, tid,
				(void *)(offsetof(struct user, u_debugreg) +
					 number * sizeof(((struct user *)0)->u_debugreg[0])),
				NULL);
}

static int set_debug_register(pid_t tid, unsigned number, uint64_t value)
{
	return call(PTRACE_POKEUSER, tid,
		    offsetof(struct user, u_debugreg) +
			    number * sizeof(((struct user *)0)->u_debugreg[0]),
		    value);
}

static bool is_our_breakpoint(pid_t tid, const siginfo_t *info)
{
	return info->si_signo == SIGTRAP && info->si_code == CODE_HARDWARE_BREAKPOINT &&
	       debug_register(tid, 6) & STATUS_HIT_0;
}

/* A signal is about to be delivered: the program's, or ours. */
static enum tracee_stop why_signalled(pid_t tid, const struct tracee_events *events)
{
	siginfo_t info;

	if (call(PTRACE_GETSIGINFO, tid, 0, (uintptr_t)&info))
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
	if (!is_our_breakpoint(tid, &info))
		return TRACEE_SIGNALLED;
	set_debug_register(tid, 6, STATUS_NONE);
	return TRACEE_BREAKPOINT;
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

int tracee_resume(pid_t tid, int sig)
{
	return call(PTRACE_CONT, tid, 0, (uintptr_t)sig);
}

int tracee_listen(pid_t tid)
{
	return call(PTRACE_LISTEN, tid, 0, 0);
}

/* ---- registers ----------------------------------------------------------------------------- */

int tracee_registers(pid_t tid, struct user_regs_struct *registers)
{
	return call(PTRACE_GETREGS, tid, 0, (uintptr_t)registers);
}

int tracee_load(pid_t tid, const struct user_regs_struct *registers, struct isa_state *s)
{
	uint8_t xsave[XSAVE_BYTES_MAX] __attribute__((aligned(64)));
	struct iovec v = {xsave, sizeof(xsave)};
	int rc = call(PTRACE_GETREGSET, tid, NT_X86_XSTATE, (uintptr_t)&v);

	if (rc == -ESRCH)
		return rc;
	isa_state_load_ptrace(s, registers, rc ? NULL : xsave, rc ? 0 : v.iov_len);
	return 0;
}

bool tracee_in_system_call(const struct user_regs_struct *registers)
{
	return (int64_t)registers->orig_rax >= 0;
}

/* ---- breakpoints --------------------------------------------------------------------------- */

bool tracee_blocks(pid_t tid, int number)
{
	uint64_t mask = 0;

	return call(PTRACE_GETSIGMASK, tid, sizeof(mask), (uintptr_t)&mask) ||
	       mask & tracee_status_signal(number);
}

bool tracee_ignores_trap(pid_t tid)
{
	struct tracee_status status;

	return tracee_status_read(tid, &status) || tracee_status_ignores(&status, SIGTRAP);
}

int tracee_break_at(pid_t tid, uint64_t address)
{
	int rc = set_debug_register(tid, 0, address);

	return rc ? rc : set_debug_register(tid, 7, CONTROL_ENABLE_0);
}

int tracee_unbreak(pid_t tid)
{
	int rc = set_debug_register(tid, 7, 0);

	return rc ? rc : set_debug_register(tid, 0, 0);
}

bool tracee_has_hit(pid_t tid)
{
	return debug_register(tid, 6) & STATUS_HIT_0;
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
