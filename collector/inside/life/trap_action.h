/* SPDX-License-Identifier: MIT */
/* What SIGTRAP is set to: our handler, and what the program wants done with its own SIGTRAPs. */
#pragma once

#include <signal.h>

#include "collector/inside/life/trap_mask.h"

/* ---- all other signals (signal_wrap.c) ------------------------------------------------------ */

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

/* ---- SIGTRAP -------------------------------------------------------------------------------- */

/* Install the handler, keeping the program's own disposition. 0 or a negative errno. */
int trap_install(void);
/* Give SIGTRAP back to the program: only when no signal of ours can be under way any more. */
void trap_remove(void);
/* The same, if the calling thread's mask is to be changed while the recording is off. */
void trap_install_if_gone(void);
/* Does the program have a handler of its own? */
bool trap_program_handles(void);

/* sigaction(SIGTRAP) as the program should see it: while our handler is installed, set and get what
 * it wants for SIGTRAPs that are not ours; else @next, libc's. */
int trap_program_action(signal_wrap_sigaction_call *next, const struct sigaction *new_action,
			struct sigaction *old_action);
/* The same of a call by which the kernel gets the flags as they are. */
int trap_program_set(signal_wrap_sigaction_call *next, const struct sigaction *new_action,
		     struct sigaction *old_action);
/* Around an exec, or a call that starts another program: what it inherits, if the program ignores
 * SIGTRAP or blocks it. Also in the child of a vfork. */
struct trap_exec {
	struct trap_mask_exec mask;
	bool ignored;
};
void trap_exec_begin(struct trap_exec *e);
void trap_exec_end(const struct trap_exec *e);
/*
 * The calling thread is about to send SIGTRAP to itself, as @code says, with @value, and may block
 * it. What a program that is started inherits is the kernel's disposition: if the program ignores
 * SIGTRAP, so has the kernel to, for a moment, and then forgets what is pending in all threads.
 * Nobody can read another thread's pending signals; so what is sent is noted, and sent once more.
 */
void trap_sent_note(int code, union sigval value);
/* None of ours is kept for any thread any more, whose events are closed; nor has the program sent
 * one to a thread so far. */
void trap_forget_ours(void);
/* In the child of a fork. */
void trap_after_fork(void);
