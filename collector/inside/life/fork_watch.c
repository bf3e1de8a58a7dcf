/* SPDX-License-Identifier: MIT */
#include "collector/inside/life/fork_watch.h"

#include <stddef.h>

/* What pthread_atfork is in glibc. Weak: another libc lacks it, and would not start the program. */
int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *) __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

int fork_watch_is_possible(void)
{
	return __register_atfork != NULL;
}

int fork_watch_begin(void (*after)(void))
{
	if (!fork_watch_is_possible())
		return -1;
	return __register_atfork(NULL, NULL, after, &__dso_handle);
}
