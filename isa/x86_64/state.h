/* SPDX-License-Identifier: MIT */
/* The registers of an x86-64 thread. */
#ifndef ISA_X86_64_STATE_H
#define ISA_X86_64_STATE_H

#include <stdint.h>

#define X86_RCX 1
#define X86_RSP 4

enum x86_flag {
	X86_CF = 0x001,
	X86_PF = 0x004,
	X86_AF = 0x010,
	X86_ZF = 0x040,
	X86_SF = 0x080,
	X86_DF = 0x400,
	X86_OF = 0x800,
};

struct isa_state {
	uint64_t gpr[16]; /* in the encoding's order */
	uint64_t pc;
	uint64_t flags;
	uint64_t fs_base, gs_base;
};

#endif
