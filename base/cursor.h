/* SPDX-License-Identifier: MIT */
/*
 * A cursor over foreign bytes: every read is bounds-checked in one place. A read past the end
 * returns zeros and sets `failed`, which stays set, so that a reader may check once per record.
 */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
	const uint8_t *data;
	size_t size;
	size_t at;
	bool big_endian; /* of the data */
	bool failed;
};

void cursor_init(struct cursor *c, const void *data, size_t size, bool big_endian);
size_t cursor_left(const struct cursor *c);
/* @n bytes at the cursor, borrowed for as long as the data lives; NULL (and failed) past the end.
 */
const void *cursor_bytes(struct cursor *c, size_t n);
bool cursor_skip(struct cursor *c, size_t n);
uint8_t cursor_u8(struct cursor *c);
uint16_t cursor_u16(struct cursor *c);
uint32_t cursor_u32(struct cursor *c);
uint64_t cursor_u64(struct cursor *c);
/* A NUL-terminated string within the next @field bytes, which are skipped; NULL if unterminated. */
const char *cursor_string_field(struct cursor *c, size_t field);
/* A NUL-terminated string; NULL (and failed) if no NUL follows. */
const char *cursor_string(struct cursor *c);

#endif
