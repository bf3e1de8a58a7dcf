/* SPDX-License-Identifier: MIT */
/* The general registers of a thread that ptrace stopped: the kernel's PTRACE_GETREGS. */
#ifndef ISA_X86_64_STATE_REGISTERS_H
#define ISA_X86_64_STATE_REGISTERS_H

#include <stdint.h>
#include <sys/user.h>

struct isa_registers {
	struct user_regs_struct general;
};

static inline uint64_t isa_registers_pc(const struct isa_registers *r)
{
	return r->general.rip;
}

#endif
