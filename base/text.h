/* SPDX-License-Identifier: MIT */
/*
 * A part of a text that somebody else owns, without an end of its own: a line, or what is left of
 * it. Readers of text formats take one thing after the other from its front.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text {
	const char *at, *end;
};

static inline size_t text_length(struct text t)
{
	return (size_t)(t.end - t.at);
}

static inline bool text_begins(struct text t, const char *with)
{
	size_t length = strlen(with);

	return text_length(t) >= length && !memcmp(t.at, with, length);
}

/* Take @what, if the text begins with that. */
static inline bool text_take(struct text *t, const char *what)
{
	if (!text_begins(*t, what))
		return false;
	t->at += strlen(what);
	return true;
}

/* Skip the characters at the front that are in @set. */
static inline void text_skip(struct text *t, const char *set)
{
	for (; t->at < t->end; t->at++) {
		const char *c = set;

		while (*c && *c != *t->at)
			c++;
		if (!*c)
			return;
	}
}

/* Where @what is, or NULL. */
static inline const char *text_find(struct text t, const char *what)
{
	return memmem(t.at, text_length(t), what, strlen(what));
}

/* Take the next line of @rest, without its line feed. False at the end. */
static inline bool text_take_line(struct text *rest, struct text *line)
{
	const char *newline;

	if (rest->at == rest->end)
		return false;
	newline = memchr(rest->at, '\n', text_length(*rest));
	*line = (struct text){rest->at, newline ? newline : rest->end};
	rest->at = newline ? newline + 1 : rest->end;
	return true;
}

/* Was the line that was taken last from @rest cut off: has it no line feed? */
static inline bool text_is_cut(struct text rest, struct text line)
{
	return line.end == rest.end;
}

/* The value of a digit up to 16; 16 for what is none. */
static inline unsigned text_digit(char c)
{
	char low = (char)(c | 32);

	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	return low >= 'a' && low <= 'f' ? (unsigned)(low - 'a' + 10) : 16;
}

/* Take a number of digits alone. False if there are none, or too many for 64 bits. */
static inline bool text_take_number(struct text *t, unsigned base, uint64_t *out)
{
	const char *begin = t->at;
	uint64_t value = 0;

	for (; t->at < t->end; t->at++) {
		unsigned digit = text_digit(*t->at);

		if (digit >= base)
			break;
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return false;
	}
	*out = value;
	return t->at > begin;
}
