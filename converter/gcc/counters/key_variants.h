/* SPDX-License-Identifier: MIT */
/*
 * Objects that are compiled of one source in several ways, as libtool does for a shared library and
 * its archive. Which of them is in a program can't be told by what is in it; their graphs may
 * differ (what may be interposed is not inlined early). So each way is a key index of its own: the
 * counters are made by all of them, of the same branches.
 */
#pragma once

#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"
#include "converter/gcc/files/gcc_graph.h"

struct key_variant {
	char *source;		    /* what its object's name ends with: "jv" of "src/.libs/jv" */
	VECTOR(uint64_t) functions; /* hashes of name, file and line; ascending */
	uint64_t graphs;	    /* a hash of their checksums, too */
	uint32_t number;	    /* how many of the source came before it, other ones */
	uint32_t first;		    /* object of the source; itself */
	uint32_t most;		    /* number of that source, of the first one */
	uint32_t before;	    /* object whose name ends likewise, + 1; 0 = none */
};

/* Start zeroed. */
struct key_variants {
	VECTOR(struct key_variant) objects; /* by number */
	struct map by_source;		    /* (hash, 0) -> n = the last object + 1 */
	uint32_t most;			    /* number */
};

void key_variants_deinit(struct key_variants *v);
/* Add the next object, @name as in struct key_object. 0, or -1 without memory. */
int key_variants_add(struct key_variants *v, const char *name, const struct gcc_graph *g);
/* Is the object in key index @number? All that are before it have to be added; for a number that is
 * not 0, all. */
bool key_variants_is_in(const struct key_variants *v, uint32_t object, uint32_t number);
