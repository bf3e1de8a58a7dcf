/* SPDX-License-Identifier: MIT */
#include "report/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* Names that a person could read are shorter; by substitutions a name of some hundred bytes can
 * stand for gigabytes. */
#define DEMANGLED_BYTES_MOST 16384

#define ELLIPSIS "..."

struct demangled {
	char *text;
	size_t length, capacity;
	jmp_buf too_long; /* libiberty has no other way out; of C++ names it holds no memory */
};

/* No more than the limit; the rest is not worth waiting for. */
static void append(const char *part, size_t bytes, void *context)
{
	struct demangled *d = context;

	if (bytes >= DEMANGLED_BYTES_MOST - d->length)
		longjmp(d->too_long, 1);
	if (d->length + bytes + 1 > d->capacity) {
		size_t capacity = 2 * (d->length + bytes + 1);
		char *more = memory_resize_array(d->text, capacity, 1);

		if (!more)
			longjmp(d->too_long, 1);
		d->text = more;
		d->capacity = capacity;
	}
	memcpy(d->text + d->length, part, bytes);
	d->length += bytes;
	d->text[d->length] = '\0';
}

/* Rust's legacy names are C++ names with a hash at their end. */
static bool demangle(const char *name, int options, struct demangled *d)
{
	if (setjmp(d->too_long))
		return false;
	if (rust_demangle_callback(name, options, append, d))
		return true;
	d->length = 0;
	return cplus_demangle_v3_callback(name, options, append, d);
}

char *demangle_name(const char *name, bool arguments)
{
	int options = arguments ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS;
	struct demangled d = {0};

	if (name[0] == '_' && (name[1] == 'Z' || name[1] == 'R') && demangle(name, options, &d) &&
	    d.length)
		return d.text;
	memory_free(d.text);
	return NULL;
}

static const char name_bytes[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "0123456789_.$";

/* @text with [at, at + length) replaced. */
static char *replace(const char *text, size_t at, size_t length, const char *by)
{
	const char *tail = text + at + length;
	size_t size = at + strlen(by) + strlen(tail) + 1;
	char *result = memory_alloc(size);

	if (result)
		snprintf(result, size, "%.*s%s%s", (int)at, text, by, tail);
	return result;
}

char *demangle_text(const char *text)
{
	char *result = NULL;

	for (size_t at = 0; text[at];) {
		size_t length = strspn(text + at, name_bytes);
		char word[4096], *name, *replaced;

		if (!length || length >= sizeof(word)) {
			at += length ? length : 1;
			continue;
		}
		memcpy(word, text + at, length);
		word[length] = '\0';
		name = demangle_name(word, true);
		replaced = name ? replace(text, at, length, name) : NULL;
		at += replaced ? strlen(name) : length;
		memory_free(name);
		if (!replaced)
			continue;
		memory_free(result);
		text = result = replaced;
	}
	return result;
}

static bool same_but_blanks(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += strspn(a, " ");
		b += strspn(b, " ");
		if (*a != *b)
			return false;
		if (!*a)
			return true;
	}
}

bool demangle_is(const char *mangled, const char *name)
{
	char *whole = demangle_name(mangled, true),
	     *bare = whole ? demangle_name(mangled, false) : NULL;
	bool is = !strcmp(mangled, name) || (whole && same_but_blanks(whole, name)) ||
		  (bare && same_but_blanks(bare, name));

	memory_free(whole);
	memory_free(bare);
	return is;
}

static bool is_inside_character(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

const char *demangle_shorten(const char *text, size_t width, char *room)
{
	size_t length = strlen(text), dots = strlen(ELLIPSIS), head, tail;

	if (length <= width)
		return text;
	if (width <= dots) {
		memset(room, '.', width);
		room[width] = '\0';
		return room;
	}
	head = (width - dots + 1) / 2;
	tail = width - dots - head;
	while (head && is_inside_character(text[head]))
		head--;
	while (tail && is_inside_character(text[length - tail]))
		tail--;
	memcpy(room, text, head);
	memcpy(room + head, ELLIPSIS, dots);
	memcpy(room + head + dots, text + length - tail, tail + 1);
	return room;
}
