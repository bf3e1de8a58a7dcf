/* SPDX-License-Identifier: MIT */
#include "converter/update/c_tokens.h"

#include <ctype.h>

#include "base/hash.h"

#define RAW_DELIMITER_MOST 16 /* of a raw string, by the standard */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static char peek(const struct c_token_reader *r, size_t ahead)
{
	return text_length(r->rest) > ahead ? r->rest.at[ahead] : '\0';
}

/* One byte on. A directive ends with its line, unless that ends in a backslash. */
static void skip_byte(struct c_token_reader *r)
{
	char c = *r->rest.at++;

	if (c != '\n')
		return;
	r->line++;
	r->inside = false;
	r->directive = false;
}

static bool take_continuation(struct c_token_reader *r)
{
	size_t length = peek(r, 1) == '\r' ? 3 : 2;

	if (peek(r, 0) != '\\' || peek(r, length - 1) != '\n')
		return false;
	r->rest.at += length;
	r->line++;
	r->inside = false;
	return true;
}

static bool take_comment(struct c_token_reader *r)
{
	if (peek(r, 0) != '/' || (peek(r, 1) != '/' && peek(r, 1) != '*'))
		return false;
	if (peek(r, 1) == '/') {
		while (text_length(r->rest) && *r->rest.at != '\n')
			if (!take_continuation(r))
				r->rest.at++;
		return true;
	}
	r->rest.at += 2;
	while (text_length(r->rest) && !(peek(r, 0) == '*' && peek(r, 1) == '/'))
		skip_byte(r);
	r->rest.at += text_length(r->rest) ? 2 : 0;
	return true;
}

/* What is between tokens. */
static void skip_space(struct c_token_reader *r)
{
	while (text_length(r->rest)) {
		if (take_continuation(r) || take_comment(r))
			continue;
		if (!isspace((unsigned char)*r->rest.at))
			return;
		skip_byte(r);
	}
}

/* From the opening quote to the closing one, or to the end of the line. */
static void take_quoted(struct c_token_reader *r)
{
	char quote = *r->rest.at++;

	while (text_length(r->rest) && *r->rest.at != quote && *r->rest.at != '\n') {
		if (take_continuation(r))
			continue;
		if (*r->rest.at == '\\' && text_length(r->rest) > 1)
			r->rest.at++;
		r->rest.at++;
	}
	if (text_length(r->rest) && *r->rest.at == quote)
		r->rest.at++;
}

/* R"delimiter( ... )delimiter" from its quote on; false if it is none. */
static bool take_raw(struct c_token_reader *r)
{
	const char *begin = r->rest.at + 1;
	size_t length = 0, most = text_length(r->rest) - 1;

	while (length < most && length <= RAW_DELIMITER_MOST && begin[length] != '(')
		length++;
	if (length == most || length > RAW_DELIMITER_MOST)
		return false;
	for (r->rest.at += length + 2; text_length(r->rest); skip_byte(r))
		if (*r->rest.at == ')' && text_length(r->rest) > length + 1 &&
		    !memcmp(r->rest.at + 1, begin, length) && r->rest.at[length + 1] == '"') {
			r->rest.at += length + 2;
			break;
		}
	return true;
}

static bool ends_raw(struct text word)
{
	return text_length(word) <= 3 && text_length(word) && word.end[-1] == 'R';
}

static enum c_token_kind take_token(struct c_token_reader *r)
{
	struct text word = r->rest;
	char c = *r->rest.at;

	if (isdigit((unsigned char)c)) {
		while (is_word(peek(r, 0)) || peek(r, 0) == '.' ||
		       (peek(r, 0) == '\'' && is_word(peek(r, 1))))
			r->rest.at++;
		return C_TOKEN_NUMBER;
	}
	if (is_word(c)) {
		while (is_word(peek(r, 0)))
			r->rest.at++;
		word.end = r->rest.at;
		if (peek(r, 0) == '"' && ends_raw(word) && take_raw(r))
			return C_TOKEN_STRING;
		return C_TOKEN_WORD;
	}
	if (c == '"' || c == '\'') {
		take_quoted(r);
		return C_TOKEN_STRING;
	}
	r->rest.at += c == ':' && peek(r, 1) == ':' ? 2 : 1;
	return C_TOKEN_MARK;
}

bool c_token_next(struct c_token_reader *r, struct c_token *out)
{
	skip_space(r);
	if (!text_length(r->rest))
		return false;
	r->directive |= !r->inside && *r->rest.at == '#';
	*out = (struct c_token){
		.text = r->rest, .line = r->line, .directive = r->directive, .first = !r->inside};
	r->inside = true;
	out->kind = take_token(r);
	out->text.end = r->rest.at;
	return true;
}

bool c_token_is(const struct c_token *t, const char *text)
{
	size_t length = strlen(text);

	return text_length(t->text) == length && !memcmp(t->text.at, text, length);
}

uint64_t c_token_hash(const struct c_token *t)
{
	return hash_on(HASH_OF_NOTHING, t->text.at, text_length(t->text));
}
