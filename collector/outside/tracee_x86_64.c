/* SPDX-License-Identifier: MIT */
/* A tracee's registers and debug registers: Intel SDM volume 3, section 18.2; the kernel's side of
 * them is arch/x86/kernel/ptrace.c, which keeps the breakpoints of each thread apart. */
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/uio.h>

#include "collector/outside/tracee.h"
#include "collector/outside/tracee_request.h"

#define CODE_HARDWARE_BREAKPOINT 4 /* TRAP_HWBKPT */
#define STATUS_HIT_0		 1u
#define STATUS_NONE		 0xffff0ff0u /* as it is after a reset */
#define CONTROL_ENABLE_0	 1u	     /* of register 0; execution, length 1: all else zero */
#define XSAVE_BYTES_MAX		 16384u
/* The code segment of 64-bit programs (arch/x86/include/asm/segment.h, __USER_CS). */
#define CODE_64 0x33

/* ---- registers ----------------------------------------------------------------------------- */

int tracee_registers(pid_t tid, struct tracee_registers *registers)
{
	const struct user_regs_struct *g = &registers->isa.general;
	int rc = tracee_request(PTRACE_GETREGS, tid, 0, (uintptr_t)&registers->isa.general);

	registers->in_system_call = !rc && (int64_t)g->orig_rax >= 0;
	registers->result = (int64_t)g->rax;
	registers->is_64_bit = g->cs == CODE_64;
	return rc;
}

int tracee_load(pid_t tid, const struct tracee_registers *registers, struct isa_state *s)
{
	uint8_t xsave[XSAVE_BYTES_MAX] __attribute__((aligned(64)));
	struct iovec v = {xsave, sizeof(xsave)};
	int rc = tracee_request(PTRACE_GETREGSET, tid, NT_X86_XSTATE, (uintptr_t)&v);

	if (rc == -ESRCH)
		return rc;
	isa_state_load_ptrace(s, &registers->isa, rc ? NULL : xsave, rc ? 0 : v.iov_len);
	return 0;
}

/* ---- debug registers ----------------------------------------------------------------------- */

static uintptr_t place_of(unsigned number)
{
	return offsetof(struct user, u_debugreg) +
	       number * sizeof(((struct user *)0)->u_debugreg[0]);
}

static uint64_t debug_register(pid_t tid, unsigned number)
{
	errno = 0;
	return (uint64_t)ptrace(PTRACE_PEEKUSER, tid, (void *)place_of(number), NULL);
}

static int set_debug_register(pid_t tid, unsigned number, uint64_t value)
{
	return tracee_request(PTRACE_POKEUSER, tid, place_of(number), value);
}

bool tracee_has_hit(pid_t tid)
{
	return debug_register(tid, 6) & STATUS_HIT_0;
}

bool tracee_takes_hit(pid_t tid, const siginfo_t *info)
{
	if (info->si_signo != SIGTRAP || info->si_code != CODE_HARDWARE_BREAKPOINT ||
	    !tracee_has_hit(tid))
		return false;
	set_debug_register(tid, 6, STATUS_NONE);
	return true;
}

enum tracee_stop tracee_stepped(pid_t tid, const siginfo_t *info)
{
	(void)tid;
	(void)info;
	return TRACEE_SIGNALLED;
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
