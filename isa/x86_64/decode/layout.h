/* SPDX-License-Identifier: MIT */
/*
 * All fields of an x86-64 instruction: prefixes, opcode, ModRM, SIB, displacement, immediate.
 * Registers are numbered as in isa/x86_64/decode/record.h. Whether the instruction exists is not
 * checked beyond its opcode. Source: Intel SDM volume 2, chapter 2 and appendix A (opcode maps).
 */
#ifndef ISA_X86_64_DECODE_LAYOUT_H
#define ISA_X86_64_DECODE_LAYOUT_H

#include "isa/x86_64/decode/opcode.h"

struct x86_layout {
	struct x86_opcode opcode;
	uint8_t length; /* bytes */
	bool has_modrm;
	uint8_t modrm;
	uint8_t reg; /* extended: 0 to 31 */
	uint8_t rm;  /* extended, or X86_MEMORY; without ModRM the register in the opcode */
	uint8_t base, index, scale;
	bool displacement8;
	int32_t displacement; /* not yet scaled by EVEX's disp8*N */
	uint8_t immediate_bytes;
	int64_t immediate; /* sign-extended */
};

/* False if @bytes are cut short, or the opcode is none of 64-bit mode. */
bool x86_layout_decode(const uint8_t *bytes, size_t size, struct x86_layout *out);

/* The extension of the opcode in ModRM.reg: /0 to /7. */
static inline unsigned x86_layout_digit(const struct x86_layout *l)
{
	return l->modrm >> 3 & 7;
}

#endif
