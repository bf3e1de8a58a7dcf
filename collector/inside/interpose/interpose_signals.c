/* SPDX-License-Identifier: MIT */
/* The signal calls through which a program could take SIGTRAP from us, or see that we have it, or
 * our alternate stacks. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "base/atomics.h"
#include "collector/inside/handler/altstack.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/inside/handler/signal_delivery.h"
#include "collector/inside/interpose/interposed.h"
#include "collector/inside/life/exclusion_checks.h"
#include "collector/inside/life/process_life.h"
#include "collector/inside/life/trap_action.h"
#include "collector/inside/life/trap_mask.h"
#include "collector/kernel/syscall.h"

/* MINSIGSTKSZ of the kernel */
#define ALTERNATE_SMALLEST 2048u

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif

EXPORT int sigaction(int number, const struct sigaction *restrict new_action,
		     struct sigaction *restrict old_action)
{
	if (new_action && (uintptr_t)new_action->sa_sigaction > 1 /* SIG_IGN */ &&
	    !process_is_excluded(&handler_state.process) &&
	    entry_check_is_go((const void *)new_action->sa_sigaction))
		sandboxing_begin(EXCLUSION_GO);
	return number == SIGTRAP
		       ? trap_program_action(NEXT(sigaction), new_action, old_action)
		       : signal_wrap_sigaction(NEXT(sigaction), number, new_action, old_action);
}

static __sighandler_t set_handler(int number, __sighandler_t handler, int flags)
{
	struct sigaction new_action = {.sa_handler = handler, .sa_flags = flags}, old_action;

	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	if (!(flags & (int)SA_NODEFER))
		sigaddset(&new_action.sa_mask, number); /* as libc does */
	return sigaction(number, &new_action, &old_action) ? SIG_ERR : old_action.sa_handler;
}

EXPORT __sighandler_t signal(int number, __sighandler_t handler)
{
	return number == SIGTRAP ? set_handler(number, handler, SA_RESTART)
				 : signal_wrap_signal(NEXT(signal), number, handler);
}

EXPORT __sighandler_t bsd_signal(int number, __sighandler_t handler)
	__attribute__((alias("signal"), nothrow, leaf));
EXPORT __sighandler_t ssignal(int number, __sighandler_t handler) __attribute__((alias("signal")));

/* What signal() is in programs that ask for System V's, or for a bare POSIX. */
EXPORT __sighandler_t __sysv_signal(int number, __sighandler_t handler)
{
	return number == SIGTRAP ? set_handler(number, handler, (int)(SA_RESETHAND | SA_NODEFER))
				 : signal_wrap_signal(NEXT(__sysv_signal), number, handler);
}

EXPORT __sighandler_t sysv_signal(int number, __sighandler_t handler)
	__attribute__((alias("__sysv_signal"), nothrow, leaf));

static int change_mask(trap_mask_call *next, int how, const sigset_t *set, sigset_t *old)
{
	if (how != SIG_UNBLOCK && set && trap_mask_has(set))
		trap_install_if_gone();
	return trap_mask_change(next, how, set, old);
}

EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	return change_mask(NEXT(sigprocmask), how, set, old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	return change_mask(NEXT(pthread_sigmask), how, set, old);
}

/* As the kernel has it (kernel/signal.c, do_sigaltstack). */
static int set_alternate(struct altstack_owner *o, const stack_t *wanted)
{
	unsigned flags = (unsigned)wanted->ss_flags, mode = flags & ~SS_AUTODISARM;

	if (mode != SS_DISABLE && mode != SS_ONSTACK && mode)
		return -EINVAL;
	if (mode == SS_DISABLE) {
		o->program = (stack_t){.ss_flags = (int)flags};
		return 0;
	}
	if (wanted->ss_size < ALTERNATE_SMALLEST)
		return -ENOMEM;
	o->program = (stack_t){.ss_sp = wanted->ss_sp,
			       .ss_size = wanted->ss_size,
			       .ss_flags = (int)(flags & SS_AUTODISARM)};
	/* let go of, and forgotten, by the kernel at each signal: only the kernel can do that */
	if (flags & SS_AUTODISARM)
		altstack_leave();
	return 0;
}

/* sigaltstack(2) for the calling thread, whose stack pointer is @at: 0, a negative errno, or 1 if
 * it has none of ours, so that the kernel's answer holds. */
static int change_alternate(const stack_t *new_stack, stack_t *old_stack, uintptr_t at)
{
	struct altstack_owner *o = altstack_current();
	stack_t before;
	bool on;
	int rc = 0;

	if (!o)
		return 1;
	before = o->program;
	on = altstack_on_program(o, at);
	if (on)
		before.ss_flags |= SS_ONSTACK;
	if (new_stack)
		rc = on ? -EPERM : set_alternate(o, new_stack);
	if (!rc && old_stack)
		*old_stack = before;
	return rc;
}

