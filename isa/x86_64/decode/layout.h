/* SPDX-License-Identifier: MIT */
/*
 * All fields of an x86 instruction: prefixes, opcode, ModRM, SIB, displacement, immediate. What
 * follows an opcode says its entry in the opcode table. Registers are numbered as in
 * isa/x86_64/decode/record.h. Sources: Intel SDM volume 2, chapter 2; Intel APX Architecture
 * Specification, 3.1 (REX2 and extended EVEX); AMD APM volume 3, 1.2.5 (XOP).
 */
#pragma once

#include <stddef.h>

#include "isa/x86_64/decode/opcode_table.h"

#define X86_LENGTH_MAX 15

struct x86_opcode {
	uint8_t map;	  /* enum x86_map */
	uint8_t encoding; /* enum x86_encoding */
	uint8_t opcode;
	uint8_t at;	/* offset of the opcode byte */
	uint8_t rex;	/* 0 or 0x40..0x4f; of the longer prefixes the same bits */
	bool i386;	/* code of 32-bit mode */
	bool prefixed;	/* by others than REX and 0f: what is below is not all 0 */
	bool operand16; /* prefix 66, also as the field pp of VEX and EVEX */
	bool address32; /* prefix 67; in 32-bit mode addresses are 16 bits then */
	bool lock;
	uint8_t repeat;	 /* 0, 0xf2 or 0xf3: the last one given, or the field pp */
	uint8_t segment; /* 0, 0x64 (fs) or 0x65 (gs) */
	bool apx;	 /* REX2, EVEX map 4, or a register that only APX has */
	/* VEX, EVEX and XOP only */
	uint8_t register2;     /* vvvv: 0 to 31 */
	uint8_t vector_length; /* L: 0 to 3 */
	uint8_t opmask;	       /* EVEX.aaa */
	bool register_high;    /* EVEX.R': ModRM.reg + 16 */
	bool zeroing;	       /* EVEX.z */
	bool broadcast;	       /* EVEX.b: broadcast, rounding or exceptions */
};

struct x86_layout {
	struct x86_opcode opcode;
	const struct x86_opcode_entry *entry;
	uint8_t length; /* bytes */
	bool has_modrm;
	uint8_t modrm;
	/* without ModRM both are the register in the opcode */
	uint8_t reg; /* extended: 0 to 31 */
	uint8_t rm;  /* extended, or X86_MEMORY */
	uint8_t base, index, scale;
	bool displacement8;
	int32_t displacement; /* not yet scaled by EVEX's disp8*N */
	uint8_t immediate_bytes;
	int64_t immediate; /* sign-extended */
};

/* False if @bytes are cut short, or the opcode is none of that mode. */
bool x86_layout_decode(const uint8_t *bytes, size_t size, bool i386, struct x86_layout *out);

/* The extension of the opcode in ModRM.reg: /0 to /7. */
static inline unsigned x86_layout_digit(const struct x86_layout *l)
{
	return l->modrm >> 3 & 7;
}
