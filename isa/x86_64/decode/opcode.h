/* SPDX-License-Identifier: MIT */
/*
 * Where an x86-64 instruction's opcode is, behind its prefixes. Enough to tell branches by their
 * opcode bytes, and to measure the encodings that Capstone 4.0.2 does not know.
 * Source: Intel SDM volume 2, chapter 2 (instruction format), 2.3 (VEX), 2.7 (EVEX), appendix A.
 */
#ifndef ISA_X86_64_DECODE_OPCODE_H
#define ISA_X86_64_DECODE_OPCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define X86_LENGTH_MAX 15

enum x86_map {
	X86_MAP_LEGACY, /* one byte */
	X86_MAP_0F,
	X86_MAP_0F38,
	X86_MAP_0F3A,
	X86_MAP_OTHER, /* EVEX maps 5 and 6 */
};

enum x86_encoding { X86_LEGACY, X86_VEX, X86_EVEX };

struct x86_opcode {
	uint8_t map;	  /* enum x86_map */
	uint8_t encoding; /* enum x86_encoding */
	uint8_t opcode;
	uint8_t at;	/* offset of the opcode byte */
	uint8_t rex;	/* 0 or 0x40..0x4f; of VEX and EVEX the same bits */
	bool operand16; /* prefix 66, also as VEX.pp and EVEX.pp */
	bool address32; /* prefix 67 */
	bool lock;
	uint8_t repeat;	 /* 0, 0xf2 or 0xf3: the last one given, or VEX.pp and EVEX.pp */
	uint8_t segment; /* 0, 0x64 (fs) or 0x65 (gs) */
	/* VEX and EVEX only */
	uint8_t register2;     /* vvvv: 0 to 31 */
	uint8_t vector_length; /* L: 0 to 3 */
	uint8_t opmask;	       /* EVEX.aaa */
	bool register_high;    /* EVEX.R': ModRM.reg + 16 */
	bool zeroing;	       /* EVEX.z */
	bool broadcast;	       /* EVEX.b: broadcast, rounding or exceptions */
};

/* Find the opcode; false if @size ends before it. */
bool x86_opcode_scan(const uint8_t *bytes, size_t size, struct x86_opcode *o);
/* The same for i386: 40 to 4f are inc and dec; les, lds and bound share bytes with VEX and EVEX. */
bool x86_opcode_scan_i386(const uint8_t *bytes, size_t size, struct x86_opcode *o);

/*
 * The length in bytes of an instruction with a ModRM byte behind its opcode and @immediate bytes of
 * immediate; 0 if @size is too small.
 */
unsigned x86_opcode_modrm_length(const uint8_t *bytes, size_t size, const struct x86_opcode *o,
				 unsigned immediate);

/*
 * The length of the encodings that Capstone 4.0.2 refuses or measures wrongly: EVEX, VEX (opmask,
 * GFNI, AMX ...), the newer two- and three-byte opcodes, ud0 and ud1, and near branches behind 66,
 * whose displacement stays 32 bits on Intel. 0 if it is none of these.
 */
unsigned x86_opcode_extra_length(const uint8_t *bytes, size_t size, const struct x86_opcode *o);

#endif
