/* SPDX-License-Identifier: MIT */
/*
 * Standing before the program's signal handlers (collector/inside/handler/signal_delivery.h): what
 * sigaction(2) and signal(2) set is wrapped, and unwrapped where the program asks.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* Stand before the handlers that the program has installed, and no more: one without SA_ONSTACK may
 * come when another is about to begin on our stack. */
void signal_wrap_install(void);
void signal_wrap_remove(void);
bool signal_wrap_is_installed(void);
typedef int signal_wrap_sigaction_call(int, const struct sigaction *, struct sigaction *);
/* sigaction(2) by @next, libc's, as the program should see it. */
int signal_wrap_sigaction(signal_wrap_sigaction_call *next, int number,
			  const struct sigaction *new_action, struct sigaction *old_action);
typedef __sighandler_t signal_wrap_signal_call(int, __sighandler_t);
/* signal(2), likewise. */
__sighandler_t signal_wrap_signal(signal_wrap_signal_call *next, int number,
				  __sighandler_t handler);
/* What to give to sigaction(2) for the program's @action, and what the program is to see of what it
 * returned. */
void signal_wrap_action(int number, struct sigaction *action);
void signal_wrap_undo(int number, struct sigaction *action);
