/* SPDX-License-Identifier: MIT */
/* Pushing and popping a value: for calls and returns too. */
#ifndef ISA_X86_64_INTEGER_STACK_H
#define ISA_X86_64_INTEGER_STACK_H

#include "isa/x86_64/operand.h"

/* False with the cause in the state, which is as before. */
bool x86_stack_push_value(struct isa_state *s, unsigned bytes, struct isa_value v);
struct isa_value x86_stack_pop_value(struct isa_state *s, const struct isa_memory *m,
				     unsigned bytes);

#endif