static bool on_any_program(uintptr_t at)
{
	for (uint32_t i = 0; i < handler_state.altstacks.used; i++)
		if (handler_state.altstacks.owners[i].tid &&
		    altstack_on_program(&handler_state.altstacks.owners[i], at))
			return true;
	return false;
}

/* The same in a process that was left for good: no call but the one that the program makes. */
static int change_alternate_left(const stack_t *new_stack, stack_t *old_stack, uintptr_t at)
{
	stack_t before = {.ss_flags = SS_DISABLE};
	struct altstack_owner *o;
	long rc;

	if (new_stack && on_any_program(at))
		return -EPERM;
	rc = syscall_3(SYS_sigaltstack, (uintptr_t)new_stack, (uintptr_t)&before, 0);
	if (rc)
		return (int)rc;
	o = altstack_at((uintptr_t)before.ss_sp);
	if (o)
		before = o->program;
	if (o && altstack_on_program(o, at))
		before.ss_flags |= SS_ONSTACK;
	if (o && new_stack)
		o->program = (stack_t){.ss_flags = SS_DISABLE};
	if (old_stack)
		*old_stack = before;
	return 0;
}

EXPORT int sigaltstack(const stack_t *restrict new_stack, stack_t *restrict old_stack)
{
	uintptr_t at = (uintptr_t)__builtin_frame_address(0);
	bool excluded = process_is_excluded(&handler_state.process);
	long rc;

	/* what is noted of the thread's mask goes with our stack */
	if (!excluded && new_stack && (unsigned)new_stack->ss_flags & SS_AUTODISARM)
		trap_mask_leave();

	if (excluded)
		rc = change_alternate_left(new_stack, old_stack, at);
	else
		rc = change_alternate(new_stack, old_stack, at);
	if (rc > 0)
		rc = syscall_3(SYS_sigaltstack, (uintptr_t)new_stack, (uintptr_t)old_stack, 0);
	/* a stop between the two calls gave the thread one of ours */
	if (!rc && old_stack && altstack_at((uintptr_t)old_stack->ss_sp))
		*old_stack = (stack_t){.ss_flags = SS_DISABLE};
	return (int)interposed_result(rc);
}

/* ---- calls of System V and BSD --------------------------------------------------------------- */

/* POSIX no longer has them, and libc may not declare them, or warns of who names them. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
__sighandler_t sigset(int number, __sighandler_t handler);
int sighold(int number);
int sigrelse(int number);
int sigignore(int number);
int siginterrupt(int number, int interrupt);

#define HOLD ((__sighandler_t)2) /* SIG_HOLD */

static int change_trap_mask(int how, sigset_t *old)
{
	sigset_t trap;

	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	return sigprocmask(how, &trap, old);
}

EXPORT __sighandler_t sigset(int number, __sighandler_t handler)
{
	struct sigaction action = {.sa_handler = handler}, was;
	sigset_t before;

	if (number != SIGTRAP) {
		was.sa_handler = NEXT(sigset)(number, handler);
		signal_wrap_undo(number, &was);
		return was.sa_handler;
	}
	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	if (sigaction(number, handler == HOLD ? NULL : &action, &was) ||
	    change_trap_mask(handler == HOLD ? SIG_BLOCK : SIG_UNBLOCK, &before))
		return SIG_ERR;
	return sigismember(&before, number) ? HOLD : was.sa_handler;
}

EXPORT int sighold(int number)
{
	return number == SIGTRAP ? change_trap_mask(SIG_BLOCK, NULL) : NEXT(sighold)(number);
}

EXPORT int sigrelse(int number)
{
	return number == SIGTRAP ? change_trap_mask(SIG_UNBLOCK, NULL) : NEXT(sigrelse)(number);
}

EXPORT int sigignore(int number)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	return number == SIGTRAP ? sigaction(number, &ignore, NULL) : NEXT(sigignore)(number);
}

EXPORT int siginterrupt(int number, int interrupt)
{
	struct sigaction action;

	if (number != SIGTRAP)
		return NEXT(siginterrupt)(number, interrupt);
	if (sigaction(number, NULL, &action))
		return -1;
	if (interrupt)
		action.sa_flags &= ~SA_RESTART;
	else
		action.sa_flags |= SA_RESTART;
	return sigaction(number, &action, NULL);
}

/* ---- calls that send signals ----------------------------------------------------------------- */

static const union sigval no_value;

/* @pid as kill(2) has it: 0 and below are groups, perhaps ours. */
static bool sends_to_own(pid_t pid)
{
	return pid <= 0 || (uint32_t)pid == handler_state.process.pid;
}

