/* SPDX-License-Identifier: MIT */
/* An environment for a program that is not entered: as it is, but for what record put into it. What
 * others preload stays. */
#ifndef COLLECTOR_INSIDE_EXEC_ENVIRONMENT_H
#define COLLECTOR_INSIDE_EXEC_ENVIRONMENT_H

#include <stddef.h>

/* What it needs; 0 if there is nothing to change. @library is as LD_PRELOAD names it. */
size_t exec_environment_bytes(char *const *from, const char *library);
/* Make it in so much @room; other strings are @from's. */
char **exec_environment_make(char *const *from, const char *library, void *room);

#endif
