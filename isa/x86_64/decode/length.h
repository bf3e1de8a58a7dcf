/* SPDX-License-Identifier: MIT */
/*
 * How long the commonest instructions are, without Capstone, which takes some thirty times as long
 * and is asked about all others. Only encodings that exist whatever their operands are count as
 * common, so the answer is Capstone's; tests/unit/isa-x86_64.c holds the two together.
 * Source: Intel SDM volume 2, chapter 2 and appendix A (opcode maps).
 */
#ifndef ISA_X86_64_DECODE_LENGTH_H
#define ISA_X86_64_DECODE_LENGTH_H

#include "isa/x86_64/decode/opcode.h"

/* The length in bytes; 0 if it is none of the common ones, or @size is too small. */
unsigned x86_length_common(const uint8_t *bytes, size_t size, const struct x86_opcode *o);

#endif
