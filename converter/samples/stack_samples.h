/* SPDX-License-Identifier: MIT */
/*
 * Stacks that softlbr copied where a trace begins (record --stack-copy): of each thread the last
 * one, until the trace that belongs to it comes.
 */
#ifndef CONVERTER_SAMPLES_STACK_SAMPLES_H
#define CONVERTER_SAMPLES_STACK_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"
#include "formats/perfdata.h"

struct address_space;

struct stack_sample {
	const struct address_space *space; /* where its addresses mean something */
	uint64_t time;			   /* that of its trace, too */
	uint64_t register_mask;
	uint64_t registers[64]; /* as in struct perfdata_sample */
	VECTOR(uint8_t) stack;	/* from the stack pointer on */
};

struct stack_samples {
	VECTOR(struct stack_sample) items;
	struct map threads; /* (tid, 0) -> n = number of the item + 1 */
};

/* Start zeroed; frees. */
void stack_samples_deinit(struct stack_samples *s);
/* Take note of a thread's; that of its trace before is gone. 0, or -1 without memory. */
int stack_samples_add(struct stack_samples *s, const struct address_space *space,
		      const struct perfdata_record *record);
/* That of the thread's trace which began at @time, until the next is added; or NULL. */
const struct stack_sample *stack_samples_find(const struct stack_samples *s, uint32_t tid,
					      uint64_t time);

#endif
