/* SPDX-License-Identifier: MIT */
/*
 * The rows of the opcode table for vector instructions, whose operation depends on the prefix, the
 * encoding and W: which operation evaluates one, or, of those that are not modelled, which
 * registers, flags or bytes of memory become unknown.
 */
#ifndef ISA_X86_64_DECODE_OPCODE_VECTORS_H
#define ISA_X86_64_DECODE_OPCODE_VECTORS_H

#include <stddef.h>
#include <stdint.h>

#include "isa/x86_64/decode/opcode_table.h"

enum x86_row_encoding { X86_ROW_LEGACY = 1, X86_ROW_VEX = 2, X86_ROW_EVEX = 4 };
enum x86_row_w { X86_ROW_W0, X86_ROW_W1, X86_ROW_W_ANY };
enum x86_row_prefix { X86_ROW_NONE = 1, X86_ROW_66 = 2, X86_ROW_F3 = 4, X86_ROW_F2 = 8 };

/* Bytes of the memory operand beyond plain numbers; of an element only X86_ROW_BY_W. */
enum x86_row_bytes {
	X86_ROW_FULL = 0,    /* the whole vector */
	X86_ROW_BY_W = 0x80, /* 4, or 8 with W */
	X86_ROW_HALF,
	X86_ROW_QUARTER,
	X86_ROW_EIGHTH,
};

#define X86_ROW_NO_DIGIT 0xff

enum x86_row_flag {
	X86_ROW_SCALAR = 0x0001,       /* 16 bytes whatever the vector length says */
	X86_ROW_MEMORY = 0x0002,       /* the form with a memory operand only */
	X86_ROW_REVERSED = 0x0004,     /* rm is written, reg is read */
	X86_ROW_STORE = 0x0008,	       /* between registers: a move, reversed */
	X86_ROW_GENERAL = 0x0010,      /* rm is a general register */
	X86_ROW_TO_REG = 0x0020,       /* reg is a general register that is written */
	X86_ROW_NO_IMMEDIATE = 0x0040, /* element 0 */
	X86_ROW_XMM = 0x0080,	       /* 16-byte vectors only */
	X86_ROW_SHIFT = 0x0100,	       /* by an immediate: the digit is the kernel's, too */
	X86_ROW_DOUBLES = 0x0200,      /* the immediate has a bit for each 8-byte element */
	X86_ROW_SPREAD2 = 0x0400,      /* ... for each 4-byte element of all the vector */
	X86_ROW_SPREAD4 = 0x0800,      /* ... for each 8-byte element of all the vector */
	X86_ROW_ONE_BIT = 0x1000,      /* an opmask's lowest bit */
	X86_ROW_OPMASK = 0x2000,       /* opmask registers: width by prefix and W */
	X86_ROW_BY_ELEMENT = 0x4000,   /* the memory operand is an element */
	X86_ROW_FLAG_SPECIAL = 0x8000, /* more, by op: see isa/x86_64/decode/select_vector.c */
	X86_ROW_INTEGER = 0x10000,     /* all operands are general registers */
};

/* In place of an op: the variant is of enum x86_forgets. */
#define X86_ROW_FORGETS 0xff

/* What an instruction that is not modelled makes unknown. */
enum x86_forgets {
	X86_FORGETS_NOTHING,	 /* nothing that is tracked */
	X86_FORGETS_REG,	 /* the vector register ModRM.reg */
	X86_FORGETS_REG2,	 /* VEX.vvvv */
	X86_FORGETS_RM,		 /* the vector register ModRM.rm, or memory */
	X86_FORGETS_RM_REGISTER, /* ... never memory */
	X86_FORGETS_MEMORY,
	X86_FORGETS_ANYWHERE,	   /* memory at any address */
	X86_FORGETS_GENERAL,	   /* the general register ModRM.reg */
	X86_FORGETS_GENERAL_RM,	   /* ... ModRM.rm, or memory */
	X86_FORGETS_OPMASK,	   /* the opmask ModRM.reg */
	X86_FORGETS_OPMASK_PAIR,   /* ... and its neighbour */
	X86_FORGETS_OWN_OPMASK,	   /* the opmask that it runs under */
	X86_FORGETS_COMPARE_FLAGS, /* zero, parity, carry; the others become 0 */
	X86_FORGETS_TEST_FLAGS,	   /* zero, carry; the others become 0 */
	X86_FORGETS_MXCSR,	   /* what any floating-point instruction may raise */
	X86_FORGETS_GATHER,	   /* a vector and its mask, a vector too */
	X86_FORGETS_GATHER_OPMASK,
	X86_FORGETS_SCATTER,
	X86_FORGETS_TRANSFER, /* look-ahead stops */
	X86_FORGETS_ALL,
};

struct x86_row {
	uint8_t opcode;
	uint8_t prefixes;  /* of enum x86_row_prefix */
	uint8_t encodings; /* of enum x86_row_encoding */
	uint8_t w;	   /* enum x86_row_w; of legacy SSE ignored */
	uint8_t op;	   /* enum x86_op, or X86_ROW_FORGETS */
	uint8_t digit;	   /* ModRM.reg of a group, or X86_ROW_NO_DIGIT */
	uint16_t variant;
	uint8_t element; /* bytes */
	uint8_t bytes;
	uint32_t flags; /* of enum x86_row_flag */
};

_Static_assert(X86_ROW_EIGHTH < 0xff, "bytes fit");

/* The first row of an opcode in map 0F, 0F38 or 0F3A; its rows are followed by others' or by *end.
 * The first that fits counts. */
const struct x86_row *x86_opcode_vectors(unsigned map, uint8_t opcode, const struct x86_row **end);

#endif
