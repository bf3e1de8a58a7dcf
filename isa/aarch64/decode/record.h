/* SPDX-License-Identifier: MIT */
/* An AArch64 instruction as look-ahead wants it: decoded once, evaluated often. */
#pragma once

#include "isa/isa.h"

/* Register numbers are the encoding's, but that 31 is two registers. */
#define AARCH64_X8   8
#define AARCH64_X16  16
#define AARCH64_X17  17
#define AARCH64_LR   30
#define AARCH64_SP   31
#define AARCH64_ZERO 32 /* xzr: reads as zero, writes are lost */

enum aarch64_attribute {
	AARCH64_SUBTRACTS = 0x01,
	AARCH64_SETS_FLAGS = 0x02,
	AARCH64_INVERTS = 0x04,	     /* the second operand */
	AARCH64_SIGNED = 0x08,	     /* a load extends the sign; a division, a product is signed */
	AARCH64_BASE_CHANGES = 0x10, /* the base register is written: pre-index and post-index */
	AARCH64_ACCESS_FIRST = 0x20, /* post-index: the address is the base alone */
	AARCH64_INDEXED = 0x40,	     /* the offset is rm, extended and shifted */
	AARCH64_SCALAR = 0x80,	     /* a vector instruction of one element */
};

/* How rm is extended: the encoding's option, of which 3 (uxtx) is also no extension. */
enum aarch64_extend {
	AARCH64_UXTB,
	AARCH64_UXTH,
	AARCH64_UXTW,
	AARCH64_UXTX,
	AARCH64_SXTB,
	AARCH64_SXTH,
	AARCH64_SXTW,
	AARCH64_SXTX,
};

struct isa_record {
	union {
		uint64_t target; /* of a direct branch or call */
		uint64_t immediate;
	};
	uint32_t word;
	uint16_t op;	    /* enum aarch64_op: what evaluates it */
	uint8_t length;	    /* 4 */
	uint8_t kind;	    /* enum isa_kind */
	uint8_t size;	    /* bytes of the operands; of a vector instruction, of the vector */
	uint8_t rd, rn, rm; /* as above; rd of a load or store is the register in or out */
	uint8_t ra;	    /* a fourth one: the addend, the second of a pair */
	uint8_t variant;    /* within the op: which condition, shift, kernel ... */
	uint8_t attributes;
	uint8_t bytes;	   /* of a memory access, each register */
	uint8_t element;   /* bytes of a vector's element */
	uint8_t shift;	   /* of rm: a distance */
	uint8_t extend;	   /* of rm: enum aarch64_extend */
	uint8_t divides;   /* udiv, sdiv: a boolean */
	uint8_t registers; /* of a structure load or store, of a table */
	uint8_t wait;	   /* cycles that its result takes longer than a sum: isa_record */
	uint8_t behind;	   /* bytes of its block up to its end */
	uint8_t reserved;
};

_Static_assert(sizeof(struct isa_record) == 32, "a record is 32 bytes");

/* Stubs of the linker jump by x17, veneers and lazy ones by x16 (AAPCS64, 6.1.1). */
static inline bool isa_record_is_stub(const struct isa_record *r)
{
	return r->kind == ISA_JUMP_INDIRECT && (r->rn == AARCH64_X16 || r->rn == AARCH64_X17);
}

/*
 * Code between a load-exclusive and its store. Whatever enters the kernel there makes the store
 * fail (Arm ARM, B2.9; an exception return clears the monitor), and a program that was always
 * stopped there would try for ever.
 */

struct isa_memory;

/* Would a stop at @address, before the instruction there, come behind a load-exclusive whose store
 * is still to come? By the code before it, as far as it can be read: 16 instructions. */
bool isa_atomic_contains(const struct isa_memory *m, uint64_t address);
/* Is the instruction at @address a load-exclusive? */
bool isa_atomic_opens(const struct isa_memory *m, uint64_t address);
