/* SPDX-License-Identifier: MIT */
/*
 * The tokens of C and C++ source text, comments left out: as much as is needed to find functions
 * and to compare lines. Any bytes will do; what is no token of C is one of a single byte.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum c_token_kind { C_TOKEN_WORD, C_TOKEN_NUMBER, C_TOKEN_STRING, C_TOKEN_MARK };

struct c_token {
	struct text text;
	uint32_t line; /* where it begins, from the reader's first line on */
	enum c_token_kind kind;
	bool directive; /* of a preprocessor directive */
	bool first;	/* on its line */
};

/* Begin with rest = the text, line = the number of its first line. */
struct c_token_reader {
	struct text rest;
	uint32_t line;
	bool directive, inside; /* inside: a token of this line was read */
};

/* False at the end. */
bool c_token_next(struct c_token_reader *r, struct c_token *out);
bool c_token_is(const struct c_token *t, const char *text);
/* Equal for equal tokens. */
uint64_t c_token_hash(const struct c_token *t);
