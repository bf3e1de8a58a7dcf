/* SPDX-License-Identifier: MIT */
/* The threads of a process, as the kernel lists them. No call of libc's. */
#ifndef COLLECTOR_INSIDE_THREADS_OF_H
#define COLLECTOR_INSIDE_THREADS_OF_H

#include <stdint.h>

#define THREADS_OF_PATH 80u /* bytes */

/* Of process @pid; 0: of this one. */
void threads_of_process(uint32_t pid, void (*each)(uint32_t tid, void *context), void *context);
/* The path of @name in the directory of thread @tid of process @pid, or that of all threads if
 * @tid is 0. @name is short. */
void threads_of_path(char path[THREADS_OF_PATH], uint32_t pid, uint32_t tid, const char *name);

#endif
