/* SPDX-License-Identifier: MIT */
/* The threads of this process, as the kernel lists them. */
#ifndef COLLECTOR_INSIDE_THREADS_OF_H
#define COLLECTOR_INSIDE_THREADS_OF_H

#include <stdint.h>

void threads_of_self(void (*each)(uint32_t tid, void *context), void *context);

#endif
