/* SPDX-License-Identifier: MIT */
/* The only clock that a program may read is too coarse to tell memory from caches: a tick takes 1
 * to 40 ns on today's machines (isa/aarch64/ticks.h). */
#ifndef ISA_AARCH64_LINE_H
#define ISA_AARCH64_LINE_H

#include <stdint.h>

#define ISA_LINES_ARE_TIMED false
#define ISA_LINE_BYTES	    64u

static inline uint64_t isa_line_begin_ticks(void)
{
	return 0;
}

static inline uint64_t isa_line_end_ticks(void)
{
	return 0;
}

static inline uint64_t isa_line_load_ticks(const void *byte)
{
	(void)byte;
	return 0;
}

static inline void isa_line_flush(const void *byte)
{
	(void)byte;
}

#endif
