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
#include "collector/session/syscall.h"
#include "collector/inside/trap.h"

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

EXPORT __sighandler_t signal(int number, __sighandler_t handler)
{
	__sighandler_t (*next)(int, __sighandler_t) = interposed_next(
		"signal", &handler_state.interposed.signal);
	struct sigaction new_action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old_action;

	if (number == SIGTRAP) {
		if (trap_program_action(
			    interposed_next("sigaction", &handler_state.interposed.sigaction),
			    &new_action, &old_action))
			return SIG_ERR;
	} else {
		old_action = (struct sigaction){.sa_handler = next(number, handler)};
		signal_delivery_unwrap(number, &old_action);
	}
	return old_action.sa_handler;
}

/* A blocked SIGTRAP would come late, with a pc that says nothing. */
static const sigset_t *without_trap(const sigset_t *set, sigset_t *copy)
{
	if (!set || !handler_state.process.pid)
		return set;
	*copy = *set;
	sigdelset(copy, SIGTRAP);
	return copy;
}

EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	int (*next)(int, const sigset_t *, sigset_t *) = interposed_next(
		"sigprocmask", &handler_state.interposed.sigprocmask);
	sigset_t copy;

	return next(how, how == SIG_UNBLOCK ? set : without_trap(set, &copy), old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	int (*next)(int, const sigset_t *, sigset_t *) = interposed_next(
		"pthread_sigmask", &handler_state.interposed.pthread_sigmask);
	sigset_t copy;

	return next(how, how == SIG_UNBLOCK ? set : without_trap(set, &copy), old);
}

EXPORT int sigaltstack(const stack_t *restrict new_stack, stack_t *restrict old_stack)
{
	uintptr_t at = (uintptr_t)__builtin_frame_address(0);
	long rc;

	if (process_is_refused(&handler_state.process))
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
