/* SPDX-License-Identifier: MIT */
/* The signal calls through which a program could take SIGTRAP from us, or see that we have it, or
 * our alternate stacks. */
#include <errno.h>
#include <signal.h>

#include "collector/inside/handler/signal_delivery.h"
#include "collector/inside/life/confinement.h"
#include "collector/inside/life/go_runtime.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/inside/interpose/interposed.h"
#include "collector/inside/handler/altstack.h"
#include "collector/kernel/syscall.h"
#include "collector/inside/life/trap_action.h"
#include "collector/inside/life/signal_wrap.h"
#include "collector/inside/life/trap_mask.h"

/* MINSIGSTKSZ of the kernel */
#define ALTERNATE_SMALLEST 2048u

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif

EXPORT int sigaction(int number, const struct sigaction *restrict new_action,
		     struct sigaction *restrict old_action)
{
	int (*next)(int, const struct sigaction *,
		    struct sigaction *) = interposed_next("sigaction", &interposed_libc.sigaction);

	if (new_action && (uintptr_t)new_action->sa_sigaction > 1 /* SIG_IGN */ &&
	    !process_is_refused(&handler_state.process) &&
	    go_runtime_at((const void *)new_action->sa_sigaction))
		confinement_begin(REFUSAL_GO);
	return number == SIGTRAP ? trap_program_action(next, new_action, old_action)
				 : signal_wrap_sigaction(next, number, new_action, old_action);
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
	__sighandler_t (*next)(int, __sighandler_t) = interposed_next("signal",
								      &interposed_libc.signal);

	return number == SIGTRAP ? set_handler(number, handler, SA_RESTART)
				 : signal_wrap_signal(next, number, handler);
}

EXPORT __sighandler_t bsd_signal(int number, __sighandler_t handler)
	__attribute__((alias("signal"), nothrow, leaf));
EXPORT __sighandler_t ssignal(int number, __sighandler_t handler) __attribute__((alias("signal")));

/* What signal() is in programs that ask for System V's, or for a bare POSIX. */
EXPORT __sighandler_t __sysv_signal(int number, __sighandler_t handler)
{
	__sighandler_t (*next)(int, __sighandler_t) = interposed_next("__sysv_signal",
								      &interposed_libc.sysv_signal);

	return number == SIGTRAP ? set_handler(number, handler, (int)(SA_RESETHAND | SA_NODEFER))
				 : signal_wrap_signal(next, number, handler);
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
	return change_mask(interposed_next("sigprocmask", &interposed_libc.sigprocmask), how, set,
			   old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	return change_mask(interposed_next("pthread_sigmask", &interposed_libc.pthread_sigmask),
			   how, set, old);
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
	for (uint32_t i = 0; i < ALTSTACK_MAX; i++)
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
	bool refused = process_is_refused(&handler_state.process);
	long rc;

	/* what is noted of the thread's mask goes with our stack */
	if (!refused && new_stack && (unsigned)new_stack->ss_flags & SS_AUTODISARM)
		trap_mask_leave();

	if (refused)
		rc = change_alternate_left(new_stack, old_stack, at);
	else
		rc = change_alternate(new_stack, old_stack, at);
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
