/* SPDX-License-Identifier: MIT */
/* The signal calls through which a program could take SIGTRAP from us, or see that we have it, or
 * our alternate stacks. */
#include <errno.h>
#include <signal.h>

#include "collector/inside/signal_delivery.h"
#include "collector/inside/confinement.h"
#include "collector/inside/go_runtime.h"
#include "collector/inside/handler_state.h"
#include "collector/inside/interposed.h"
#include "collector/inside/altstack.h"
#include "collector/kernel/syscall.h"
#include "collector/inside/trap.h"

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif

EXPORT int sigaction(int number, const struct sigaction *restrict new_action,
		     struct sigaction *restrict old_action)
{
	int (*next)(int, const struct sigaction *, struct sigaction *) = interposed_next(
		"sigaction", &handler_state.interposed.sigaction);

	if (new_action && (uintptr_t)new_action->sa_sigaction > 1 /* SIG_IGN */ &&
	    !process_is_refused(&handler_state.process) &&
	    go_runtime_at((const void *)new_action->sa_sigaction))
		confinement_begin(REFUSAL_GO);
	return number == SIGTRAP ? trap_program_action(next, new_action, old_action)
				 : signal_delivery_sigaction(next, number, new_action, old_action);
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
	__sighandler_t (*next)(int, __sighandler_t) = interposed_next(
		"signal", &handler_state.interposed.signal);

	return number == SIGTRAP ? set_handler(number, handler, SA_RESTART)
				 : signal_delivery_signal(next, number, handler);
}

EXPORT __sighandler_t bsd_signal(int number, __sighandler_t handler)
	__attribute__((alias("signal"), nothrow, leaf));
EXPORT __sighandler_t ssignal(int number, __sighandler_t handler) __attribute__((alias("signal")));

/* What signal() is in programs that ask for System V's, or for a bare POSIX. */
EXPORT __sighandler_t __sysv_signal(int number, __sighandler_t handler)
{
	__sighandler_t (*next)(int, __sighandler_t) = interposed_next(
		"__sysv_signal", &handler_state.interposed.sysv_signal);

	return number == SIGTRAP ? set_handler(number, handler, (int)(SA_RESETHAND | SA_NODEFER))
				 : signal_delivery_signal(next, number, handler);
}

EXPORT __sighandler_t sysv_signal(int number, __sighandler_t handler)
	__attribute__((alias("__sysv_signal"), nothrow, leaf));

static int change_mask(trap_mask_call *next, int how, const sigset_t *set, sigset_t *old)
{
	if (set && sigismember(set, SIGTRAP) == 1 && how != SIG_UNBLOCK)
		trap_install_if_gone();
	return trap_mask_change(next, how, set, old);
}

EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	return change_mask(interposed_next("sigprocmask", &handler_state.interposed.sigprocmask),
			   how, set, old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	return change_mask(
		interposed_next("pthread_sigmask", &handler_state.interposed.pthread_sigmask), how,
		set, old);
}

EXPORT int sigaltstack(const stack_t *restrict new_stack, stack_t *restrict old_stack)
{
	uintptr_t at = (uintptr_t)__builtin_frame_address(0);
	bool refused = process_is_refused(&handler_state.process);
	long rc;

	/* what is noted of the thread's mask goes with our stack */
	if (!refused && new_stack && (unsigned)new_stack->ss_flags & SS_AUTODISARM)
		trap_mask_leave();

	if (refused)
		rc = altstack_program_left(new_stack, old_stack, at);
	else
		rc = altstack_program(new_stack, old_stack, at);
	if (rc > 0)
		rc = syscall_3(SYS_sigaltstack, (uintptr_t)new_stack, (uintptr_t)old_stack, 0);
	/* a stop between the two calls gave the thread one of ours */
	if (!rc && old_stack && altstack_at((uintptr_t)old_stack->ss_sp))
		*old_stack = (stack_t){.ss_flags = SS_DISABLE};
	if (rc < 0) {
		errno = (int)-rc;
		return -1;
	}
	return 0;
}
