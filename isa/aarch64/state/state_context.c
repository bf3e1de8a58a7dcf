/* SPDX-License-Identifier: MIT */
/*
 * Filling a state from what the kernel gives of a thread: in a signal handler's ucontext_t, or by
 * ptrace. Only on the machine itself. Source: arch/arm64/include/uapi/asm (sigcontext.h: records
 * of a magic and a size, EXTRA_CONTEXT tells where more are; ptrace.h: struct user_fpsimd_state).
 */
#include <asm/ptrace.h>
#include <asm/sigcontext.h>
#include <string.h>
#include <ucontext.h>

#include "isa/aarch64/operand.h"

/* What a program may read of the machine that it runs on. */
static void load_machine(struct isa_state *s)
{
	__asm__("mrs %0, ctr_el0" : "=r"(s->cache_type));
	__asm__("mrs %0, dczid_el0" : "=r"(s->zero_block));
}

static uint64_t own_thread_pointer(void)
{
	uint64_t pointer;

	__asm__ volatile("mrs %0, tpidr_el0" : "=r"(pointer));
	return pointer;
}

static void load_vectors(struct isa_state *s, const void *vectors, uint32_t fpcr)
{
	memcpy(s->vector, vectors, sizeof(s->vector));
	s->fpcr = fpcr;
}

static void forget_vectors(struct isa_state *s)
{
	memset(s->vector, 0, sizeof(s->vector));
	memset(s->vector_known, 0, sizeof(s->vector_known));
	s->fpcr = 0;
	s->fpcr_known = false;
}

/* The records of a frame: FPSIMD has the low 128 bits of the vectors, and comes first always; SVE
 * tells how long they are. */
static void load_records(struct isa_state *s, const uint8_t *at, const uint8_t *end)
{
	bool found = false;

	while (at + sizeof(struct _aarch64_ctx) <= end) {
		struct _aarch64_ctx head;

		memcpy(&head, at, sizeof(head));
		if (!head.magic || head.size < sizeof(head) || head.size > (size_t)(end - at))
			break;
		if (head.magic == FPSIMD_MAGIC && head.size >= sizeof(struct fpsimd_context)) {
			const struct fpsimd_context *f = (const void *)at;

			load_vectors(s, f->vregs, f->fpcr);
			found = true;
		} else if (head.magic == SVE_MAGIC && head.size >= sizeof(struct sve_context)) {
			s->sve_bytes = ((const struct sve_context *)(const void *)at)->vl;
		}
		at += head.size;
	}
	if (!found)
		forget_vectors(s);
}

void isa_state_load_context(struct isa_state *s, const void *ucontext)
{
	const mcontext_t *from = &((const ucontext_t *)ucontext)->uc_mcontext;
	const uint8_t *records = (const uint8_t *)from->__reserved;

	aarch64_state_start(s);
	memcpy(s->gpr, from->regs, sizeof(from->regs));
	s->gpr[AARCH64_SP] = from->sp;
	s->pc = from->pc;
	s->flags = from->pstate >> AARCH64_PSTATE_SHIFT & AARCH64_NZCV;
	s->thread_pointer = own_thread_pointer();
	load_machine(s);
	load_records(s, records, records + sizeof(from->__reserved));
	/* the handler runs with the program's FPCR */
	s->computes_floats = s->fpcr_known && !s->fpcr;
	aarch64_state_find_pointer_bits(s);
}

uint64_t isa_state_context_pc(const void *ucontext)
{
	return ((const ucontext_t *)ucontext)->uc_mcontext.pc;
}

bool isa_state_context_is_behind_system_call(const void *ucontext)
{
	(void)ucontext;
	return false;
}

/* No flag of the program's: the kernel keeps single steps to itself. */
bool isa_state_context_traps(const void *ucontext)
{
	(void)ucontext;
	return false;
}

void isa_state_load_ptrace(struct isa_state *s, const struct isa_registers *registers,
			   const void *vectors, size_t vector_bytes)
{
	struct user_fpsimd_state f;

	aarch64_state_start(s);
	memcpy(s->gpr, registers->x, sizeof(registers->x));
	s->gpr[AARCH64_SP] = registers->sp;
	s->pc = registers->pc;
	s->flags = registers->pstate >> AARCH64_PSTATE_SHIFT & AARCH64_NZCV;
	s->thread_pointer = registers->thread_pointer;
	s->sve_bytes = (uint16_t)registers->sve_bytes;
	load_machine(s);
	if (vectors && vector_bytes >= offsetof(struct user_fpsimd_state, fpcr) + 4) {
		memcpy(&f, vectors, vector_bytes < sizeof(f) ? vector_bytes : sizeof(f));
		load_vectors(s, f.vregs, f.fpcr);
	} else {
		forget_vectors(s);
	}
	aarch64_state_find_pointer_bits(s);
}
