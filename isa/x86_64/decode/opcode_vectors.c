/* SPDX-License-Identifier: MIT */
/*
 * Long because it is a table. Sources: Intel SDM volume 2; AMD APM volume 4 (SSE4a).
 */
#include "isa/x86_64/decode/opcode_table.h"
#include "isa/x86_64/op.h"
#include "isa/x86_64/vector/kernel.h"

#define L   X86_ROW_LEGACY
#define V   X86_ROW_VEX
#define E   X86_ROW_EVEX
#define LV  (L | V)
#define VE  (V | E)
#define LVE (L | V | E)

#define NONE X86_ROW_NONE
#define P66  X86_ROW_66
#define PF3  X86_ROW_F3
#define PF2  X86_ROW_F2
#define ALL  (NONE | P66 | PF3 | PF2)
#define W0   X86_ROW_W0
#define W1   X86_ROW_W1
#define ANY  X86_ROW_W_ANY

#define FULL	    X86_ROW_FULL
#define BY_TYPE	    X86_ROW_BY_TYPE
#define BY_W	    X86_ROW_BY_W
#define NARROW_BY_W X86_ROW_NARROW_BY_W
#define HALF	    X86_ROW_HALF
#define QUARTER	    X86_ROW_QUARTER
#define EIGHTH	    X86_ROW_EIGHTH
#define NO_DIGIT    X86_ROW_NO_DIGIT

#define SCALAR	     X86_ROW_SCALAR
#define MEMORY	     X86_ROW_MEMORY
#define REVERSED     X86_ROW_REVERSED
#define STORE	     X86_ROW_STORE
#define GENERAL	     X86_ROW_GENERAL
#define TO_REG	     X86_ROW_TO_REG
#define NO_IMMEDIATE X86_ROW_NO_IMMEDIATE
#define XMM	     X86_ROW_XMM
#define DOUBLES	     X86_ROW_DOUBLES
#define SPREAD2	     X86_ROW_SPREAD2
#define SPREAD4	     X86_ROW_SPREAD4
#define ONE_BIT	     X86_ROW_ONE_BIT
#define OPMASKS	     X86_ROW_OPMASK
#define BY_ELEMENT   X86_ROW_BY_ELEMENT
#define SPECIAL	     X86_ROW_FLAG_SPECIAL

#define ROW(opcode, prefixes, encodings, w, op, variant, element, bytes, flags)                 \
	{                                                                                       \
		opcode, prefixes, encodings, w, X86_OP_##op, NO_DIGIT, variant, element, bytes, \
			flags                                                                   \
	}
