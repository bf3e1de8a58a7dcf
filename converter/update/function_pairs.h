/* SPDX-License-Identifier: MIT */
/*
 * What became of the functions of older sources in newer ones: found again by name, in the same
 * file or another, or by what is in it. Functions are found in the sources by the names that
 * profiles have; where debug information of a build says where they are declared, by that.
 */
#pragma once

#include "base/map.h"
#include "converter/debuginfo/declarations.h"
#include "converter/update/line_map.h"
#include "converter/update/source_tree.h"

enum update_kind {
	UPDATE_SAME,
	UPDATE_MOVED, /* to other lines of the function, or to another file */
	UPDATE_RENAMED,
	UPDATE_LOST,
	UPDATE_OUTSIDE, /* not in the older sources: kept as it is */
	UPDATE_KINDS
};

/* One of the two versions of the sources. */
struct function_side {
	struct source_tree tree;
	struct declarations declared; /* by a build's debug information; empty without one */
	VECTOR(uint32_t) by_plain;    /* numbers of functions, ascending by their plain names */
	function_bodies bodies;
};

struct function_pair {
	enum update_kind kind;
	bool other_parameters; /* lost for these alone: the new name is not known */
	bool same_text;
	const struct c_function *before, *after; /* NULL where there is none */
	uint32_t before_line, after_line;	 /* of the declarations */
	uint32_t name;				 /* as the newer program calls it, in the strings */
	struct line_map map;
};

struct function_pairs {
	struct strings *strings; /* of all names */
	struct function_side before, after;
	/* A linkage name as its source has it, without template arguments being a must; with
	 * parameters or without; to be freed with memory_free; NULL: it is none. */
	char *(*demangle)(const char *name, bool arguments);
	struct map known; /* (name, 0) -> n = number in pairs + 1 */
	VECTOR(struct function_pair *) pairs;
	VECTOR(uint32_t) new_names; /* functions of the newer sources whose names are new */
	bool new_names_listed;
	struct map taken; /* (number of such a function + 1, 0): it was found by its body */
};

/* What a profile knows of a function besides its name. */
struct function_hint {
	const char *file; /* base name; "" = not known */
	uint32_t reach;	  /* the greatest line in it, from its declaration on */
};

/* Call when both trees were read. 0, or -1 without memory. */
int function_pairs_init(struct function_pairs *p);
void function_pairs_deinit(struct function_pairs *p);
/* The pair of the function that a profile calls @name; valid until function_pairs_deinit. NULL
 * without memory. */
struct function_pair *function_pairs_find(struct function_pairs *p, const char *name,
					  struct function_hint hint);
/* The line where the pair's newer text has what was at @line of the older one; 0 if it is gone. */
uint32_t function_pair_line(const struct function_pair *pair, uint32_t line);
/* The only line of the newer function with the word @word; 0 if there is none, or several, or
 * without memory. */
uint32_t function_pairs_line_with(struct function_pairs *p, const struct function_pair *pair,
				  const char *word);
