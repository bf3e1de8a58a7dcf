/* SPDX-License-Identifier: MIT */
/*
 * In which order a compiler should place the blocks of functions, and a linker the functions.
 */
#pragma once

#include <stdbool.h>
#include <string.h>

#include "base/strings.h"
#include "formats/model/function_graph.h"

struct laid_function {
	uint32_t name, names; /* of its symbols in block_layout.names: the first one, how many */
	const char *module;   /* its source file as the compiler was told; NULL: names will do */
	uint32_t id, ids;     /* of its hot blocks in block_layout.ids, in order, the entry first */
	bool has_cold;	      /* blocks that are not among them */
};

struct block_layout {
	VECTOR(struct laid_function) functions;
	VECTOR(const char *) names; /* borrowed from the binary */
	struct strings *modules;    /* owns those of the functions */
	VECTOR(uint32_t) ids;
	struct function_graph graph; /* of the same functions; sizes are of their hot blocks */
};

/* Can a compiler be told a function by that name? */
static inline bool block_layout_takes_name(const char *name)
{
	return *name && *name != '!' && *name != '@' && !name[strcspn(name, " \t\r\n#/")];
}

/* Start zeroed; frees. */
static inline void block_layout_deinit(struct block_layout *l)
{
	vector_deinit(&l->functions);
	vector_deinit(&l->names);
	strings_free(l->modules);
	l->modules = NULL;
	vector_deinit(&l->ids);
	function_graph_deinit(&l->graph);
}
