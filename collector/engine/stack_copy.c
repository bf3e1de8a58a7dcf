/* SPDX-License-Identifier: MIT */
#include "collector/engine/stack_copy.h"

void stack_copy_take(struct stack_copy *c, const struct isa_state *s, struct memory_reader *r)
{
	size_t copied = memory_reader_copy(r, isa_state_stack_pointer(s), c->stack, c->most);

	isa_state_unwind_registers(s, c->registers);
	c->bytes = (uint32_t)copied & ~7u;
}
