/* SPDX-License-Identifier: MIT */
/*
 * Standing before the program's signal handlers (collector/inside/handler/signal_delivery.h): what
 * sigaction(2) and signal(2) set is wrapped, and unwrapped where the program asks.
 */
#include "collector/inside/life/trap_action.h"

#include "base/atomics.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/kernel/syscall.h"

static bool is_wrapped(int number, signal_delivery_handler *handler)
{
	/* SIG_DFL and SIG_IGN are 0 and 1 */
	return number > 0 && number < SIGNAL_DELIVERY_SIGNALS && (uintptr_t)handler > 1 &&
	       handler != signal_delivery_entry;
}

static void keep_handler(int number, signal_delivery_handler *handler, uint64_t flags)
{
	uint64_t bit = UINT64_C(1) << (number - 1);

	if (flags & SA_ONSTACK)
		__atomic_fetch_or(&handler_state.delivery.on_alternate, bit, __ATOMIC_RELEASE);
	else
		__atomic_fetch_and(&handler_state.delivery.on_alternate, ~bit, __ATOMIC_RELEASE);
	atomic_write_release(&handler_state.delivery.handlers[number], handler);
}

void signal_wrap_action(int number, struct sigaction *action)
{
	signal_delivery_handler *handler = action->sa_sigaction;

	if (!is_wrapped(number, handler))
		return;
	keep_handler(number, handler, (unsigned)action->sa_flags);
	action->sa_sigaction = signal_delivery_entry;
}

void signal_wrap_undo(int number, struct sigaction *action)
{
	if (action->sa_sigaction == signal_delivery_entry)
		action->sa_sigaction = atomic_read_relaxed(
			&handler_state.delivery.handlers[number]);
}

int signal_wrap_sigaction(signal_wrap_sigaction_call *next, int number,
			  const struct sigaction *new_action, struct sigaction *old_action)
{
	/* known before it is replaced: the one that @old_action may be about */
	signal_delivery_handler *before =
		number > 0 && number < SIGNAL_DELIVERY_SIGNALS
			? atomic_read_relaxed(&handler_state.delivery.handlers[number])
			: NULL;
	struct sigaction wrapped;
	int rc;

	if (new_action && signal_wrap_is_installed()) {
		wrapped = *new_action;
		signal_wrap_action(number, &wrapped);
		new_action = &wrapped;
	}
	rc = next(number, new_action, old_action);
	if (!rc && old_action && old_action->sa_sigaction == signal_delivery_entry)
		old_action->sa_sigaction = before;
	return rc;
}

__sighandler_t signal_wrap_signal(signal_wrap_signal_call *next, int number, __sighandler_t handler)
{
	signal_delivery_handler *before =
		number > 0 && number < SIGNAL_DELIVERY_SIGNALS
			? atomic_read_relaxed(&handler_state.delivery.handlers[number])
			: NULL;
	struct sigaction action = {.sa_handler = handler}, old;

	if (signal_wrap_is_installed() && handler != SIG_ERR)
		signal_wrap_action(number, &action);
	old.sa_handler = next(number, action.sa_handler);
	if (old.sa_sigaction == signal_delivery_entry)
		old.sa_sigaction = before;
	return old.sa_handler;
}

static long kernel_action(int number, const struct kernel_sigaction *new_action,
			  struct kernel_sigaction *old_action)
{
	return syscall_6(SYS_rt_sigaction, (uint64_t)number, (uintptr_t)new_action,
			 (uintptr_t)old_action, sizeof(new_action->mask), 0, 0);
}

void signal_wrap_install(void)
{
	struct kernel_sigaction action;

	atomic_write_release(&handler_state.delivery.installed, true);
	for (int number = 1; number < SIGNAL_DELIVERY_SIGNALS; number++) {
		/* SIGTRAP's is trap_action.c's */
		if (number == SIGTRAP || kernel_action(number, NULL, &action) ||
		    !is_wrapped(number, action.handler))
			continue;
		keep_handler(number, action.handler, action.flags);
		action.handler = signal_delivery_entry;
		kernel_action(number, &action, NULL);
	}
}

void signal_wrap_remove(void)
{
	struct kernel_sigaction action;

	atomic_write_release(&handler_state.delivery.installed, false);
	for (int number = 1; number < SIGNAL_DELIVERY_SIGNALS; number++) {
		if (!atomic_read_relaxed(&handler_state.delivery.handlers[number]) ||
		    kernel_action(number, NULL, &action) || action.handler != signal_delivery_entry)
			continue;
		action.handler = atomic_read_relaxed(&handler_state.delivery.handlers[number]);
		kernel_action(number, &action, NULL);
	}
}

bool signal_wrap_is_installed(void)
{
	return atomic_read_relaxed(&handler_state.delivery.installed);
}
