/* SPDX-License-Identifier: MIT */
/*
 * Counters for gcc (.gcda files) of an older build for a newer one. gcc looks a function's counters
 * up by a number, which for static functions is made of the line that they stand on, and takes them
 * if the function's control-flow graph is the same. The keys of both builds say which numbers
 * functions had and have.
 */
#pragma once

#include "converter/gcc/files/counter_keys.h"
#include "converter/update/source_update.h"

struct counter_update {
	struct counter_keys before, after;
	struct strings *names;
	struct map functions; /* (name, object's name + 1; 0: of any object) -> n = object + 1, m */
	struct map idents;    /* (older ident, 0) -> n = newer ident + 1 */
	struct update_funnel funnel;
	VECTOR(struct update_loss) losses; /* by falling weight; names are the older keys' */
};

/*
 * Make @to (uninitialised) of @from: the functions of the keys @before as those of the keys @after
 * are called and numbered. A function is found by its name in the object of the same name, or in
 * another; or, if its name is gone, it is the only one of its object with a new name and the same
 * graph. @u is zeroed, ended with counter_update_deinit also on failure; @before may be NULL, as
 * counter_keys_open has it. 0 or a negative code.
 */
int counter_update_make(struct counter_update *u, const struct counter_directory *from,
			const char *before, const char *after, struct counter_directory *to,
			struct softlbr_error *e);
void counter_update_deinit(struct counter_update *u);