/* @to_itself: the calling thread */
static void send_begin(struct trap_mask_wait *w, bool to_itself, int code, union sigval value)
{
	process_trap_matters(NULL);
	trap_mask_await_begin(w, NULL);
	if (to_itself && handler_state.process.pid && !process_is_excluded(&handler_state.process))
		trap_sent_note(code, value);
}

/* libc's @call, which sends a SIGTRAP to this process. */
#define SEND(to_itself, code, value, call)                 \
	__extension__({                                    \
		struct trap_mask_wait wait;                \
		int rc;                                    \
                                                           \
		send_begin(&wait, to_itself, code, value); \
		rc = call;                                 \
		trap_mask_wait_end(&wait);                 \
		rc;                                        \
	})

EXPORT int raise(int number)
{
	if (number != SIGTRAP)
		return NEXT(raise)(number);
	return SEND(true, SI_TKILL, no_value, NEXT(raise)(number));
}

EXPORT int pthread_kill(pthread_t thread, int number)
{
	if (number != SIGTRAP)
		return NEXT(pthread_kill)(thread, number);
	return SEND(pthread_equal(thread, pthread_self()), SI_TKILL, no_value,
		    NEXT(pthread_kill)(thread, number));
}

EXPORT int pthread_sigqueue(pthread_t thread, int number, const union sigval value)
{
	if (number != SIGTRAP)
		return NEXT(pthread_sigqueue)(thread, number, value);
	return SEND(pthread_equal(thread, pthread_self()), SI_QUEUE, value,
		    NEXT(pthread_sigqueue)(thread, number, value));
}

EXPORT int tgkill(pid_t pid, pid_t tid, int number)
{
	if (number != SIGTRAP || !sends_to_own(pid))
		return NEXT(tgkill)(pid, tid, number);
	return SEND(tid == gettid(), SI_TKILL, no_value, NEXT(tgkill)(pid, tid, number));
}

EXPORT int kill(pid_t pid, int number)
{
	if (number == SIGTRAP && sends_to_own(pid))
		process_trap_matters(NULL);
	return NEXT(kill)(pid, number);
}

EXPORT int killpg(pid_t group, int number)
{
	if (number == SIGTRAP)
		process_trap_matters(NULL);
	return NEXT(killpg)(group, number);
}

EXPORT int sigqueue(pid_t pid, int number, const union sigval value)
{
	if (number == SIGTRAP && sends_to_own(pid))
		process_trap_matters(NULL);
	return NEXT(sigqueue)(pid, number, value);
}

/* ---- calls that wait for signals, or with another signal mask ------------------------------- */

/* libc's @call, which waits with what @begin does for @signals: a set, or a mask. */
#define WAIT(begin, signals, call)          \
	__extension__({                     \
		struct trap_mask_wait wait; \
		int rc;                     \
                                            \
		begin(&wait, signals);      \
		rc = call;                  \
		trap_mask_wait_end(&wait);  \
		rc;                         \
	})

EXPORT int sigwait(const sigset_t *restrict set, int *restrict number)
{
	process_trap_matters(set);
	return WAIT(trap_mask_await_begin, set, NEXT(sigwait)(set, number));
}

EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
	process_trap_matters(set);
	return WAIT(trap_mask_await_begin, set, NEXT(sigwaitinfo)(set, info));
}

EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
			const struct timespec *restrict timeout)
{
	process_trap_matters(set);
	return WAIT(trap_mask_await_begin, set, NEXT(sigtimedwait)(set, info, timeout));
}

EXPORT int sigpending(sigset_t *set)
{
	return WAIT(trap_mask_await_begin, NULL, NEXT(sigpending)(set));
}

EXPORT int sigsuspend(const sigset_t *mask)
{
	return WAIT(trap_mask_wait_begin, mask, NEXT(sigsuspend)(mask));
}

EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
		 const sigset_t *mask)
{
	return WAIT(trap_mask_wait_begin, mask, NEXT(ppoll)(fds, count, timeout, mask));
}

EXPORT int pselect(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict except,
		   const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
	return WAIT(trap_mask_wait_begin, mask,
		    NEXT(pselect)(count, in, out, except, timeout, mask));
}

EXPORT int epoll_pwait(int fd, struct epoll_event *events, int most, int timeout,
		       const sigset_t *mask)
{
	return WAIT(trap_mask_wait_begin, mask, NEXT(epoll_pwait)(fd, events, most, timeout, mask));
}

/* Where libc has none, the program can't call it. */
EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int most,
			const struct timespec *timeout, const sigset_t *mask)
{
	return WAIT(trap_mask_wait_begin, mask,
		    NEXT(epoll_pwait2)(fd, events, most, timeout, mask));
}

EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	process_trap_matters(set);
	return NEXT(signalfd)(fd, set, flags);
}
