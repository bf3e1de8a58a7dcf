/* SPDX-License-Identifier: MIT */
/* Filling a state from what the kernel gave a signal handler (arch/x86/include/uapi/asm). */
#include "isa/evaluate.h"

#include <asm/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

static uint64_t segment_base(long which)
{
	uint64_t base = 0;
	long rc;

	/* a bare system call: errno belongs to the program */
	__asm__ volatile("syscall"
			 : "=a"(rc)
			 : "a"((long)SYS_arch_prctl), "D"(which), "S"(&base)
			 : "rcx", "r11", "memory");
	return rc ? 0 : base;
}

void isa_state_load_context(struct isa_state *s, const void *ucontext)
{
	static const uint8_t order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
					  REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
					  REG_R12, REG_R13, REG_R14, REG_R15};
	const ucontext_t *context = ucontext;
	const greg_t *from = context->uc_mcontext.gregs;

	for (unsigned i = 0; i < 16; i++)
		s->gpr[i] = (uint64_t)from[order[i]];
	s->pc = (uint64_t)from[REG_RIP];
	s->flags = (uint64_t)from[REG_EFL];
	s->fs_base = segment_base(ARCH_GET_FS);
	s->gs_base = segment_base(ARCH_GET_GS);
}

uint64_t isa_state_pc(const struct isa_state *s)
{
	return s->pc;
}

void isa_state_set_pc(struct isa_state *s, uint64_t pc)
{
	s->pc = pc;
}

uint64_t isa_state_stack_pointer(const struct isa_state *s)
{
	return s->gpr[X86_RSP];
}
