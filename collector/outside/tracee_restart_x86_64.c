/* SPDX-License-Identifier: MIT */
/*
 * What the kernel restarts by itself where no handler runs never gets here: it returns ERESTARTSYS
 * and its like inside (sleeps, poll, futexes, locks, wait, pipes). Here are the others, which say
 * EINTR whatever interrupts them: signal(7), and in the kernel sock_intr_errno (sockets with
 * time-outs), ep_poll, do_semtimedop, do_sigtimedwait, poll_select_finish (a time-out in memory
 * that can't be written), read_events, io_cqring_wait.
 */
#include "collector/outside/tracee_restart.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "collector/outside/tracee_status.h"

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
	SYS_epoll_wait,
	SYS_epoll_pwait,
	CALL_EPOLL_PWAIT2,
	SYS_poll,
	SYS_ppoll,
	SYS_select,
	SYS_pselect6,
	SYS_io_getevents,
	SYS_io_pgetevents,
	SYS_io_uring_enter,
	SYS_rt_sigtimedwait,
	SYS_futex,
	CALL_FUTEX_WAITV,
	CALL_FUTEX_WAIT,
	/* messages and semaphores */
	SYS_semop,
	SYS_semtimedop,
	SYS_msgrcv,
	SYS_msgsnd,
	SYS_mq_timedsend,
	SYS_mq_timedreceive,
	/* sockets, and files that may be some */
	SYS_accept,
	SYS_accept4,
	SYS_connect,
	SYS_recvfrom,
	SYS_recvmsg,
	SYS_recvmmsg,
	SYS_sendto,
	SYS_sendmsg,
	SYS_sendmmsg,
	SYS_read,
	SYS_readv,
	SYS_write,
	SYS_writev,
	SYS_preadv,
	SYS_preadv2,
	SYS_pwritev,
	SYS_pwritev2,
	SYS_pread64,
	SYS_pwrite64,
	SYS_sendfile,
	SYS_splice,
	SYS_tee,
	SYS_vmsplice,
	SYS_copy_file_range,
	SYS_getrandom,
	/* files, where a file system's server is waited for */
	SYS_open,
	SYS_openat,
	SYS_fcntl,
	SYS_flock,
	SYS_wait4,
	SYS_waitid,
};

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
	struct tracee_status status;

	return tracee_status_read(tid, &status) || status.pending & ~status.blocked;
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
