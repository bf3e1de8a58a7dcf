/* SPDX-License-Identifier: MIT */
/*
 * The registers of an AArch64 thread during look-ahead, what is known of them, and what was
 * written. Everywhere: a bit that is not known is zero.
 */
#pragma once

#include "isa/shadow.h"
#include "isa/spins.h"

enum aarch64_flag {
	AARCH64_V = 1,
	AARCH64_C = 2,
	AARCH64_Z = 4,
	AARCH64_N = 8,
	AARCH64_NZCV = 15,
};

#define AARCH64_PSTATE_SHIFT 28 /* of the flags in PSTATE, and in the register NZCV */

union aarch64_vector {
	uint8_t u8[16];
	uint16_t u16[8];
	uint32_t u32[4];
	uint64_t u64[2];
} __attribute__((aligned(16)));

#define AARCH64_VECTOR_KNOWN	3u /* all of a vector */
#define AARCH64_PREDICATE_WORDS 4  /* a bit for each byte of the longest vector, 256 */

/* What a load-exclusive marked, until its store. */
struct aarch64_monitor {
	uint64_t address;
	struct isa_value first, second; /* what was there; of a pair also the second */
	uint8_t bytes;			/* 0: nothing is marked */
	bool known;			/* the address is */
};

#define ISA_GENERAL_REGISTERS	 32
#define ISA_STACK_POINTER	 AARCH64_SP
#define ISA_ENTRY_STACK		 0u /* it modulo 16 where a function begins, and elsewhere */
#define ISA_SYSTEM_CALL_REGISTER AARCH64_X8
#define ISA_ARGUMENT_REGISTERS	 0, 1, 2, 3, 4, 5

struct isa_state {
	/* [31] is sp, [32] reads as zero */
	uint64_t gpr[33];
	uint64_t gpr_known[33];
	uint64_t pc;
	uint8_t flags, flags_known; /* enum aarch64_flag */
	uint8_t cause;		    /* enum isa_cause */
	/* Bits of a pointer below its authentication code; 0: not known (op.h). */
	uint8_t pointer_bits;
	/* Floating point is computed here as there: FPCR was zero where the state was loaded. */
	bool computes_floats;
	bool fpcr_known;
	uint32_t fpcr;
	uint64_t thread_pointer, thread_pointer_known; /* TPIDR_EL0 */
	uint64_t cache_type, zero_block;	       /* CTR_EL0, DCZID_EL0 */
	bool machine_known;			       /* these two are */
	uint16_t sve_bytes; /* of a vector of SVE; 0: there are none, or not known */
	struct aarch64_monitor monitor;
	uint64_t unmodelled_pc; /* the last instruction whose results were not computed, or 0 */
	struct isa_spins spins;
	uint8_t vector_known[32]; /* a bit for each 8 bytes: 3 is all */
	union aarch64_vector vector[32];
	uint16_t predicate_known; /* a bit for each */
	uint64_t predicate[16][AARCH64_PREDICATE_WORDS];
	struct isa_shadow shadow;
};

/* The general registers of a thread that ptrace stopped: the kernel's sets NT_PRSTATUS (struct
 * user_pt_regs, arch/arm64/include/uapi/asm/ptrace.h) and NT_ARM_TLS. */
struct isa_registers {
	uint64_t x[31], sp, pc, pstate; /* NT_PRSTATUS as it is */
	uint64_t thread_pointer;	/* TPIDR_EL0: NT_ARM_TLS */
	uint64_t sve_bytes;		/* of a vector: NT_ARM_SVE; 0: it has none */
};

static inline uint64_t isa_registers_pc(const struct isa_registers *r)
{
	return r->pc;
}
