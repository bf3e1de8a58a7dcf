/* SPDX-License-Identifier: MIT */
/* The callers of a copied stack, by the files of its process that can be found here. */
#ifndef REPORT_VIEWS_STACK_CALLERS_H
#define REPORT_VIEWS_STACK_CALLERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"
#include "converter/dwarf/unwinder.h"
#include "converter/elf/module_search.h"
#include "converter/samples/branch_stacks.h"
#include "converter/samples/modules.h"
#include "report/views/view.h"

/* Deeper stacks are not followed to their end. */
#define STACK_CALLERS_MOST 4096u

/* A module's file, once it was looked for. */
struct stack_callers_file {
	bool sought;
	struct module_file found;
};

struct stack_callers {
	const struct view *view;
	const struct modules *modules;
	/* Processes come one after the other mostly: the unwinder of the last one's space. */
	const struct address_space *space;
	struct unwinder *unwinder;
	VECTOR(struct stack_callers_file) files; /* by module */
	uint64_t calls[STACK_CALLERS_MOST];	 /* of the stack at hand */
	bool whole;				 /* they are all of them */
};

/* @modules are those of the spaces that stacks are in. 0, or -1 without memory. */
int stack_callers_init(struct stack_callers *c, const struct view *v,
		       const struct modules *modules);
void stack_callers_deinit(struct stack_callers *c);
/* Fill calls as unwinder_calls does, and `whole`; returns how many. */
size_t stack_callers_find(struct stack_callers *c, const struct stack_sample *stack);

#endif
