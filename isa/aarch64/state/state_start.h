/* SPDX-License-Identifier: MIT */
/* How a state begins, for those that fill it: state.c, state_context.c. */
#ifndef ISA_AARCH64_STATE_STATE_START_H
#define ISA_AARCH64_STATE_STATE_START_H

#include "isa/evaluate.h"

/* Everything known, nothing written. */
void aarch64_state_start(struct isa_state *s);
/* How long a pointer is without its authentication code, by where the stack is. */
void aarch64_state_find_pointer_bits(struct isa_state *s);

#endif
