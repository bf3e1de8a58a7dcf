/* SPDX-License-Identifier: MIT */
/*
 * Code between a load-exclusive and its store. Whatever enters the kernel there makes the store
 * fail (Arm ARM, B2.9; an exception return clears the monitor), and a program that was always
 * stopped there would try for ever.
 */
#ifndef ISA_AARCH64_DECODE_EXCLUSIVE_H
#define ISA_AARCH64_DECODE_EXCLUSIVE_H

#include <stdbool.h>
#include <stdint.h>

struct isa_memory;

/* Would a stop at @address, before the instruction there, come behind a load-exclusive whose store
 * is still to come? By the code before it, as far as it can be read: 16 instructions. */
bool isa_exclusive_contains(const struct isa_memory *m, uint64_t address);
/* Is the instruction at @address a load-exclusive? */
bool isa_exclusive_opens(const struct isa_memory *m, uint64_t address);

#endif
