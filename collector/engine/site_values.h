/* SPDX-License-Identifier: MIT */
/*
 * Values that look-ahead sees on its way along a trace (docs/values.md): the arguments of a call
 * and its target, the divisor of a division.
 */
#pragma once

#include "collector/engine/reservoir.h"
#include "isa/evaluate.h"
#include "isa/host.h"

#define SITE_VALUES_MOST 1024u
/* Do recordings have a form for this CPU's registers? */
#define SITE_VALUES_ARE_RECORDED ISA_HOST_HAS_VALUES

struct site_value {
	uint64_t site;	/* address of the instruction */
	uint64_t value; /* of a call or jump its target, of a division its divisor */
	bool has_arguments;
	uint64_t arguments[ISA_ARGUMENTS];
};

/* Zeroed, with room in @items for @kept.most, it is ready. */
struct site_values {
	struct site_value *items;
	struct reservoir kept;
	uint64_t jump; /* the last taken branch, if it was a direct jump; else 0 */
};

/* A trace begins. */
void site_values_begin(struct site_values *v);
/*
 * The branch @r at @from was taken, to @s's pc; @before: where the one before it went. Of interest
 * are calls, and jumps that may end a function with a call: to a PLT stub, or indirect ones.
 */
void site_values_branch(struct site_values *v, const struct isa_record *r, uint64_t from,
			uint64_t before, const struct isa_state *s);
/* The division @r at the state's pc is to be evaluated: its divisor, if it is known. */
void site_values_division(struct site_values *v, const struct isa_record *r, struct isa_state *s,
			  const struct isa_memory *m);
