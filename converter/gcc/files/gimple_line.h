/* SPDX-License-Identifier: MIT */
/*
 * One line of a statement in gcc's dumps of its GIMPLE form, printed with -lineno: "  [a.c:3:5] x_1
 * = f (2);". What is looked at was read in dumps of gcc 11 and 12, and in gimple-pretty-print.cc
 * and tree-pretty-print.c of gcc's later sources.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Borrowed from the dump, without an end of its own. */
struct gimple_text {
	const char *at;
	size_t length;
};

struct gimple_place {
	struct gimple_text file;
	uint32_t line, column;
	uint32_t discriminator; /* gcc 13 on has it here, "[a.c:3:5 discrim 2]" */
};

struct gimple_line {
	bool has_place;
	struct gimple_place place; /* the statement's own, else the first operand's that has one */
	bool condition;		   /* an `if` or a `switch` */
	bool computed_goto;
	bool call;
	struct gimple_text callee; /* of a call; empty: by a pointer for certain */
	bool open;		   /* text of an `asm` goes on in the next line */
	struct gimple_text text;   /* the statement without its own place */
};

/* The line from @at to @end, without its newline. False where it is no statement: a variable's new
 * value for the debugger, a PHI, a prediction. */
bool gimple_line_parse(struct gimple_line *l, const char *at, const char *end);
/* "# i_1 = PHI <0(2), i_5(4)>": a value that comes from one of two blocks. */
struct gimple_phi {
	struct gimple_text name;
	struct gimple_text values[2];
	uint32_t blocks[2];
};

/* True if the line from @at to @end is a PHI of two values, each a name or a number. */
bool gimple_line_parse_phi(struct gimple_phi *p, const char *at, const char *end);
/* The names and numbers around the operator of "x_1 = y_2 + 3;" and "if (x_1 != 4)": what is left
 * and right of @operation, which is " + " for the first. True if the text is of that form. */
struct gimple_operation {
	struct gimple_text result; /* empty for a condition */
	struct gimple_text left, operation, right;
};
bool gimple_line_parse_operation(struct gimple_operation *o, struct gimple_text statement);
/* An integer; false for all else. Unsigned -1 of 32 and 64 bits are -1. */
bool gimple_line_integer(struct gimple_text t, int64_t *out);

/* Is this how an SSA name is written, "name_3"? A function may have such a name, too. */
bool gimple_line_may_be_ssa(struct gimple_text name);
/* The number at *at, which is moved behind it; false without one, or if it is too large. */
bool gimple_line_number(const char **at, const char *end, uint32_t *out);
