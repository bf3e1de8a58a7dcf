/* SPDX-License-Identifier: MIT */
/*
 * A function's text as two versions of it are compared: line by line and as a whole, by its tokens,
 * so that comments and white space count for nothing.
 */
#pragma once

#include "converter/update/c_functions.h"

struct body_line {
	uint64_t hash;	 /* of its tokens; 0 if it has none */
	uint32_t tokens; /* where those begin in the body's that tell something, ascending */
	uint32_t count;
};

struct function_body {
	uint32_t first_line;
	VECTOR(struct body_line) lines;
	VECTOR(uint64_t) tokens; /* hashes, by line */
	VECTOR(uint64_t) sorted; /* all of them, without the function's name */
	VECTOR(uint64_t) calls;	 /* ascending: of words in front of a parenthesis */
};

/* @out is zeroed. 0, or -1 without memory. */
int function_body_read(struct function_body *out, const struct c_function *f);
/* Or of another making: add a token to a line, the lines in ascending order, and sort at the end.
 * @calls: it names a function that is called. 0, or -1 without memory. */
int function_body_add(struct function_body *b, uint32_t line, uint64_t token, bool calls);
void function_body_sort(struct function_body *b);
void function_body_deinit(struct function_body *b);

/* By a function's number; NULL: not asked for yet. */
typedef VECTOR(struct function_body *) function_bodies;

void function_bodies_deinit(function_bodies *bodies);
/* Free one, which may be NULL, and make it that. */
void function_bodies_drop(struct function_body **slot);

/* How much alike two are, in [0,1]: common ones of their tokens and calls (Dice's coefficient). */
double function_body_likeness(const struct function_body *a, const struct function_body *b);
/* The same of two lines. */
double function_body_line_likeness(const struct function_body *a, const struct body_line *x,
				   const struct function_body *b, const struct body_line *y);
/* The number of the only line with that token; 0 if there is none, or several. */
uint32_t function_body_line_with(const struct function_body *b, uint64_t token);
