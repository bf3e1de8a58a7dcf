/* SPDX-License-Identifier: MIT */
/* An x86-64 instruction as look-ahead wants it: decoded once, evaluated often. */
#pragma once

#include "isa/isa.h"

/* Register numbers are the encoding's: rax rcx rdx rbx rsp rbp rsi rdi r8..r15. */
#define X86_RAX	   0
#define X86_RCX	   1
#define X86_RDX	   2
#define X86_RBX	   3
#define X86_RSP	   4
#define X86_RBP	   5
#define X86_RSI	   6
#define X86_RDI	   7
#define X86_R8	   8
#define X86_R9	   9
#define X86_RIP	   16	/* as a base: the address behind the instruction */
#define X86_NONE   17	/* no base or no index: reads as zero */
#define X86_HIGH   0x10 /* of 8-bit operands: ah, ch, dh, bh are X86_HIGH | 0..3 */
#define X86_MEMORY 0xff /* as rm: the operand is in memory */

enum x86_attribute {
	X86_LOCK = 0x01,       /* a locked read-modify-write of memory (xchg is one by itself) */
	X86_ADDRESS32 = 0x02,  /* addresses, and the counter of loop, jrcxz and rep, are 32 bits */
	X86_REP = 0x04,	       /* f3 */
	X86_REPNE = 0x08,      /* f2 */
	X86_KEEP_UPPER = 0x10, /* a legacy SSE write: bytes 16 and up stay as they were */
	X86_ZEROING = 0x20,    /* EVEX: elements that are masked out become zero */
	X86_BROADCAST = 0x40,  /* EVEX: the memory operand is one element */
	X86_IMMEDIATE = 0x80,  /* the second source is the immediate */
};

struct isa_record {
	union {
		uint64_t target; /* of a direct branch or call */
		uint64_t immediate;
	};
	int32_t displacement;
	uint16_t step;	/* enum x86_step: what does where all is known that it needs */
	uint8_t op;	/* enum x86_op: what evaluates it */
	uint8_t length; /* bytes */
	uint8_t kind;	/* enum isa_kind */
	uint8_t size;	/* bytes of the operands; of a vector instruction, bytes of the vector */
	uint8_t reg;	/* ModRM.reg, or the register that the opcode names */
	uint8_t rm;	/* ModRM.rm as a register, or X86_MEMORY */
	union {
		uint8_t reg2;	  /* VEX.vvvv; of legacy SSE the same as reg */
		uint8_t reg_byte; /* of arithmetic on bytes: reg's among the general registers' */
	};
	uint8_t base;	/* of the memory operand: register, X86_RIP or X86_NONE */
	uint8_t index;	/* register or X86_NONE */
	uint8_t scale;	/* shift: 0 to 3 */
	uint8_t behind; /* bytes of its block up to its end */
	uint8_t attributes;
	uint8_t element; /* bytes of a narrower operand or of a vector's element */
	union {
		uint8_t bytes;	 /* of a vector instruction's memory operand */
		uint8_t rm_byte; /* of arithmetic on bytes: rm's, if that is a register */
	};
	uint8_t segment : 2;	 /* 0, 1 (fs) or 2 (gs) */
	uint8_t mask : 3;	 /* EVEX: opmask register; 0 is none */
	uint8_t divides : 1;	 /* div, idiv */
	uint8_t far_operand : 1; /* the memory operand has more than a base and a displacement */
	uint8_t wait;		 /* cycles that its result takes longer than a sum: isa_record */
	uint16_t variant;	 /* within the op: which condition, arithmetic, kernel ... */
};

_Static_assert(sizeof(struct isa_record) == 32, "a record is 32 bytes");

static inline bool isa_record_is_stub(const struct isa_record *r)
{
	return r->kind == ISA_JUMP_INDIRECT && r->base == X86_RIP;
}

/* x86 locks the memory of one instruction at a time: nothing fails because of a stop between two.
 */
struct isa_memory;

static inline bool isa_atomic_contains(const struct isa_memory *m, uint64_t address)
{
	(void)m;
	(void)address;
	return false;
}

static inline bool isa_atomic_opens(const struct isa_memory *m, uint64_t address)
{
	(void)m;
	(void)address;
	return false;
}
