/* SPDX-License-Identifier: MIT */
/* The CPU's own clock: isa_ticks(), the cheapest time there is, in ticks of a constant but unknown
 * length. */
#ifndef ISA_TICKS_H
#define ISA_TICKS_H

#if defined(__x86_64__)
#include "isa/x86_64/ticks.h"
#elif defined(__aarch64__)
#include "isa/aarch64/ticks.h"
#else
#error "no ticks for this CPU yet"
#endif

#endif
