/* SPDX-License-Identifier: MIT */
/* Where the preloaded collector wakes up: `softlbr record` names the session in the environment. */
#include <pthread.h>
#include <stdlib.h>

#include "collector/inside/handler_state.h"
#include "collector/inside/interposed.h"

__attribute__((constructor)) static void begin(void)
{
	const char *directory = getenv(SESSION_ENVIRONMENT);

	interposed_resolve(&handler_state.interposed);
	/* Failure is not the program's business: the recorder sees that nobody joined, and why. */
	if (directory && !process_join(directory))
		pthread_atfork(NULL, NULL, process_after_fork);
}

__attribute__((destructor)) static void end(void)
{
	process_end();
}
