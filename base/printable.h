/* SPDX-License-Identifier: MIT */
/*
 * Names that somebody else chose, on a terminal: functions, modules, files. Escape sequences, line
 * feeds and other control characters (ISO 6429: C0, DEL, and C1 as UTF-8) become "?".
 */
#pragma once

#include <limits.h>
#include <stdio.h>

struct printable {
	char text[PATH_MAX];
};

/* Print @text so, or its first bytes. */
void printable_put(FILE *stream, const char *text);
void printable_put_bytes(FILE *stream, const char *text, size_t bytes);
/* Make @text so, in place. */
void printable_make(char *text);
/* @text so, in @room, cut off where that ends. */
const char *printable_of(struct printable *room, const char *text);
/* The same for an argument of printf, valid until the block ends. */
#define PRINTABLE(text) printable_of(&(struct printable){{0}}, (text))
