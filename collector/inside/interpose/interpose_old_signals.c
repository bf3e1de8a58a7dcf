/* SPDX-License-Identifier: MIT */
/*
 * Calls of System V and BSD for what sigaction(2) and sigprocmask(2) do today, for SIGTRAP only:
 * libc's own work behind the backs of those that we stand before.
 */
#include <errno.h>
#include <signal.h>

#include "collector/inside/handler/handler_state.h"
#include "collector/inside/interpose/interposed.h"
#include "collector/inside/life/signal_wrap.h"

/* POSIX no longer has them, and libc may not declare them. */
__sighandler_t sigset(int number, __sighandler_t handler);
int sighold(int number);
int sigrelse(int number);
int sigignore(int number);
int siginterrupt(int number, int interrupt);

#define HOLD ((__sighandler_t)2) /* SIG_HOLD */

static int change_trap(int how, sigset_t *old)
{
	sigset_t trap;

	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	return sigprocmask(how, &trap, old);
}

EXPORT __sighandler_t sigset(int number, __sighandler_t handler)
{
	__sighandler_t (*next)(int, __sighandler_t) = interposed_next(
		"sigset", &interposed_libc.old_signals[0]);
	struct sigaction action = {.sa_handler = handler}, was;
	sigset_t before;

	if (number != SIGTRAP) {
		was.sa_handler = next(number, handler);
		signal_wrap_undo(number, &was);
		return was.sa_handler;
	}
	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	if (sigaction(number, handler == HOLD ? NULL : &action, &was) ||
	    change_trap(handler == HOLD ? SIG_BLOCK : SIG_UNBLOCK, &before))
		return SIG_ERR;
	return sigismember(&before, number) ? HOLD : was.sa_handler;
}

EXPORT int sighold(int number)
{
	int (*next)(int) = interposed_next("sighold", &interposed_libc.old_signals[1]);

	return number == SIGTRAP ? change_trap(SIG_BLOCK, NULL) : next(number);
}

EXPORT int sigrelse(int number)
{
	int (*next)(int) = interposed_next("sigrelse", &interposed_libc.old_signals[2]);

	return number == SIGTRAP ? change_trap(SIG_UNBLOCK, NULL) : next(number);
}

EXPORT int sigignore(int number)
{
	int (*next)(int) = interposed_next("sigignore", &interposed_libc.old_signals[3]);
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	return number == SIGTRAP ? sigaction(number, &ignore, NULL) : next(number);
}

EXPORT int siginterrupt(int number, int interrupt)
{
	int (*next)(int, int) = interposed_next("siginterrupt", &interposed_libc.old_signals[4]);
	struct sigaction action;

	if (number != SIGTRAP)
		return next(number, interrupt);
	if (sigaction(number, NULL, &action))
		return -1;
	if (interrupt)
		action.sa_flags &= ~SA_RESTART;
	else
		action.sa_flags |= SA_RESTART;
	return sigaction(number, &action, NULL);
}
