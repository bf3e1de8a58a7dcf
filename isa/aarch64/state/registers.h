/* SPDX-License-Identifier: MIT */
/* The general registers of a thread that ptrace stopped: the kernel's sets NT_PRSTATUS (struct
 * user_pt_regs, arch/arm64/include/uapi/asm/ptrace.h) and NT_ARM_TLS. */
#ifndef ISA_AARCH64_STATE_REGISTERS_H
#define ISA_AARCH64_STATE_REGISTERS_H

#include <stdint.h>

struct isa_registers {
	uint64_t x[31], sp, pc, pstate; /* NT_PRSTATUS as it is */
	uint64_t thread_pointer;	/* TPIDR_EL0: NT_ARM_TLS */
	uint64_t sve_bytes;		/* of a vector: NT_ARM_SVE; 0: it has none */
};

static inline uint64_t isa_registers_pc(const struct isa_registers *r)
{
	return r->pc;
}

#endif
