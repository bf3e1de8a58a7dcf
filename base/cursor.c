/* SPDX-License-Identifier: MIT */
#include "base/cursor.h"

#include <endian.h>
#include <string.h>

void cursor_init(struct cursor *c, const void *data, size_t size, bool big_endian)
{
	*c = (struct cursor){.data = data, .size = size, .big_endian = big_endian};
}

size_t cursor_left(const struct cursor *c)
{
	return c->failed ? 0 : c->size - c->at;
}

const void *cursor_bytes(struct cursor *c, size_t n)
{
	const uint8_t *p;

	if (c->failed || n > c->size - c->at) {
		c->failed = true;
		return NULL;
	}
	p = c->data + c->at;
	c->at += n;
	return p;
}

bool cursor_skip(struct cursor *c, size_t n)
{
	return cursor_bytes(c, n) != NULL;
}

uint8_t cursor_u8(struct cursor *c)
{
	const uint8_t *p = cursor_bytes(c, 1);

	return p ? *p : 0;
}

uint16_t cursor_u16(struct cursor *c)
{
	const void *p = cursor_bytes(c, 2);
	uint16_t v = 0;

	if (p)
		memcpy(&v, p, 2);
	return c->big_endian ? be16toh(v) : le16toh(v);
}

uint32_t cursor_u32(struct cursor *c)
{
	const void *p = cursor_bytes(c, 4);
	uint32_t v = 0;

	if (p)
		memcpy(&v, p, 4);
	return c->big_endian ? be32toh(v) : le32toh(v);
}

uint64_t cursor_u64(struct cursor *c)
{
	const void *p = cursor_bytes(c, 8);
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, 8);
	return c->big_endian ? be64toh(v) : le64toh(v);
}

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
