/* SPDX-License-Identifier: MIT */
/* The signal calls through which a program could take SIGTRAP from us, or see that we have it, or
 * our alternate stacks. */
#include <errno.h>
#include <signal.h>

#include "collector/inside/signal_delivery.h"
#include "collector/inside/interpose.h"
#include "collector/inside/process.h"
#include "collector/inside/altstack.h"
#include "collector/session/syscall.h"
#include "collector/inside/trap.h"

static struct {
	void *sigaction, *signal, *sigprocmask, *pthread_sigmask;
} known;

void interpose_signals_resolve(void)
{
	interpose_next("sigaction", &known.sigaction);
	interpose_next("signal", &known.signal);
	interpose_next("sigprocmask", &known.sigprocmask);
	interpose_next("pthread_sigmask", &known.pthread_sigmask);
}

EXPORT int sigaction(int number, const struct sigaction *restrict new_action,
		     struct sigaction *restrict old_action)
{
	int (*next)(int, const struct sigaction *,
		    struct sigaction *) = interpose_next("sigaction", &known.sigaction);

	return number == SIGTRAP ? trap_program_action(next, new_action, old_action)
				 : signal_delivery_sigaction(next, number, new_action, old_action);
}

EXPORT __sighandler_t signal(int number, __sighandler_t handler)
{
	__sighandler_t (*next)(int, __sighandler_t) = interpose_next("signal", &known.signal);
	struct sigaction new_action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old_action;

	if (number == SIGTRAP) {
		if (trap_program_action(interpose_next("sigaction", &known.sigaction), &new_action,
					&old_action))
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
	if (!set || !process_self.pid)
		return set;
	*copy = *set;
	sigdelset(copy, SIGTRAP);
	return copy;
}

EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	int (*next)(int, const sigset_t *, sigset_t *) = interpose_next("sigprocmask",
									&known.sigprocmask);
	sigset_t copy;

	return next(how, how == SIG_UNBLOCK ? set : without_trap(set, &copy), old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	int (*next)(int, const sigset_t *, sigset_t *) = interpose_next("pthread_sigmask",
									&known.pthread_sigmask);
	sigset_t copy;

	return next(how, how == SIG_UNBLOCK ? set : without_trap(set, &copy), old);
}

EXPORT int sigaltstack(const stack_t *restrict new_stack, stack_t *restrict old_stack)
{
	long rc = altstack_program(new_stack, old_stack, (uintptr_t)__builtin_frame_address(0));

	if (rc > 0)
		rc = syscall_3(SYS_sigaltstack, (uintptr_t)new_stack, (uintptr_t)old_stack, 0);
	if (rc < 0) {
		errno = (int)-rc;
		return -1;
	}
	return 0;
}
