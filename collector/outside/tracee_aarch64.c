/* SPDX-License-Identifier: MIT */
/*
 * A tracee's registers and breakpoint registers by their sets: arch/arm64/kernel/ptrace.c. The
 * kernel does not tell which system call a stopped thread is in, nor what its first argument was:
 * it forgets both before a tracer is told of the stop (arch/arm64/kernel/signal.c, do_signal).
 */
#include "collector/outside/tracee.h"

#include <asm/ptrace.h>
#include <elf.h>
#include <signal.h>
#include <sys/uio.h>

#define CODE_HARDWARE_BREAKPOINT 4	     /* TRAP_HWBKPT */
#define SYSTEM_CALL		 0xd4000001u /* svc #0 */
#define CONTROL_ENABLE		 0x1e5u	     /* in user mode, of the four bytes there */

/* ---- registers ----------------------------------------------------------------------------- */

static bool is_system_call(pid_t tid, uint64_t address)
{
	uint32_t word = 0;
	struct iovec to = {&word, sizeof(word)}, from = {(void *)address, sizeof(word)};

	return process_vm_readv(tid, &to, 1, &from, 1, 0) == sizeof(word) && word == SYSTEM_CALL;
}

int tracee_registers(pid_t tid, struct tracee_registers *registers)
{
	struct isa_registers *g = &registers->isa;
	struct iovec v = {g, offsetof(struct isa_registers, thread_pointer)};
	int rc = tracee_request(PTRACE_GETREGSET, tid, NT_PRSTATUS, (uintptr_t)&v);

	_Static_assert(offsetof(struct isa_registers, thread_pointer) ==
			       sizeof(struct user_pt_regs),
		       "must match the kernel's set");
	registers->is_64_bit = v.iov_len == sizeof(struct user_pt_regs) &&
			       !(g->pstate & PSR_MODE32_BIT);
	registers->result = (int64_t)g->x[0];
	/* it has returned from one, or is to begin it again */
	registers->in_system_call = !rc && registers->is_64_bit &&
				    (is_system_call(tid, g->pc - 4) || is_system_call(tid, g->pc));
	return rc;
}

/* The set begins with its header. */
static uint64_t vector_bytes(pid_t tid)
{
	struct user_sve_header header;
	struct iovec v = {&header, sizeof(header)};

	if (tracee_request(PTRACE_GETREGSET, tid, NT_ARM_SVE, (uintptr_t)&v) ||
	    v.iov_len != sizeof(header))
		return 0;
	return header.vl;
}

int tracee_load(pid_t tid, const struct tracee_registers *registers, struct isa_state *s)
{
	struct isa_registers all = registers->isa;
	struct user_fpsimd_state vectors;
	struct iovec tls = {&all.thread_pointer, sizeof(all.thread_pointer)};
	struct iovec v = {&vectors, sizeof(vectors)};
	int rc = tracee_request(PTRACE_GETREGSET, tid, NT_ARM_TLS, (uintptr_t)&tls);

	if (rc)
		return rc;
	rc = tracee_request(PTRACE_GETREGSET, tid, NT_PRFPREG, (uintptr_t)&v);
	if (rc == -ESRCH)
		return rc;
	all.sve_bytes = vector_bytes(tid);
	isa_state_load_ptrace(s, &all, rc ? NULL : &vectors, rc ? 0 : v.iov_len);
	return 0;
}

/* ---- breakpoint registers ------------------------------------------------------------------ */

static int set_breakpoint(pid_t tid, uint64_t address, uint32_t control)
{
	struct user_hwdebug_state state = {.dbg_regs[0] = {.addr = address, .ctrl = control}};
	struct iovec v = {&state, offsetof(struct user_hwdebug_state, dbg_regs[1])};

	return tracee_request(PTRACE_SETREGSET, tid, NT_ARM_HW_BREAK, (uintptr_t)&v);
}

bool tracee_has_hit(pid_t tid)
{
	struct task_status status;

	return !tracee_status_read(tid, &status) &&
	       tracee_status_pending(&status) & tracee_status_signal(SIGTRAP);
}

bool tracee_takes_hit(pid_t tid, const siginfo_t *info)
{
	(void)tid;
	return info->si_signo == SIGTRAP && info->si_code == CODE_HARDWARE_BREAKPOINT;
}

/* The kernel says so of a system call that was stepped into (include/linux/ptrace.h,
 * user_single_step_report); another process's signal has its number. */
static bool is_end_of_call(pid_t tid, const siginfo_t *info)
{
	struct tracee_registers registers;

	return info->si_code == SI_USER && !info->si_pid && !tracee_registers(tid, &registers) &&
	       registers.in_system_call;
}

/* arch/arm64/kernel/debug-monitors.c, single_step_handler; ptrace_notify for a handler's entry. */
enum tracee_stop tracee_stepped(pid_t tid, const siginfo_t *info)
{
	if (info->si_signo != SIGTRAP)
		return TRACEE_SIGNALLED;
	if (info->si_code == TRAP_TRACE)
		return TRACEE_BELATED;
	return info->si_code == SIGTRAP || is_end_of_call(tid, info) ? TRACEE_EVENT
								     : TRACEE_SIGNALLED;
}

int tracee_break_at(pid_t tid, uint64_t address)
{
	return set_breakpoint(tid, address, CONTROL_ENABLE);
}

int tracee_unbreak(pid_t tid)
{
	return set_breakpoint(tid, 0, 0);
}

/* ---- system calls that a stop interrupted -------------------------------------------------- */

/*
 * The kernel's EINTR replaces the call's first argument, which ptrace shows nowhere: a call can't
 * be begun again. A thread that has events (tracee_events.h) is never stopped in one.
 */

int tracee_restart_call(pid_t tid, struct tracee_registers *registers)
{
	(void)tid;
	(void)registers;
	return 0;
}