/* One kernel computes all elements (isa/x86_64/vector/kernel.h). */
#define PACKED(opcode, prefixes, encodings, w, kernel, element, bytes, flags) \
	ROW(opcode, prefixes, encodings, w, PACKED, X86_KERNEL_##kernel, element, bytes, flags)
/* ... and a bit of each goes to an opmask. */
#define COMPARE(opcode, prefixes, w, kernel, element) \
	ROW(opcode, prefixes, E, w, PACKED_TO_OPMASK, X86_KERNEL_##kernel, element, FULL, 0)
/* ... of elements of @element bytes, or with W of twice as many. */
#define COMPARE_BY_W(opcode, prefixes, without, with, element) \
	COMPARE(opcode, prefixes, W0, without, element),       \
		COMPARE(opcode, prefixes, W1, with, 2 * (element))
/* ... or, but for EVEX, each to its element. */
#define COMPARES(opcode, kernel, element)                       \
	PACKED(opcode, P66, LV, ANY, kernel, element, FULL, 0), \
		COMPARE(opcode, P66, ANY, kernel, element)
/* Four kernels by the prefix: of singles and of doubles, all of them and the lowest. */
#define FLOATS(opcode, name)                                           \
	PACKED(opcode, NONE, LVE, ANY, name##ps, 4, FULL, 0),          \
		PACKED(opcode, P66, LVE, ANY, name##pd, 8, FULL, 0),   \
		PACKED(opcode, PF3, LVE, ANY, name##ss, 4, 4, SCALAR), \
		PACKED(opcode, PF2, LVE, ANY, name##sd, 8, 8, SCALAR)
/* By a constant. */
#define SHIFT(opcode, encodings, w, kernel, element, digit)                                 \
	{                                                                                   \
		opcode, P66, encodings, w, X86_OP_PACKED_SHIFT, digit, X86_KERNEL_##kernel, \
			element, FULL, X86_ROW_SHIFT                                        \
	}
/* Fused multiplications and additions: ten opcodes from @first on. */
#define FUSED_ROW(opcode) ROW(opcode, P66, VE, ANY, FUSED, opcode, BY_W, FULL, 0)
#define FUSED_ONE(opcode) ROW(opcode, P66, VE, ANY, FUSED, opcode, BY_W, BY_W, SCALAR)
#define FUSED(first)                                                                    \
	FUSED_ROW((first)), FUSED_ROW((first) + 1), FUSED_ROW((first) + 2),             \
		FUSED_ONE((first) + 3), FUSED_ROW((first) + 4), FUSED_ONE((first) + 5), \
		FUSED_ROW((first) + 6), FUSED_ONE((first) + 7), FUSED_ROW((first) + 8), \
		FUSED_ONE((first) + 9)
/* On general registers, of W's size. */
#define INTEGER(opcode, prefixes, op, variant, digit, flags)                    \
	{                                                                       \
		opcode, prefixes, V, ANY, X86_OP_##op, digit, variant, 0, FULL, \
			X86_ROW_INTEGER | (flags)                               \
	}
static const struct x86_row map_0f[] = {
	ROW(0x10, NONE | P66, LVE, ANY, VECTOR_MOVE, 0, BY_TYPE, FULL, 0),
	ROW(0x10, PF3 | PF2, LVE, ANY, VECTOR_MOVE, 0, BY_TYPE, BY_TYPE, SCALAR | MEMORY),
	ROW(0x10, PF3 | PF2, LVE, ANY, VECTOR_MERGE, 0, BY_TYPE, BY_TYPE, SCALAR),
	ROW(0x11, NONE | P66, LVE, ANY, VECTOR_STORE, 0, BY_TYPE, FULL, STORE),
	ROW(0x11, PF3 | PF2, LVE, ANY, VECTOR_STORE, 0, BY_TYPE, BY_TYPE, SCALAR | MEMORY),
	ROW(0x11, PF3 | PF2, LVE, ANY, VECTOR_MERGE, 0, BY_TYPE, BY_TYPE, SCALAR | REVERSED),
	ROW(0x12, NONE | P66, LVE, ANY, VECTOR_MERGE, 0, 8, 8, SCALAR | MEMORY),
	ROW(0x12, NONE, LVE, ANY, VECTOR_MERGE, 8 << 8, 8, 8, SCALAR),
	PACKED(0x12, PF2, LVE, ANY, movddup, 8, 8, XMM | MEMORY),
	PACKED(0x12, PF2, LVE, ANY, movddup, 8, FULL, 0),
	PACKED(0x12, PF3, LVE, ANY, movsldup, 4, FULL, 0),
	ROW(0x13, NONE | P66, LVE, ANY, VECTOR_STORE, 0, 8, 8, SCALAR | MEMORY),
	PACKED(0x14, NONE, LVE, ANY, punpckldq, 4, FULL, 0),
	PACKED(0x14, P66, LVE, ANY, punpcklqdq, 8, FULL, 0),
	PACKED(0x15, NONE, LVE, ANY, punpckhdq, 4, FULL, 0),
	PACKED(0x15, P66, LVE, ANY, punpckhqdq, 8, FULL, 0),
	ROW(0x16, NONE | P66, LVE, ANY, VECTOR_MERGE, 8, 8, 8, SCALAR | MEMORY),
	ROW(0x16, NONE, LVE, ANY, VECTOR_MERGE, 8, 8, 8, SCALAR),
	PACKED(0x16, PF3, LVE, ANY, movshdup, 4, FULL, 0),
	ROW(0x17, NONE | P66, LVE, ANY, VECTOR_STORE, 1, 8, 8, SCALAR | MEMORY),
	ROW(0x28, NONE | P66, LVE, ANY, VECTOR_MOVE, 0, BY_TYPE, FULL, 0),
	ROW(0x29, NONE | P66, LVE, ANY, VECTOR_STORE, 0, BY_TYPE, FULL, STORE),
	ROW(0x2a, PF3 | PF2, LVE, ANY, FLOAT_FROM_INTEGER, 0, BY_TYPE, BY_W, SCALAR | GENERAL),
	ROW(0x2b, NONE | P66, LVE, ANY, VECTOR_STORE, 0, BY_TYPE, FULL, STORE),
	ROW(0x2c, PF3 | PF2, LVE, ANY, FLOAT_TO_INTEGER, 1, BY_TYPE, BY_W, SCALAR | BY_ELEMENT),
	ROW(0x2d, PF3 | PF2, LVE, ANY, FLOAT_TO_INTEGER, 0, BY_TYPE, BY_W, SCALAR | BY_ELEMENT),
	ROW(0x2e, NONE | P66, LVE, ANY, FLOAT_COMPARE, 0, BY_TYPE, BY_TYPE, SCALAR),
	ROW(0x2f, NONE | P66, LVE, ANY, FLOAT_COMPARE, 0, BY_TYPE, BY_TYPE, SCALAR),
	ROW(0x41, NONE | P66, V, ANY, OPMASK_LOGIC, 0x41, 0, FULL, OPMASKS),
	ROW(0x42, NONE | P66, V, ANY, OPMASK_LOGIC, 0x42, 0, FULL, OPMASKS),
	ROW(0x44, NONE | P66, V, ANY, OPMASK_LOGIC, 0x44, 0, FULL, OPMASKS),
	ROW(0x45, NONE | P66, V, ANY, OPMASK_LOGIC, 0x45, 0, FULL, OPMASKS),
	ROW(0x46, NONE | P66, V, ANY, OPMASK_LOGIC, 0x46, 0, FULL, OPMASKS),
	ROW(0x47, NONE | P66, V, ANY, OPMASK_LOGIC, 0x47, 0, FULL, OPMASKS),
	ROW(0x4a, NONE | P66, V, ANY, OPMASK_LOGIC, 0x4a, 0, FULL, OPMASKS),
	ROW(0x4b, NONE | P66, V, ANY, OPMASK_LOGIC, 0x4b, 0, FULL, OPMASKS),
	ROW(0x50, NONE | P66, LV, ANY, MOVE_MASK, 0, BY_TYPE, FULL, 0),
	FLOATS(0x51, sqrt),
	PACKED(0x54, NONE | P66, LVE, ANY, pand, BY_TYPE, FULL, 0),
	PACKED(0x55, NONE | P66, LVE, ANY, pandn, BY_TYPE, FULL, 0),
	PACKED(0x56, NONE | P66, LVE, ANY, por, BY_TYPE, FULL, 0),
	PACKED(0x57, NONE | P66, LVE, ANY, pxor, BY_TYPE, FULL, 0),
	FLOATS(0x58, add),
	FLOATS(0x59, mul),
	PACKED(0x5a, PF3, LVE, ANY, cvtss2sd, 8, 4, SCALAR),
	PACKED(0x5a, PF2, LVE, ANY, cvtsd2ss, 4, 8, SCALAR),
	ROW(0x5a, NONE, LVE, ANY, FLOAT_WIDEN, X86_KERNEL_cvtps2pd, 8, HALF, 0),
	ROW(0x5a, P66, LV, ANY, FLOAT_NARROW, X86_KERNEL_cvtpd2ps, 4, FULL, 0),
	PACKED(0x5b, NONE, LVE, W0, cvtdq2ps, 4, FULL, 0),
	PACKED(0x5b, P66, LVE, ANY, cvtps2dq, 4, FULL, 0),
	PACKED(0x5b, PF3, LVE, ANY, cvttps2dq, 4, FULL, 0),
	FLOATS(0x5c, sub),
	FLOATS(0x5d, min),
	FLOATS(0x5e, div),
	FLOATS(0x5f, max),
	PACKED(0x60, P66, LVE, ANY, punpcklbw, 1, FULL, 0),
	PACKED(0x61, P66, LVE, ANY, punpcklwd, 2, FULL, 0),
	PACKED(0x62, P66, LVE, ANY, punpckldq, 4, FULL, 0),
	PACKED(0x63, P66, LVE, ANY, packsswb, 1, FULL, 0),
	COMPARES(0x64, pcmpgtb, 1),
	COMPARES(0x65, pcmpgtw, 2),
	COMPARES(0x66, pcmpgtd, 4),
	PACKED(0x67, P66, LVE, ANY, packuswb, 1, FULL, 0),
	PACKED(0x68, P66, LVE, ANY, punpckhbw, 1, FULL, 0),
	PACKED(0x69, P66, LVE, ANY, punpckhwd, 2, FULL, 0),
	PACKED(0x6a, P66, LVE, ANY, punpckhdq, 4, FULL, 0),
	PACKED(0x6b, P66, LVE, ANY, packssdw, 2, FULL, 0),
	PACKED(0x6c, P66, LVE, ANY, punpcklqdq, 8, FULL, 0),
	PACKED(0x6d, P66, LVE, ANY, punpckhqdq, 8, FULL, 0),
	ROW(0x6e, P66, LVE, ANY, VECTOR_FROM_GENERAL, 0, BY_W, BY_W, SCALAR | GENERAL),
	ROW(0x6f, P66 | PF3, LV, ANY, VECTOR_MOVE, 0, 1, FULL, 0),
	ROW(0x6f, P66 | PF3, E, ANY, VECTOR_MOVE, 0, BY_W, FULL, 0),
	ROW(0x6f, PF2, E, ANY, VECTOR_MOVE, 0, NARROW_BY_W, FULL, 0),
	PACKED(0x70, P66, LVE, ANY, pshufd, 4, FULL, 0),
	PACKED(0x70, PF2, LVE, ANY, pshuflw, 2, FULL, 0),
	PACKED(0x70, PF3, LVE, ANY, pshufhw, 2, FULL, 0),
	SHIFT(0x71, LVE, ANY, shift_words, 2, 2),
	SHIFT(0x71, LVE, ANY, shift_words, 2, 4),
	SHIFT(0x71, LVE, ANY, shift_words, 2, 6),
	SHIFT(0x72, LVE, ANY, shift_dwords, 4, 2),
	SHIFT(0x72, E, W1, shift_qwords, 8, 4),
	SHIFT(0x72, LVE, ANY, shift_dwords, 4, 4),
	SHIFT(0x72, LVE, ANY, shift_dwords, 4, 6),
	SHIFT(0x72, E, W0, rotate_dwords, 4, 0),
	SHIFT(0x72, E, W1, rotate_qwords, 8, 0),
	SHIFT(0x72, E, W0, rotate_dwords, 4, 1),
	SHIFT(0x72, E, W1, rotate_qwords, 8, 1),
	SHIFT(0x73, LVE, ANY, shift_qwords, 8, 2),
	SHIFT(0x73, LVE, ANY, shift_qwords, 8, 6),
	SHIFT(0x73, LVE, ANY, shift_bytes, 1, 3),
	SHIFT(0x73, LVE, ANY, shift_bytes, 1, 7),
	COMPARES(0x74, pcmpeqb, 1),
	COMPARES(0x75, pcmpeqw, 2),
	COMPARES(0x76, pcmpeqd, 4),
	ROW(0x77, NONE, V, ANY, ZERO_UPPER, 0, 0, FULL, 0),
	PACKED(0x7c, P66, LV, ANY, haddpd, 8, FULL, 0),
	PACKED(0x7c, PF2, LV, ANY, haddps, 4, FULL, 0),
	PACKED(0x7d, P66, LV, ANY, hsubpd, 8, FULL, 0),
	PACKED(0x7d, PF2, LV, ANY, hsubps, 4, FULL, 0),
	ROW(0x7e, P66, LVE, ANY, VECTOR_EXTRACT, 0, BY_W, BY_W, SCALAR | GENERAL | NO_IMMEDIATE),
	ROW(0x7e, PF3, LVE, ANY, VECTOR_MOVE, 0, 8, 8, SCALAR),
	ROW(0x7f, P66 | PF3, LV, ANY, VECTOR_STORE, 0, 1, FULL, STORE),
	ROW(0x7f, P66 | PF3, E, ANY, VECTOR_STORE, 0, BY_W, FULL, STORE),
	ROW(0x7f, PF2, E, ANY, VECTOR_STORE, 0, NARROW_BY_W, FULL, STORE),
	ROW(0x90, NONE | P66, V, ANY, OPMASK_LOAD, 0, 0, FULL, OPMASKS),
	ROW(0x91, NONE | P66, V, ANY, OPMASK_STORE, 0, 0, FULL, OPMASKS),
	ROW(0x92, NONE | P66 | PF2, V, ANY, OPMASK_LOAD, 1, 0, FULL, OPMASKS | GENERAL),
	ROW(0x93, NONE | P66 | PF2, V, ANY, OPMASK_STORE, 1, 0, FULL, OPMASKS | GENERAL),
	ROW(0x98, NONE | P66, V, ANY, OPMASK_TEST, 0, 0, FULL, OPMASKS),
	ROW(0x99, NONE | P66, V, ANY, OPMASK_TEST, 1, 0, FULL, OPMASKS),
	INTEGER(0xae, NONE, LOAD_MXCSR, 0, 2, MEMORY),	/* vldmxcsr */
	INTEGER(0xae, NONE, STORE_MXCSR, 0, 3, MEMORY), /* vstmxcsr */
	PACKED(0xc2, NONE, LV, ANY, compare_float, 4, FULL, 0),
	PACKED(0xc2, P66, LV, ANY, compare_double, 8, FULL, 0),
	PACKED(0xc2, PF3, LV, ANY, compare_float_low, 4, 4, SCALAR),
	PACKED(0xc2, PF2, LV, ANY, compare_double_low, 8, 8, SCALAR),
	COMPARE(0xc2, NONE, ANY, compare_float, 4),
	COMPARE(0xc2, P66, ANY, compare_double, 8),
	ROW(0xc2, PF3, E, ANY, PACKED_TO_OPMASK, X86_KERNEL_compare_float, 4, 4, SCALAR | ONE_BIT),
	ROW(0xc2, PF2, E, ANY, PACKED_TO_OPMASK, X86_KERNEL_compare_double, 8, 8, SCALAR | ONE_BIT),
	ROW(0xc4, P66, LVE, ANY, VECTOR_INSERT, 0, 2, 2, SCALAR | GENERAL),
	ROW(0xc5, P66, LVE, ANY, VECTOR_EXTRACT, 0, 2, 2, SCALAR | TO_REG),
	PACKED(0xc6, NONE, LVE, ANY, shufps, 4, FULL, 0),
	PACKED(0xc6, P66, LVE, ANY, shufps, 8, FULL, DOUBLES),
	PACKED(0xd0, P66, LV, ANY, addsubpd, 8, FULL, 0),
	PACKED(0xd0, PF2, LV, ANY, addsubps, 4, FULL, 0),
	PACKED(0xd1, P66, LVE, ANY, psrlw, 2, 16, 0),
	PACKED(0xd2, P66, LVE, ANY, psrld, 4, 16, 0),
	PACKED(0xd3, P66, LVE, ANY, psrlq, 8, 16, 0),
	PACKED(0xd4, P66, LVE, ANY, paddq, 8, FULL, 0),
	PACKED(0xd5, P66, LVE, ANY, pmullw, 2, FULL, 0),
	ROW(0xd6, P66, LVE, ANY, VECTOR_STORE, 0, 8, 8, SCALAR | MEMORY),
	ROW(0xd6, P66, LVE, ANY, VECTOR_MOVE, 0, 8, 8, SCALAR | REVERSED),
	ROW(0xd7, P66, LV, ANY, MOVE_MASK, 0, 1, FULL, 0),
	PACKED(0xd8, P66, LVE, ANY, psubusb, 1, FULL, 0),
	PACKED(0xd9, P66, LVE, ANY, psubusw, 2, FULL, 0),
	PACKED(0xda, P66, LVE, ANY, pminub, 1, FULL, 0),
	PACKED(0xdb, P66, LVE, ANY, pand, BY_W, FULL, 0),
	PACKED(0xdc, P66, LVE, ANY, paddusb, 1, FULL, 0),
	PACKED(0xdd, P66, LVE, ANY, paddusw, 2, FULL, 0),
	PACKED(0xde, P66, LVE, ANY, pmaxub, 1, FULL, 0),
	PACKED(0xdf, P66, LVE, ANY, pandn, BY_W, FULL, 0),
	PACKED(0xe0, P66, LVE, ANY, pavgb, 1, FULL, 0),
	PACKED(0xe1, P66, LVE, ANY, psraw, 2, 16, 0),
	PACKED(0xe2, P66, E, W1, psraq, 8, 16, 0),
	PACKED(0xe2, P66, LVE, ANY, psrad, 4, 16, 0),
	PACKED(0xe3, P66, LVE, ANY, pavgw, 2, FULL, 0),
	PACKED(0xe4, P66, LVE, ANY, pmulhuw, 2, FULL, 0),
	PACKED(0xe5, P66, LVE, ANY, pmulhw, 2, FULL, 0),
	ROW(0xe6, PF3, LVE, W0, FLOAT_WIDEN, X86_KERNEL_cvtdq2pd, 8, HALF, 0),
	ROW(0xe6, PF2, LV, ANY, FLOAT_NARROW, X86_KERNEL_cvtpd2dq, 4, FULL, 0),
	ROW(0xe6, P66, LV, ANY, FLOAT_NARROW, X86_KERNEL_cvttpd2dq, 4, FULL, 0),
	ROW(0xe7, P66, LVE, ANY, VECTOR_STORE, 0, BY_W, FULL, STORE),
	PACKED(0xe8, P66, LVE, ANY, psubsb, 1, FULL, 0),
	PACKED(0xe9, P66, LVE, ANY, psubsw, 2, FULL, 0),
	PACKED(0xea, P66, LVE, ANY, pminsw, 2, FULL, 0),
	PACKED(0xeb, P66, LVE, ANY, por, BY_W, FULL, 0),
	PACKED(0xec, P66, LVE, ANY, paddsb, 1, FULL, 0),
	PACKED(0xed, P66, LVE, ANY, paddsw, 2, FULL, 0),
	PACKED(0xee, P66, LVE, ANY, pmaxsw, 2, FULL, 0),
	PACKED(0xef, P66, LVE, ANY, pxor, BY_W, FULL, 0),
	ROW(0xf0, PF2, LV, ANY, VECTOR_MOVE, 0, 1, FULL, 0),
	PACKED(0xf1, P66, LVE, ANY, psllw, 2, 16, 0),
	PACKED(0xf2, P66, LVE, ANY, pslld, 4, 16, 0),
	PACKED(0xf3, P66, LVE, ANY, psllq, 8, 16, 0),
	PACKED(0xf4, P66, LVE, ANY, pmuludq, 8, FULL, 0),
	PACKED(0xf5, P66, LVE, ANY, pmaddwd, 4, FULL, 0),
	PACKED(0xf6, P66, LVE, ANY, psadbw, 8, FULL, 0),
	PACKED(0xf8, P66, LVE, ANY, psubb, 1, FULL, 0),
	PACKED(0xf9, P66, LVE, ANY, psubw, 2, FULL, 0),
	PACKED(0xfa, P66, LVE, ANY, psubd, 4, FULL, 0),
	PACKED(0xfb, P66, LVE, ANY, psubq, 8, FULL, 0),
	PACKED(0xfc, P66, LVE, ANY, paddb, 1, FULL, 0),
	PACKED(0xfd, P66, LVE, ANY, paddw, 2, FULL, 0),
	PACKED(0xfe, P66, LVE, ANY, paddd, 4, FULL, 0),
};

static const struct x86_row map_0f38[] = {
	PACKED(0x00, P66, LVE, ANY, pshufb, 1, FULL, 0),
	PACKED(0x01, P66, LV, ANY, phaddw, 2, FULL, 0),
	PACKED(0x02, P66, LV, ANY, phaddd, 2, FULL, 0),
	PACKED(0x03, P66, LV, ANY, phaddsw, 2, FULL, 0),
	PACKED(0x04, P66, LVE, ANY, pmaddubsw, 2, FULL, 0),
	PACKED(0x05, P66, LV, ANY, phsubw, 2, FULL, 0),
	PACKED(0x06, P66, LV, ANY, phsubd, 2, FULL, 0),
	PACKED(0x07, P66, LV, ANY, phsubsw, 2, FULL, 0),
	PACKED(0x08, P66, LV, ANY, psignb, 2, FULL, 0),
	PACKED(0x09, P66, LV, ANY, psignw, 2, FULL, 0),
	PACKED(0x0a, P66, LV, ANY, psignd, 2, FULL, 0),
	PACKED(0x0b, P66, LVE, ANY, pmulhrsw, 2, FULL, 0),
	PACKED(0x0c, P66, VE, ANY, permute_dwords, 4, FULL, 0),
	ROW(0x10, P66, L, ANY, BLEND, 0, 1, FULL, 0),
	PACKED(0x10, P66, E, W1, psrlvw, 2, FULL, 0),
	PACKED(0x11, P66, E, W1, psravw, 2, FULL, 0),
	PACKED(0x12, P66, E, W1, psllvw, 2, FULL, 0),
	ROW(0x14, P66, L, ANY, BLEND, 0, 4, FULL, 0),
	ROW(0x15, P66, L, ANY, BLEND, 0, 8, FULL, 0),
	ROW(0x16, P66, VE, ANY, PERMUTE, X86_PERMUTE_INDEX, BY_W, FULL, 0),
	ROW(0x17, P66, LV, ANY, VECTOR_TEST, 0, 0, FULL, 0),
	ROW(0x18, P66, VE, ANY, BROADCAST, 0, 4, 4, 0),
	ROW(0x19, P66, VE, ANY, BROADCAST, 0, BY_W, 8, 0),
	ROW(0x1a, P66, VE, ANY, BROADCAST, 0, BY_W, 16, 0),
	ROW(0x1b, P66, E, ANY, BROADCAST, 0, BY_W, 32, 0),
	PACKED(0x1c, P66, LVE, ANY, pabsb, 1, FULL, 0),
	PACKED(0x1d, P66, LVE, ANY, pabsw, 2, FULL, 0),
	PACKED(0x1e, P66, LVE, ANY, pabsd, 4, FULL, 0),
	PACKED(0x1f, P66, E, ANY, pabsq, 8, FULL, 0),
	ROW(0x20, P66, LVE, ANY, WIDEN, 1, 2, HALF, 0),
	ROW(0x21, P66, LVE, ANY, WIDEN, 1, 4, QUARTER, 0),
	ROW(0x22, P66, LVE, ANY, WIDEN, 1, 8, EIGHTH, 0),
	ROW(0x23, P66, LVE, ANY, WIDEN, 1, 4, HALF, 0),
	ROW(0x24, P66, LVE, ANY, WIDEN, 1, 8, QUARTER, 0),
	ROW(0x25, P66, LVE, ANY, WIDEN, 1, 8, HALF, 0),
	COMPARE_BY_W(0x26, P66, test_8, test_16, 1),
	COMPARE_BY_W(0x26, PF3, testn_8, testn_16, 1),
	COMPARE_BY_W(0x27, P66, test_32, test_64, 4),
	COMPARE_BY_W(0x27, PF3, testn_32, testn_64, 4),
	PACKED(0x28, P66, LVE, ANY, pmuldq, 8, FULL, 0),
	ROW(0x28, PF3, E, ANY, OPMASK_EXPAND, 0, NARROW_BY_W, FULL, 0),
	COMPARE_BY_W(0x29, PF3, sign, sign, 1),
	COMPARES(0x29, pcmpeqq, 8),
	ROW(0x2a, P66, LVE, ANY, VECTOR_MOVE, 0, 8, FULL, 0),
	PACKED(0x2b, P66, LVE, ANY, packusdw, 2, FULL, 0),
	ROW(0x30, P66, LVE, ANY, WIDEN, 0, 2, HALF, 0),
	ROW(0x30, PF3, E, ANY, NARROW, 0, 2, HALF, 0),
	ROW(0x31, P66, LVE, ANY, WIDEN, 0, 4, QUARTER, 0),
	ROW(0x31, PF3, E, ANY, NARROW, 0, 4, QUARTER, 0),
	ROW(0x32, P66, LVE, ANY, WIDEN, 0, 8, EIGHTH, 0),
	ROW(0x32, PF3, E, ANY, NARROW, 0, 8, EIGHTH, 0),
	ROW(0x33, P66, LVE, ANY, WIDEN, 0, 4, HALF, 0),
	ROW(0x33, PF3, E, ANY, NARROW, 0, 4, HALF, 0),
	ROW(0x34, P66, LVE, ANY, WIDEN, 0, 8, QUARTER, 0),
	ROW(0x34, PF3, E, ANY, NARROW, 0, 8, QUARTER, 0),
	ROW(0x35, P66, LVE, ANY, WIDEN, 0, 8, HALF, 0),
	ROW(0x35, PF3, E, ANY, NARROW, 0, 8, HALF, 0),
	ROW(0x36, P66, VE, ANY, PERMUTE, X86_PERMUTE_INDEX, BY_W, FULL, 0),
	COMPARES(0x37, pcmpgtq, 8),
	ROW(0x38, PF3, E, ANY, OPMASK_EXPAND, 0, BY_W, FULL, 0),
	PACKED(0x38, P66, LVE, ANY, pminsb, 1, FULL, 0),
	COMPARE_BY_W(0x39, PF3, sign, sign, 4),
	PACKED(0x39, P66, E, W1, pminsq, 8, FULL, 0),
	PACKED(0x39, P66, LVE, ANY, pminsd, 4, FULL, 0),
	PACKED(0x3a, P66, LVE, ANY, pminuw, 2, FULL, 0),
	PACKED(0x3b, P66, E, W1, pminuq, 8, FULL, 0),
	PACKED(0x3b, P66, LVE, ANY, pminud, 4, FULL, 0),
	PACKED(0x3c, P66, LVE, ANY, pmaxsb, 1, FULL, 0),
	PACKED(0x3d, P66, E, W1, pmaxsq, 8, FULL, 0),
	PACKED(0x3d, P66, LVE, ANY, pmaxsd, 4, FULL, 0),
	PACKED(0x3e, P66, LVE, ANY, pmaxuw, 2, FULL, 0),
	PACKED(0x3f, P66, E, W1, pmaxuq, 8, FULL, 0),
	PACKED(0x3f, P66, LVE, ANY, pmaxud, 4, FULL, 0),
	PACKED(0x40, P66, E, W1, pmullq, 8, FULL, 0),
	PACKED(0x40, P66, LVE, ANY, pmulld, 4, FULL, 0),
	PACKED(0x41, P66, LV, ANY, phminposuw, 2, FULL, 0),
	PACKED(0x44, P66, E, W0, lzcntd, 4, FULL, 0),
	PACKED(0x44, P66, E, W1, lzcntq, 8, FULL, 0),
	PACKED(0x45, P66, VE, W0, psrlvd, 4, FULL, 0),
	PACKED(0x45, P66, VE, W1, psrlvq, 8, FULL, 0),
	PACKED(0x46, P66, VE, W0, psravd, 4, FULL, 0),
	PACKED(0x46, P66, E, W1, psravq, 8, FULL, 0),
	PACKED(0x47, P66, VE, W0, psllvd, 4, FULL, 0),
	PACKED(0x47, P66, VE, W1, psllvq, 8, FULL, 0),
	PACKED(0x54, P66, E, W0, popcntb, 1, FULL, 0),
	PACKED(0x54, P66, E, W1, popcntw, 2, FULL, 0),
	PACKED(0x55, P66, E, W0, popcntd, 4, FULL, 0),
	PACKED(0x55, P66, E, W1, popcntq, 8, FULL, 0),
	ROW(0x58, P66, VE, ANY, BROADCAST, 0, 4, 4, 0),
	ROW(0x59, P66, VE, ANY, BROADCAST, 0, BY_W, 8, 0),
	ROW(0x5a, P66, VE, ANY, BROADCAST, 0, BY_W, 16, 0),
	ROW(0x5b, P66, E, ANY, BROADCAST, 0, BY_W, 32, 0),
	ROW(0x64, P66, E, ANY, BLEND_OPMASK, 0, BY_W, FULL, 0),
	ROW(0x65, P66, E, ANY, BLEND_OPMASK, 0, BY_W, FULL, 0),
	ROW(0x66, P66, E, ANY, BLEND_OPMASK, 0, NARROW_BY_W, FULL, 0),
	ROW(0x75, P66, E, ANY, PERMUTE, X86_PERMUTE_TWO, NARROW_BY_W, FULL, 0),
	ROW(0x76, P66, E, ANY, PERMUTE, X86_PERMUTE_TWO, BY_W, FULL, 0),
	ROW(0x77, P66, E, ANY, PERMUTE, X86_PERMUTE_TWO, BY_W, FULL, 0),
	ROW(0x78, P66, VE, ANY, BROADCAST, 0, 1, 1, 0),
	ROW(0x79, P66, VE, ANY, BROADCAST, 0, 2, 2, 0),
	ROW(0x7a, P66, E, ANY, BROADCAST, 1, 1, 1, GENERAL),
	ROW(0x7b, P66, E, ANY, BROADCAST, 1, 2, 2, GENERAL),
	ROW(0x7c, P66, E, ANY, BROADCAST, 1, BY_W, BY_W, GENERAL),
	ROW(0x7d, P66, E, ANY, PERMUTE, X86_PERMUTE_TWO_OVER, NARROW_BY_W, FULL, 0),
	ROW(0x7e, P66, E, ANY, PERMUTE, X86_PERMUTE_TWO_OVER, BY_W, FULL, 0),
	ROW(0x7f, P66, E, ANY, PERMUTE, X86_PERMUTE_TWO_OVER, BY_W, FULL, 0),
	ROW(0x8d, P66, E, ANY, PERMUTE, X86_PERMUTE_INDEX, NARROW_BY_W, FULL, 0),
	FUSED(0x96),
	FUSED(0xa6),
	FUSED(0xb6),
	PACKED(0xdb, P66, LV, ANY, aesimc, 1, FULL, 0),
	PACKED(0xdc, P66, LVE, ANY, aesenc, 1, FULL, 0),
	PACKED(0xdd, P66, LVE, ANY, aesenclast, 1, FULL, 0),
	PACKED(0xde, P66, LVE, ANY, aesdec, 1, FULL, 0),
	PACKED(0xdf, P66, LVE, ANY, aesdeclast, 1, FULL, 0),
	INTEGER(0xf2, NONE, AND_NOT, 0, NO_DIGIT, 0), /* BMI */
	INTEGER(0xf3, NONE, LOWEST_BIT, 1, 1, 0),
	INTEGER(0xf3, NONE, LOWEST_BIT, 2, 2, 0),
	INTEGER(0xf3, NONE, LOWEST_BIT, 3, 3, 0),
	INTEGER(0xf5, PF2, BIT_PACK, X86_PDEP, NO_DIGIT, 0),
	INTEGER(0xf5, PF3, BIT_PACK, X86_PEXT, NO_DIGIT, 0),
	INTEGER(0xf5, NONE, ZERO_HIGH, 0, NO_DIGIT, 0),
	INTEGER(0xf6, PF2, MULX, 0, NO_DIGIT, 0),
	INTEGER(0xf7, PF2, SHIFT_PLAIN, X86_SHR, NO_DIGIT, 0),
	INTEGER(0xf7, PF3, SHIFT_PLAIN, X86_SAR, NO_DIGIT, 0),
	INTEGER(0xf7, P66, SHIFT_PLAIN, X86_SHL, NO_DIGIT, 0),
	INTEGER(0xf7, NONE, BIT_FIELD, 0, NO_DIGIT, 0),
};

static const struct x86_row map_0f3a[] = {
	ROW(0x00, P66, VE, ANY, PERMUTE, X86_PERMUTE_IMMEDIATE, 8, FULL, 0),
	ROW(0x01, P66, VE, ANY, PERMUTE, X86_PERMUTE_IMMEDIATE, 8, FULL, 0),
	PACKED(0x02, P66, V, ANY, blend_words, 4, FULL, SPREAD2),
	ROW(0x03, P66, E, ANY, ALIGN, 0, BY_W, FULL, 0),
	PACKED(0x04, P66, VE, ANY, pshufd, 4, FULL, 0),
	PACKED(0x05, P66, VE, ANY, pshufd, 8, FULL, DOUBLES),
	ROW(0x06, P66, V, ANY, PERMUTE_PARTS, X86_PARTS_ANY, 16, FULL, 0),
	PACKED(0x08, P66, LV, ANY, round_float, 4, FULL, 0),
	PACKED(0x09, P66, LV, ANY, round_double, 8, FULL, 0),
	PACKED(0x0a, P66, LV, ANY, round_float_low, 4, 4, SCALAR),
	PACKED(0x0b, P66, LV, ANY, round_double_low, 8, 8, SCALAR),
	PACKED(0x0c, P66, LV, ANY, blend_words, 4, FULL, SPREAD2),
	PACKED(0x0d, P66, LV, ANY, blend_words, 8, FULL, SPREAD4),
	PACKED(0x0e, P66, LV, ANY, blend_words, 2, FULL, 0),
	PACKED(0x0f, P66, LVE, ANY, palignr, 1, FULL, 0),
	ROW(0x14, P66, LVE, ANY, VECTOR_EXTRACT, 0, 1, 1, SCALAR | GENERAL),
	ROW(0x15, P66, LVE, ANY, VECTOR_EXTRACT, 0, 2, 2, SCALAR | GENERAL),
	ROW(0x16, P66, LVE, ANY, VECTOR_EXTRACT, 0, BY_W, BY_W, SCALAR | GENERAL),
	ROW(0x17, P66, LVE, ANY, VECTOR_EXTRACT, 0, 4, 4, SCALAR | GENERAL),
	ROW(0x18, P66, VE, ANY, INSERT_PART, 0, BY_W, 16, 0),
	ROW(0x19, P66, VE, ANY, EXTRACT_PART, 0, BY_W, 16, 0),
	ROW(0x1a, P66, E, ANY, INSERT_PART, 0, BY_W, 32, 0),
	ROW(0x1b, P66, E, ANY, EXTRACT_PART, 0, BY_W, 32, 0),
	COMPARE_BY_W(0x1e, P66, compare_u32, compare_u64, 4),
	COMPARE_BY_W(0x1f, P66, compare_i32, compare_i64, 4),
	ROW(0x20, P66, LVE, ANY, VECTOR_INSERT, 0, 1, 1, SCALAR | GENERAL),
	PACKED(0x21, P66, LVE, ANY, insertps, 4, 4, SCALAR | SPECIAL),
	ROW(0x22, P66, LVE, ANY, VECTOR_INSERT, 0, BY_W, BY_W, SCALAR | GENERAL),
	ROW(0x23, P66, E, ANY, PERMUTE_PARTS, X86_PARTS_HALVES, BY_W, FULL, 0),
	ROW(0x25, P66, E, ANY, TERNARY, 0, BY_W, FULL, 0),
	ROW(0x30, P66, V, ANY, OPMASK_SHIFT, 1, 0, FULL, OPMASKS),
	ROW(0x31, P66, V, ANY, OPMASK_SHIFT, 1, 0, FULL, OPMASKS),
	ROW(0x32, P66, V, ANY, OPMASK_SHIFT, 0, 0, FULL, OPMASKS),
	ROW(0x33, P66, V, ANY, OPMASK_SHIFT, 0, 0, FULL, OPMASKS),
	ROW(0x38, P66, VE, ANY, INSERT_PART, 0, BY_W, 16, 0),
	ROW(0x39, P66, VE, ANY, EXTRACT_PART, 0, BY_W, 16, 0),
	ROW(0x3a, P66, E, ANY, INSERT_PART, 0, BY_W, 32, 0),
	ROW(0x3b, P66, E, ANY, EXTRACT_PART, 0, BY_W, 32, 0),
	COMPARE_BY_W(0x3e, P66, compare_u8, compare_u16, 1),
	COMPARE_BY_W(0x3f, P66, compare_i8, compare_i16, 1),
	ROW(0x43, P66, E, ANY, PERMUTE_PARTS, X86_PARTS_HALVES, BY_W, FULL, 0),
	PACKED(0x44, P66, LVE, ANY, pclmulqdq, 8, FULL, 0),
	ROW(0x46, P66, V, ANY, PERMUTE_PARTS, X86_PARTS_ANY, 16, FULL, 0),
	ROW(0x4a, P66, V, ANY, BLEND, 0, 4, FULL, SPECIAL),
	ROW(0x4b, P66, V, ANY, BLEND, 0, 8, FULL, SPECIAL),
	ROW(0x4c, P66, V, ANY, BLEND, 0, 1, FULL, SPECIAL),
	ROW(0x60, P66, LV, ANY, VECTOR_STRING, 0, BY_W, 16, SCALAR),
	ROW(0x61, P66, LV, ANY, VECTOR_STRING, 1, BY_W, 16, SCALAR),
	ROW(0x62, P66, LV, ANY, VECTOR_STRING, 2, BY_W, 16, SCALAR),
	ROW(0x63, P66, LV, ANY, VECTOR_STRING, 3, BY_W, 16, SCALAR),
	INTEGER(0xf0, PF2, SHIFT_PLAIN, X86_ROR, NO_DIGIT, 0), /* rorx */
};

/* Opcodes from @first to @last that are not modelled, or not with a mask or a broadcast. */
#define FORGETS(map, first, last, prefixes, encodings, what, bytes)                        \
	{                                                                                  \
		X86_MAP_##map, first, last, prefixes, encodings, X86_FORGETS_##what, bytes \
	}

static const struct x86_forgets_row forgets[] = {
	FORGETS(0F, 0x0f, 0x0f, ALL, L, NOTHING, 0), /* 3DNow! */
	FORGETS(0F, 0x11, 0x11, PF3 | PF2, LVE, RM, BY_TYPE),
	FORGETS(0F, 0x11, 0x11, NONE | P66, LVE, RM, FULL),
	FORGETS(0F, 0x13, 0x13, ALL, LVE, RM, 8),
	FORGETS(0F, 0x17, 0x17, ALL, LVE, RM, 8),
	FORGETS(0F, 0x29, 0x29, ALL, LVE, RM, FULL),
	FORGETS(0F, 0x2b, 0x2b, PF3 | PF2, LVE, RM, BY_TYPE), /* movntss, movntsd of SSE4a */
	FORGETS(0F, 0x2b, 0x2b, NONE | P66, LVE, RM, FULL),
	FORGETS(0F, 0x2c, 0x2d, PF3 | PF2, LVE, GENERAL, BY_W),
	FORGETS(0F, 0x2c, 0x2d, NONE | P66, LVE, MXCSR, 0), /* to MMX */
	FORGETS(0F, 0x2e, 0x2f, ALL, LVE, COMPARE_FLAGS, 0),
	FORGETS(0F, 0x41, 0x42, ALL, V, OPMASK, 0),
	FORGETS(0F, 0x44, 0x47, ALL, V, OPMASK, 0),
	FORGETS(0F, 0x4a, 0x4b, ALL, V, OPMASK, 0),
	FORGETS(0F, 0x50, 0x50, ALL, LVE, GENERAL, 4),
	FORGETS(0F, 0x64, 0x66, ALL, E, OPMASK, 0),
	FORGETS(0F, 0x71, 0x73, NONE, L, NOTHING, 0), /* MMX */
	FORGETS(0F, 0x71, 0x73, P66 | PF3 | PF2, L, RM_REGISTER, 0),
	FORGETS(0F, 0x71, 0x73, ALL, VE, REG2, 0),
	FORGETS(0F, 0x74, 0x76, ALL, E, OPMASK, 0),
	FORGETS(0F, 0x77, 0x77, ALL, L, NOTHING, 0), /* emms */
	FORGETS(0F, 0x78, 0x79, PF3 | PF2, E, GENERAL, BY_W),
	FORGETS(0F, 0x78, 0x78, P66, L, RM_REGISTER, 0),
	FORGETS(0F, 0x78, 0x79, NONE | PF3, L, TRANSFER, 0), /* vmread, vmwrite */
	FORGETS(0F, 0x7e, 0x7e, NONE | P66 | PF2, LVE, GENERAL_RM, BY_W),
	FORGETS(0F, 0x7f, 0x7f, NONE, L, RM_MMX, 8),
	FORGETS(0F, 0x7f, 0x7f, ALL, LVE, RM, FULL),
	FORGETS(0F, 0x90, 0x90, ALL, V, OPMASK, 0),
	FORGETS(0F, 0x91, 0x91, ALL, V, MEMORY, 8),
	FORGETS(0F, 0x92, 0x92, ALL, V, OPMASK, 0),
	FORGETS(0F, 0x93, 0x93, ALL, V, GENERAL, 8),
	FORGETS(0F, 0x98, 0x99, ALL, V, TEST_FLAGS, 0),
	FORGETS(0F, 0xc2, 0xc2, ALL, E, OPMASK, 0),
	FORGETS(0F, 0xc5, 0xc5, ALL, LVE, GENERAL, 4),
	FORGETS(0F, 0xd6, 0xd6, NONE | PF2, L, NOTHING, 0), /* movdq2q */
	FORGETS(0F, 0xd6, 0xd6, PF3, L, REG, 0),
	FORGETS(0F, 0xd6, 0xd6, ALL, LVE, RM, 8),
	FORGETS(0F, 0xd7, 0xd7, ALL, LVE, GENERAL, 4),
	FORGETS(0F, 0xe7, 0xe7, NONE, L, MEMORY, 8), /* movntq */
	FORGETS(0F, 0xe7, 0xe7, ALL, LVE, RM, FULL),
	FORGETS(0F, 0xf7, 0xf7, ALL, LV, ANYWHERE, 0), /* maskmovq, maskmovdqu: to rdi */
	FORGETS(0F38, 0x0e, 0x0f, ALL, V, TEST_FLAGS, 0),
	FORGETS(0F38, 0x10, 0x15, PF3, E, RM, HALF), /* narrowing moves */
	FORGETS(0F38, 0x17, 0x17, ALL, LV, TEST_FLAGS, 0),
	FORGETS(0F38, 0x20, 0x25, PF3, E, RM, HALF), /* narrowing moves */
	FORGETS(0F38, 0x26, 0x27, ALL, E, OPMASK, 0),
	FORGETS(0F38, 0x29, 0x29, ALL, E, OPMASK, 0),
	FORGETS(0F38, 0x2e, 0x2f, ALL, V, MEMORY, FULL), /* masked stores */
	FORGETS(0F38, 0x30, 0x35, PF3, E, RM, HALF),	 /* narrowing moves */
	FORGETS(0F38, 0x37, 0x37, ALL, E, OPMASK, 0),
	FORGETS(0F38, 0x39, 0x39, PF3, E, OPMASK, 0),
	FORGETS(0F38, 0x49, 0x49, ALL, VE, NOTHING, 0), /* tiles */
	FORGETS(0F38, 0x4b, 0x4b, PF3, VE, ANYWHERE, 0),
	FORGETS(0F38, 0x4b, 0x4b, ALL, VE, NOTHING, 0),
	FORGETS(0F38, 0x5c, 0x5c, ALL, VE, NOTHING, 0),
	FORGETS(0F38, 0x5e, 0x5e, ALL, VE, NOTHING, 0),
	FORGETS(0F38, 0x63, 0x63, ALL, E, RM, FULL),	   /* compress */
	FORGETS(0F38, 0x68, 0x68, ALL, E, OPMASK_PAIR, 0), /* vp2intersect */
	FORGETS(0F38, 0x6c, 0x6c, ALL, VE, NOTHING, 0),
	FORGETS(0F38, 0x8a, 0x8b, ALL, E, RM, FULL),
	FORGETS(0F38, 0x8e, 0x8e, ALL, V, MEMORY, FULL),
	FORGETS(0F38, 0x8f, 0x8f, ALL, E, OPMASK, 0),
	FORGETS(0F38, 0x90, 0x93, ALL, V, GATHER, 0),
	FORGETS(0F38, 0x90, 0x93, ALL, E, GATHER_OPMASK, 0),
	FORGETS(0F38, 0xa0, 0xa3, ALL, E, SCATTER, 0),
	FORGETS(0F38, 0xc6, 0xc7, ALL, E, OWN_OPMASK, 0), /* prefetches of gathers and scatters */
	FORGETS(0F38, 0xe0, 0xef, ALL, VE, ALL, 0),	  /* cmpccxadd */
	FORGETS(0F38, 0xf2, 0xf3, ALL, E, ALL, 0),
	FORGETS(0F38, 0xf5, 0xf7, ALL, E, ALL, 0),
	FORGETS(0F38, 0xf5, 0xf6, ALL, L, MEMORY, BY_W), /* wruss, wrss */
	FORGETS(0F3A, 0x0f, 0x0f, NONE, L, NOTHING, 0),	 /* MMX */
	FORGETS(0F3A, 0x14, 0x17, ALL, LVE, GENERAL_RM, BY_W),
	FORGETS(0F3A, 0x19, 0x19, ALL, LVE, RM, 16),
	FORGETS(0F3A, 0x1b, 0x1b, ALL, LVE, RM, 32),
	FORGETS(0F3A, 0x1d, 0x1d, ALL, LVE, RM, HALF),
	FORGETS(0F3A, 0x1e, 0x1f, ALL, E, OPMASK, 0),
	FORGETS(0F3A, 0x30, 0x33, ALL, V, OPMASK, 0),
	FORGETS(0F3A, 0x39, 0x39, ALL, LVE, RM, 16),
	FORGETS(0F3A, 0x3b, 0x3b, ALL, LVE, RM, 32),
	FORGETS(0F3A, 0x3e, 0x3f, ALL, E, OPMASK, 0),
	FORGETS(0F3A, 0x60, 0x63, ALL, LVE, ALL, 0),
	FORGETS(0F3A, 0x66, 0x67, ALL, E, OPMASK, 0),
	FORGETS(0F3A, 0xc2, 0xc2, ALL, E, OPMASK, 0),
	FORGETS(0F3A, 0xf0, 0xf0, ALL, E, ALL, 0),
};

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

const struct x86_row *x86_opcode_vectors(unsigned map, uint8_t opcode, const struct x86_row **end)
{
	static const struct {
		const struct x86_row *rows;
		size_t count;
	} maps[] = {[X86_MAP_0F] = {map_0f, COUNT(map_0f)},
		    [X86_MAP_0F38] = {map_0f38, COUNT(map_0f38)},
		    [X86_MAP_0F3A] = {map_0f3a, COUNT(map_0f3a)}};
	const struct x86_row *low = maps[map].rows, *high = low + maps[map].count;

	*end = high;
	while (low < high) {
		const struct x86_row *middle = low + (high - low) / 2;

		if (middle->opcode < opcode)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

unsigned x86_opcode_vectors_forgets(unsigned map, uint8_t opcode, unsigned prefix,
				    unsigned encoding, uint8_t *bytes)
{
	for (size_t i = 0; i < COUNT(forgets); i++) {
		const struct x86_forgets_row *row = &forgets[i];

		if (row->map == map && opcode >= row->first && opcode <= row->last &&
		    row->prefixes & prefix && row->encodings & encoding) {
			*bytes = row->bytes;
			return row->what;
		}
	}
	return X86_FORGETS_UNSAID;
}
