/* SPDX-License-Identifier: MIT */
/* A tracee's registers and debug registers: Intel SDM volume 3, section 18.2; the kernel's side of
 * them is arch/x86/kernel/ptrace.c, which keeps the breakpoints of each thread apart. */
#include "collector/outside/tracee.h"

#include <asm/ioctls.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define CODE_HARDWARE_BREAKPOINT 4 /* TRAP_HWBKPT */
#define STATUS_HIT_0		 1u
#define STATUS_NONE		 0xffff0ff0u /* as it is after a reset */
#define CONTROL_ENABLE_0	 1u	     /* of register 0; execution, length 1: all else zero */
#define XSAVE_BYTES_MAX		 16384u

/* ---- registers ----------------------------------------------------------------------------- */

int tracee_registers(pid_t tid, struct tracee_registers *registers)
{
	const struct user_regs_struct *g = &registers->isa.general;
	int rc = tracee_request(PTRACE_GETREGS, tid, 0, (uintptr_t)&registers->isa.general);

	registers->in_system_call = !rc && (int64_t)g->orig_rax >= 0;
	registers->result = (int64_t)g->rax;
	registers->is_64_bit = g->cs == ISA_HOST_CODE_SEGMENT;
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

/* ---- system calls that a stop interrupted -------------------------------------------------- */

/*
 * What the kernel restarts by itself where no handler runs never gets here: it returns ERESTARTSYS
 * and its like inside (sleeps, poll, futexes, locks, wait, pipes). Here are the others, which say
 * EINTR whatever interrupts them: signal(7), and in the kernel sock_intr_errno (sockets with
 * time-outs), ep_poll, do_semtimedop, do_sigtimedwait, poll_select_finish (a time-out in memory
 * that can't be written), read_events, io_cqring_wait.
 */

#define SYSCALL_BYTES 2u

/* newer than Debian 12's headers, or not in all */
#define CALL_EPOLL_PWAIT2 441
#define CALL_FUTEX_WAITV  449
#define CALL_FUTEX_WAIT	  455

/* None of these has done anything when it says EINTR. A connection goes on being made, and a second
 * connect waits for it as the first one did (inet_stream_connect, SS_CONNECTING). Not close: the
 * descriptor is gone. */
static const long interrupted[] = {
	/* waiting for events */
	SYS_epoll_wait, SYS_epoll_pwait, CALL_EPOLL_PWAIT2, SYS_poll, SYS_ppoll, SYS_select,
	SYS_pselect6, SYS_io_getevents, SYS_io_pgetevents, SYS_io_uring_enter, SYS_rt_sigtimedwait,
	SYS_futex, CALL_FUTEX_WAITV, CALL_FUTEX_WAIT,
	/* messages and semaphores */
	SYS_semop, SYS_semtimedop, SYS_msgrcv, SYS_msgsnd, SYS_mq_timedsend, SYS_mq_timedreceive,
	/* sockets, and files that may be some */
	SYS_accept, SYS_accept4, SYS_connect, SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg, SYS_sendto,
	SYS_sendmsg, SYS_sendmmsg, SYS_read, SYS_readv, SYS_write, SYS_writev, SYS_preadv,
	SYS_preadv2, SYS_pwritev, SYS_pwritev2, SYS_pread64, SYS_pwrite64, SYS_sendfile, SYS_splice,
	SYS_tee, SYS_vmsplice, SYS_copy_file_range, SYS_getrandom,
	/* files, where a file system's server is waited for */
	SYS_open, SYS_openat, SYS_fcntl, SYS_flock, SYS_wait4, SYS_waitid};

/* tcdrain and tcsetattr wait for what was written. */
static bool is_drain(const struct user_regs_struct *registers)
{
	return registers->orig_rax == SYS_ioctl &&
	       ((registers->rsi == TCSBRK && registers->rdx) || registers->rsi == TCSETSW ||
		registers->rsi == TCSETSF);
}

static bool begins_again(const struct user_regs_struct *registers)
{
	for (size_t i = 0; i < sizeof(interrupted) / sizeof(interrupted[0]); i++)
		if ((long)registers->orig_rax == interrupted[i])
			return true;
	return is_drain(registers);
}

/* One that is about to come, and for which it is right to say EINTR. */
static bool signal_is_pending(pid_t tid)
{
	struct task_status status;

	return tracee_status_read(tid, &status) || tracee_status_pending(&status) & ~status.blocked;
}

int tracee_restart_call(pid_t tid, struct tracee_registers *registers)
{
	struct user_regs_struct *g = &registers->isa.general;

	if (!registers->in_system_call || registers->result != -EINTR || !begins_again(g) ||
	    signal_is_pending(tid))
		return 0;
	g->rax = g->orig_rax;
	g->rip -= SYSCALL_BYTES;
	g->orig_rax = (unsigned long long)-1;
	registers->in_system_call = false;
	return ptrace(PTRACE_SETREGS, tid, NULL, g) < 0 ? -errno : 0;
}
