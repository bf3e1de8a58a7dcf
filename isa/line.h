/* SPDX-License-Identifier: MIT */
/*
 * Cache lines of memory that can be loaded: isa_line_load_ticks() tells the ticks (isa/ticks.h)
 * that a load of the byte takes, the clock's own among them, and isa_line_flush() puts a line out
 * of all caches again. isa_line_begin_ticks() and isa_line_end_ticks() are the clock before and
 * behind other loads: neither begins before the other is over. ISA_LINES_ARE_TIMED: they do. Else a
 * load takes no ticks, and no line is put out.
 */
#ifndef ISA_LINE_H
#define ISA_LINE_H

#if defined(__x86_64__)
#include "isa/x86_64/line.h"
#elif defined(__aarch64__)
#include "isa/aarch64/line.h"
#else
#error "no cache lines for this CPU yet"
#endif

#endif
