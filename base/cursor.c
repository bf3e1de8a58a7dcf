/* SPDX-License-Identifier: MIT */
#include "base/cursor.h"

static uint64_t leb128(struct cursor *c, unsigned *bits, uint8_t *last)
{
	uint64_t v = 0;

	*bits = 0;
	do {
		*last = cursor_u8(c);
		if (*bits < 64)
			v |= (uint64_t)(*last & 0x7f) << *bits;
		*bits += *bits < 64 ? 7 : 0;
	} while (*last & 0x80);
	return v;
}

uint64_t cursor_uleb128(struct cursor *c)
{
	unsigned bits;
	uint8_t last;

	return leb128(c, &bits, &last);
}

int64_t cursor_sleb128(struct cursor *c)
{
	unsigned bits;
	uint8_t last;
	uint64_t v = leb128(c, &bits, &last);

	if (last & 0x40 && bits < 64)
		v |= UINT64_MAX << bits;
	return (int64_t)v;
}

const char *cursor_string_field(struct cursor *c, size_t field)
{
	const char *p = cursor_bytes(c, field);

	return p && memchr(p, 0, field) ? p : NULL;
}

const char *cursor_string(struct cursor *c)
{
	const uint8_t *p = cursor_left(c) ? c->data + c->at : NULL;
	const uint8_t *end = p ? memchr(p, 0, cursor_left(c)) : NULL;

	if (!end) {
		c->failed = true;
		return NULL;
	}
	return cursor_bytes(c, (size_t)(end - p) + 1);
}
