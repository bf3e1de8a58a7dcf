/* SPDX-License-Identifier: MIT */
/* Calls in which libc starts a shell, by none of the calls that we stand before: the shell is to
 * find SIGTRAP as the program has it. */
#include <stdio.h>
#include <stdlib.h>

#include "collector/inside/handler/handler_state.h"
#include "collector/inside/interpose/interposed.h"
#include "collector/inside/life/trap_action.h"

EXPORT int system(const char *command)
{
	int (*next)(const char *) = interposed_next("system", &interposed_libc.system);
	struct trap_exec e;
	int rc;

	trap_exec_begin(&e);
	rc = next(command);
	trap_exec_failed(&e);
	return rc;
}

EXPORT FILE *popen(const char *command, const char *mode)
{
	FILE *(*next)(const char *, const char *) = interposed_next("popen",
								    &interposed_libc.popen);
	struct trap_exec e;
	FILE *f;

	trap_exec_begin(&e);
	f = next(command, mode);
	trap_exec_failed(&e);
	return f;
}
