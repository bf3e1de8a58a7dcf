/* SPDX-License-Identifier: MIT */
/*
 * The opcode maps: for each opcode what follows it, what it does to control, its role, and which
 * operation evaluates it. One table for all that is asked of an opcode.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Numbered as in VEX, EVEX and XOP. */
enum x86_map {
	X86_MAP_ONE_BYTE,
	X86_MAP_0F,
	X86_MAP_0F38,
	X86_MAP_0F3A,
	X86_MAP_EVEX4, /* APX: integer instructions with three operands */
	X86_MAP_5,     /* FP16 */
	X86_MAP_6,
	X86_MAP_7, /* of model-specific registers */
	X86_MAP_XOP8,
	X86_MAP_XOP9,
	X86_MAP_XOP10,
};

enum x86_encoding { X86_LEGACY, X86_VEX, X86_EVEX, X86_XOP };

/* What follows the opcode. No bit at all: there is no such instruction. */
enum x86_form {
	X86_PLAIN = 0x0001, /* nothing */
	X86_MODRM = 0x0002,
	/* immediates; of two of them the lengths add up */
	X86_BYTE = 0x0004,
	X86_WORD = 0x0008,
	X86_DWORD = 0x0010,	/* in 32-bit mode two bytes behind 66: the distance of a branch */
	X86_WIDE = 0x0020,	/* of the operand's size, at most four bytes */
	X86_FULL = 0x0040,	/* of the operand's size, up to eight bytes */
	X86_ADDRESS = 0x0080,	/* of the address's size */
	X86_BIT_FIELD = 0x0100, /* two bytes behind 66 and f2, else none */
	X86_IMMEDIATES = X86_BYTE | X86_WORD | X86_DWORD | X86_WIDE | X86_FULL | X86_ADDRESS |
			 X86_BIT_FIELD,
	X86_MEMORY_ONLY = 0x0200, /* ModRM can't name a register */
	X86_REGISTER = 0x0400,	  /* ... names one whatever its top bits are */
	X86_GROUP = 0x0800,	  /* ModRM.reg chooses the entry: x86_opcode_member */
	X86_ONLY_32 = 0x1000,
	X86_ONLY_64 = 0x2000,
};

/* How an instruction's role (isa/isa.h) follows from its operands. */
enum x86_role {
	X86_ROLE_COMPUTE,
	X86_ROLE_SHUFFLE,
	X86_ROLE_SELECT,
	X86_ROLE_LOAD,	  /* moves from what ModRM names */
	X86_ROLE_STORE,	  /* moves to it */
	X86_ROLE_LOAD_F3, /* moves from it behind f3, else to it */
	X86_ROLE_UPDATE,  /* computes, and writes what ModRM names */
	X86_ROLE_RULE = 0x0f,
	/* exceptions */
	X86_ROLE_CONSTANT = 0x10,   /* of a register and itself it is a constant (xor): a shuffle */
	X86_ROLE_CARRY = 0x20,	    /* of a register and itself it is the carry (sbb): a select */
	X86_ROLE_ADDS_CARRY = 0x40, /* with 0 or -1 to a register: a select */
};

/* Where an integer operation's operands are, if not as usual: registers and sizes of the record. */
enum x86_operands {
	X86_EVEN_BYTES = 0x0001, /* bytes, if the opcode is even */
	X86_BYTES = 0x0002,
	X86_RM_BYTE = 0x0004,	/* rm only */
	X86_STACK = 0x0008,	/* 8 bytes, or 2 behind 66 */
	X86_QUAD = 0x0010,	/* 8 bytes */
	X86_CONSTANT = 0x0020,	/* the second source is the immediate */
	X86_ONE = 0x0040,	/* the second source is 1 */
	X86_VALUE = 0x0080,	/* the immediate, which is the only source */
	X86_UNSIGNED = 0x0100,	/* it is not sign-extended */
	X86_RM_RAX = 0x0200,	/* rm is rax */
	X86_REG_RAX = 0x0400,	/* reg is rax */
	X86_CONDITION = 0x0800, /* the variant is the opcode's low four bits */
	X86_DIGIT = 0x1000,	/* the variant is ModRM.reg */
	X86_LOCKED = 0x2000,	/* memory is locked without a prefix */
	X86_LONG = 0x4000,	/* 4 bytes */
	X86_RM_ZERO = 0x8000,	/* rm is zero */
};

/* Operations that more than an entry decides: isa/x86_64/decode/select_integer.c has a function for
 * each. Numbers behind those of enum x86_op. */
