/* SPDX-License-Identifier: MIT */
/* Reading the profiled program's memory from a signal handler without ever faulting. */
#ifndef COLLECTOR_MEMORY_H
#define COLLECTOR_MEMORY_H

#include <stdbool.h>

#include "isa/evaluate.h"

/*
 * The reader of this process: by process_vm_readv, or, where that is refused (a seccomp filter), by
 * asking the kernel to read one word of each page before plain loads. False if neither works.
 */
bool memory_reader_init(struct isa_memory *m);

#endif
