/* SPDX-License-Identifier: MIT */
/*
 * The stack of a thread at the moment where its trace begins, from the stack pointer on, with the
 * registers: what unwinding needs (record --stack-copy). The program may change it before the trace
 * is complete, so it is copied first. Runs in signal handlers.
 */
#pragma once

#include "collector/engine/memory_reader.h"
#include "isa/evaluate.h"
#include "isa/host.h"

struct stack_copy {
	uint64_t registers[ISA_HOST_UNWIND_REGISTERS]; /* isa_state_unwind_registers */
	uint32_t most;				       /* bytes; the owner's to set */
	uint32_t bytes;				       /* that are there, a multiple of 8 */
	uint8_t *stack;				       /* room for @most: the owner's to lend */
};

/* Copy the stack of a thread, whose state was just loaded, by the reader of its memory: as much of
 * it as is there. */
static inline void stack_copy_take(struct stack_copy *c, const struct isa_state *s,
				   struct memory_reader *r)
{
	size_t copied = memory_reader_copy(r, isa_state_stack_pointer(s), c->stack, c->most);

	isa_state_unwind_registers(s, c->registers);
	c->bytes = (uint32_t)copied & ~7u;
}
