/* SPDX-License-Identifier: MIT */
/*
 * The opcode maps: for each opcode what follows it, what it does to control, its role, and which
 * operation evaluates it. One table for all that is asked of an opcode; the vector instructions'
 * operations, which depend on the prefix too, are isa/x86_64/decode/opcode_vectors.h.
 */
#ifndef ISA_X86_64_DECODE_OPCODE_TABLE_H
#define ISA_X86_64_DECODE_OPCODE_TABLE_H

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
	X86_SELECT_VECTOR = X86_SELECT_FIRST, /* opcode_vectors.h knows */
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

/* Of an opcode; @apx: behind REX2, or in EVEX with APX's registers. Its form is 0 if there is none.
 */
const struct x86_opcode_entry *x86_opcode_find(unsigned map, unsigned encoding, uint8_t opcode,
					       bool apx);
/* Of the group that @entry stands for the instruction that ModRM.reg names. */
const struct x86_opcode_entry *x86_opcode_member(const struct x86_opcode_entry *entry,
						 unsigned digit);

#endif
