/* SPDX-License-Identifier: MIT */
/*
 * The registers of an x86-64 thread during look-ahead, what is known of them, and what was written.
 * Everywhere: a bit that is not known is zero.
 */
#pragma once

#include <sys/user.h>

#include "isa/shadow.h"
#include "isa/spins.h"

enum x86_flag {
	X86_CF = 0x001,
	X86_PF = 0x004,
	X86_AF = 0x010,
	X86_ZF = 0x040,
	X86_SF = 0x080,
	X86_TF = 0x100, /* single steps */
	X86_DF = 0x400,
	X86_OF = 0x800,
	X86_RF = 0x10000, /* one instruction is run whatever breakpoint stands there */
	X86_AC = 0x40000, /* alignment checks */
	X86_TRAPPING_FLAGS = X86_TF | X86_AC,
	X86_STATUS_FLAGS = X86_CF | X86_PF | X86_AF | X86_ZF | X86_SF | X86_OF,
};

union x86_vector {
	uint8_t u8[64];
	uint16_t u16[32];
	uint32_t u32[16];
	uint64_t u64[8];
} __attribute__((aligned(64)));

/* What xsave kept last: the dynamic linker saves all vectors around a lazy lookup. */
struct x86_saved {
	uint64_t address; /* of the area; 0: nothing is kept */
	uint64_t end;
	uint32_t components; /* bits of XSTATE_BV */
	uint32_t mxcsr, mxcsr_known;
	uint16_t x87_control, x87_control_known;
	uint8_t vector_known[32];
	uint64_t opmask[8], opmask_known[8];
	union x86_vector vector[32];
};

#define ISA_GENERAL_REGISTERS	 16
#define ISA_STACK_POINTER	 X86_RSP
#define ISA_ENTRY_STACK		 8u /* it modulo 16 where a function begins: System V ABI, 3.2.2 */
#define ISA_SYSTEM_CALL_REGISTER X86_RAX
#define ISA_ARGUMENT_REGISTERS	 X86_RDI, X86_RSI, X86_RDX, X86_RCX, X86_R8, X86_R9

struct isa_state {
	/* [16] is the address behind the instruction, [17] reads as zero */
	uint64_t gpr[18];
	uint64_t gpr_known[18];
	uint64_t pc;
	uint64_t flags;	      /* of a state that is whole: but for the status flags */
	uint64_t flags_known; /* the same */
	bool whole;	      /* all general registers are known */
	uint16_t status;      /* then: the status flags, as isa/x86_64/state/status.h has them */
	uint64_t segment_base[3]; /* none, fs, gs */
	uint32_t mxcsr, mxcsr_known;
	uint16_t x87_control, x87_control_known; /* libc asks it how to round */
	uint8_t cause;				 /* enum isa_cause */
	uint64_t unmodelled_pc; /* the last instruction whose results were not computed, or 0 */
	struct isa_spins spins;
	uint64_t opmask[8], opmask_known[8];
	uint8_t vector_known[32]; /* a bit for each 8 bytes */
	union x86_vector vector[32];
	struct x86_saved saved;
	struct isa_shadow shadow;
};

/* The general registers of a thread that ptrace stopped: the kernel's PTRACE_GETREGS. */
struct isa_registers {
	struct user_regs_struct general;
};

static inline uint64_t isa_registers_pc(const struct isa_registers *r)
{
	return r->general.rip;
}
