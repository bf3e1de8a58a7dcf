/* SPDX-License-Identifier: MIT */
/* Programs that are run and waited for. */
#ifndef CONVERTER_GCC_KEYS_CHILD_PROCESS_H
#define CONVERTER_GCC_KEYS_CHILD_PROCESS_H

#include <stddef.h>

/* Run argv[0], which is looked up in PATH, with @out and @err as standard output and error (-1:
 * ours) and @in as standard input (-1: ours). What waitpid(2) says of it; a program that can't be
 * run exits with 127 or 126, as a shell has it. -1 without a process. */
int child_process_run(char *const argv[], int in, int out, int err);
/* What argv writes to standard error, to be freed with memory_free; NULL if it can't be run, or
 * without memory. Its standard output and input are empty. */
char *child_process_errors(char *const argv[], int *status);

#endif
