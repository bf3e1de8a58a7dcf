/* SPDX-License-Identifier: MIT */
#include "converter/binary/image_reader.h"

#include <string.h>

#define POINTER_PCREL 0x10

uint64_t image_reader_fixed(struct image_reader *r, size_t bytes, bool is_signed)
{
	const uint8_t *data = r->failed ? NULL : binary_bytes(r->binary, r->va, bytes);
	uint64_t value = 0;

	if (!data) {
		r->failed = true;
		return 0;
	}
	memcpy(&value, data, bytes);
	r->va += bytes;
	if (is_signed && bytes < 8 && value >> (bytes * 8 - 1))
		value |= ~UINT64_C(0) << bytes * 8;
	return value;
}

uint64_t image_reader_leb128(struct image_reader *r, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)image_reader_fixed(r, 1, false);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && shift < 70);
	if (is_signed && byte & 0x40 && shift < 64)
		value |= ~UINT64_C(0) << shift;
	return value;
}

uint64_t image_reader_pointer(struct image_reader *r, uint8_t encoding)
{
	static const uint8_t bytes[16] = {
		[0x0] = 8, [0x2] = 2, [0x3] = 4, [0x4] = 8, [0xa] = 2, [0xb] = 4, [0xc] = 8};
	uint64_t from = r->va, value;
	uint8_t form = encoding & 0x0f;

	if (form == 0x1 || form == 0x9)
		value = image_reader_leb128(r, form == 0x9);
	else if (bytes[form])
		value = image_reader_fixed(r, bytes[form], form & 0x8);
	else
		r->failed = true, value = 0;
	if (!value)
		return 0;
	if ((encoding & 0x70) == POINTER_PCREL)
		return value + from;
	r->failed |= (encoding & 0x70) != 0;
	return value;
}