#define X86_SELECT_FIRST 0xe0
enum x86_select {
	X86_SELECT_VECTOR = X86_SELECT_FIRST, /* opcode_vectors.c knows */
	X86_SELECT_MOVE,		      /* a load, a store, or between registers */
	X86_SELECT_SEGMENT,		      /* mov from a segment register */
	X86_SELECT_NOP,			      /* nop, pause, or xchg */
	X86_SELECT_ABSOLUTE,		      /* mov of an absolute address */
	X86_SELECT_LOOP,
	X86_SELECT_X87,
	X86_SELECT_0F01,
	X86_SELECT_0FAE,
	X86_SELECT_0FC7,
	X86_SELECT_HINT,      /* prefetches, endbr64, rdssp */
	X86_SELECT_BEHIND_F3, /* popcnt, tzcnt, lzcnt, and what they are without f3 */
	X86_SELECT_0F38,
};

struct x86_opcode_entry {
	uint16_t form;	   /* of enum x86_form */
	uint16_t operands; /* of enum x86_operands */
	uint16_t variant;  /* of the operation */
	uint8_t kind;	   /* enum isa_kind */
	uint8_t role;	   /* enum x86_role */
	uint8_t op;	   /* enum x86_op or enum x86_select; of a group its number */
	uint8_t element;   /* of the record */
};

/* The entry of an opcode, whose form is 0 if there is no such instruction; @apx: behind REX2, or in
 * EVEX with APX's registers. */
const struct x86_opcode_entry *x86_opcode_find(unsigned map, unsigned encoding, uint8_t opcode,
					       bool apx);
/* The member of the group @entry that ModRM.reg, @digit, names. */
const struct x86_opcode_entry *x86_opcode_member(const struct x86_opcode_entry *entry,
						 unsigned digit);

/*
 * ---- vector instructions ----
 *
 * Their operation depends on the prefix, the encoding and W: a row each, which says what evaluates
 * it, or, of those that are not modelled, which registers, flags or bytes of memory become unknown.
 */

enum x86_row_encoding { X86_ROW_LEGACY = 1, X86_ROW_VEX = 2, X86_ROW_EVEX = 4 };
enum x86_row_w { X86_ROW_W0, X86_ROW_W1, X86_ROW_W_ANY };
enum x86_row_prefix { X86_ROW_NONE = 1, X86_ROW_66 = 2, X86_ROW_F3 = 4, X86_ROW_F2 = 8 };

/* Bytes of the memory operand or of an element beyond plain numbers. */
enum x86_row_bytes {
	X86_ROW_FULL = 0,	/* the whole vector */
	X86_ROW_BY_TYPE = 0x80, /* 4 of singles, 8 of doubles, which 66 and f2 stand for */
	X86_ROW_BY_W,		/* 4, or 8 with W */
	X86_ROW_NARROW_BY_W,	/* 1, or 2 with W */
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

/* What an instruction that is not modelled makes unknown. */
enum x86_forgets {
	X86_FORGETS_UNSAID,	 /* by no row: nearly always the vector register ModRM.reg */
	X86_FORGETS_NOTHING,	 /* nothing that is tracked */
	X86_FORGETS_REG,	 /* the vector register ModRM.reg */
	X86_FORGETS_REG2,	 /* VEX.vvvv */
	X86_FORGETS_RM,		 /* the vector register ModRM.rm, or memory */
	X86_FORGETS_RM_REGISTER, /* ... never memory */
	X86_FORGETS_RM_MMX,	 /* an MMX register, which is not tracked, or memory */
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
	uint8_t op;	   /* enum x86_op */
	uint8_t digit;	   /* ModRM.reg of a group, or X86_ROW_NO_DIGIT */
	uint16_t variant;
	uint8_t element; /* bytes */
	uint8_t bytes;
	uint32_t flags; /* of enum x86_row_flag */
};

_Static_assert(X86_ROW_EIGHTH < 0xff, "bytes fit");

struct x86_forgets_row {
	uint8_t map;
	uint8_t first, last; /* opcodes */
	uint8_t prefixes;    /* of enum x86_row_prefix */
	uint8_t encodings;   /* of enum x86_row_encoding */
	uint8_t what;	     /* enum x86_forgets */
	uint8_t bytes;	     /* as of a row */
};

/* The first row of an opcode in map 0F, 0F38 or 0F3A; its rows are followed by others' or by *end.
 * The first that fits counts. */
const struct x86_row *x86_opcode_vectors(unsigned map, uint8_t opcode, const struct x86_row **end);
/* What an instruction of these maps makes unknown, if it is not modelled (enum x86_forgets), and
 * how many bytes of it. */
unsigned x86_opcode_vectors_forgets(unsigned map, uint8_t opcode, unsigned prefix,
				    unsigned encoding, uint8_t *bytes);
