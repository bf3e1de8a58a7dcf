/* SPDX-License-Identifier: MIT */
/*
 * Which functions a text of C or C++ defines, and on which lines: by its brackets, without
 * preprocessing or types. Of alternatives (#if) all functions are found, and one that is begun in
 * both is the first's. What macros make of their arguments is not found, nor are functions inside
 * of functions.
 */
#pragma once

#include "base/strings.h"
#include "base/text.h"
#include "base/vector.h"

struct c_function {
	uint32_t file;	/* the caller's number */
	uint32_t name;	/* in the strings: "leveldb::Table::Open", template arguments left out */
	uint32_t plain; /* what is behind the last "::" */
	uint64_t parameters; /* hash of their types; equal if they are written alike */
	uint32_t parameter_count;
	uint32_t name_line; /* where debug information says that it is declared */
	uint32_t begin_line, end_line;
	struct text text;      /* from its first token to the closing brace */
	struct text name_text; /* the last word of its name, there */
};

struct c_functions {
	VECTOR(struct c_function) list; /* in the order of their texts */
};

/* Add those of @text, which they borrow, to @out. 0, or -1 without memory. */
int c_functions_read(struct c_functions *out, struct text text, uint32_t file,
		     struct strings *strings);
void c_functions_deinit(struct c_functions *f);
