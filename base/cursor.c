/* SPDX-License-Identifier: MIT */
#include "base/cursor.h"

const char *cursor_string_field(struct cursor *c, size_t field)
{
	const char *p = cursor_bytes(c, field);

	return p && memchr(p, 0, field) ? p : NULL;
}

const char *cursor_string(struct cursor *c)
{
	const uint8_t *p = c->data + c->at, *end;

	end = cursor_left(c) ? memchr(p, 0, cursor_left(c)) : NULL;
	if (!end) {
		c->failed = true;
		return NULL;
	}
	return cursor_bytes(c, (size_t)(end - p) + 1);
}
