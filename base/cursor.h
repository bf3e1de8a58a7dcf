/* SPDX-License-Identifier: MIT */
/*
 * A cursor over foreign bytes: every read is bounds-checked in one place. A read past the end
 * returns zeros and sets `failed`, which stays set, so that a reader may check once per record.
 * Inline, because readers spend most of their time here.
 */
#pragma once

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A run of bytes that somebody else owns: a section of a file, what a table says is in it. */
struct bytes {
	const uint8_t *data;
	size_t size;
};

struct cursor {
	const uint8_t *data;
	size_t size;
	size_t at;
	bool big_endian; /* of the data */
	bool failed;
};

static inline void cursor_init(struct cursor *c, const void *data, size_t size, bool big_endian)
{
	*c = (struct cursor){.data = (const uint8_t *)data, .size = size, .big_endian = big_endian};
}

static inline size_t cursor_left(const struct cursor *c)
{
	return c->failed ? 0 : c->size - c->at;
}

/* @n bytes at the cursor, borrowed as long as the data lives; NULL (and failed) past the end. */
static inline const void *cursor_bytes(struct cursor *c, size_t n)
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

static inline bool cursor_skip(struct cursor *c, size_t n)
{
	return cursor_bytes(c, n) != NULL;
}

static inline uint8_t cursor_u8(struct cursor *c)
{
	const uint8_t *p = (const uint8_t *)cursor_bytes(c, 1);

	return p ? *p : 0;
}

/* cursor_u16, cursor_u32, cursor_u64: in the data's byte order; 0 past the end. */
#define CURSOR_NUMBER(bits)                                                 \
	static inline uint##bits##_t cursor_u##bits(struct cursor *c)       \
	{                                                                   \
		const void *p = cursor_bytes(c, bits / 8);                  \
		uint##bits##_t v = 0;                                       \
                                                                            \
		if (p)                                                      \
			memcpy(&v, p, bits / 8);                            \
		return c->big_endian ? be##bits##toh(v) : le##bits##toh(v); \
	}

CURSOR_NUMBER(16)
CURSOR_NUMBER(32)
CURSOR_NUMBER(64)

/* LEB128 numbers, as DWARF has them; bits beyond the 64th are dropped. */
uint64_t cursor_uleb128(struct cursor *c);
int64_t cursor_sleb128(struct cursor *c);
/* A NUL-terminated string within the next @field bytes, which are skipped; NULL if unterminated. */
const char *cursor_string_field(struct cursor *c, size_t field);
/* A NUL-terminated string; NULL (and failed) if no NUL follows. */
const char *cursor_string(struct cursor *c);
