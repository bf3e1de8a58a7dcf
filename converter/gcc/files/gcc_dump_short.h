/* SPDX-License-Identifier: MIT */
/*
 * gcc's dump without what its reader (converter/gcc/files/gcc_dump.h) passes over: predecessors,
 * declarations, values for debuggers, the call graph, and of the instrumented functions all but the
 * counters of values. It is a fifth of the size and less, and is read as the whole one is.
 */
#ifndef CONVERTER_GCC_FILES_GCC_DUMP_SHORT_H
#define CONVERTER_GCC_FILES_GCC_DUMP_SHORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Errors of the stream are the caller's to look for. */
void gcc_dump_short_write(const uint8_t *data, size_t size, FILE *out);

#endif
