/* SPDX-License-Identifier: MIT */
#include "converter/binary/unwind_frames.h"

#include <string.h>

#include "base/order.h"

#define IMAGE_POINTER_OMIT     0xff
#define IMAGE_POINTER_INDIRECT 0x80

struct image_reader {
	const struct binary *binary;
	uint64_t va;
	bool failed;
};

/*
 * A cursor over a binary's memory image, for what lies there in DWARF's encodings: .eh_frame and
 * .gcc_except_table (Linux Standard Base 5.0, "Exception Frames", DW_EH_PE_*). Little-endian. A
 * read where nothing is gives zeros and sets failed.
 */

#define POINTER_PCREL 0x10

static uint64_t image_reader_fixed(struct image_reader *r, size_t bytes, bool is_signed)
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

static uint64_t image_reader_leb128(struct image_reader *r, bool is_signed)
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

/* A pointer as its encoding says; 0 is none whatever it would be relative to. */
static uint64_t image_reader_pointer(struct image_reader *r, uint8_t encoding)
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

#define POINTER_DATAREL_SDATA4 0x3b
#define POINTER_UDATA4	       0x03

struct frame_encodings {
	uint8_t address, table; /* of the FDE's pc and of its LSDA pointer */
	bool sized;		/* an augmentation length comes first */
};

static bool read_cie(struct image_reader r, struct frame_encodings *out)
{
	char augmentation[8] = {0};
	uint8_t version;

	*out = (struct frame_encodings){.table = IMAGE_POINTER_OMIT};
	if (image_reader_fixed(&r, 4, false) == UINT32_MAX || image_reader_fixed(&r, 4, false))
		return false;
	version = (uint8_t)image_reader_fixed(&r, 1, false);
	for (size_t i = 0; i < sizeof(augmentation); i++) {
		augmentation[i] = (char)image_reader_fixed(&r, 1, false);
		if (!augmentation[i])
			break;
	}
	if (augmentation[sizeof(augmentation) - 1])
		return false;
	image_reader_leb128(&r, false);
	image_reader_leb128(&r, true);
	if (version == 1)
		image_reader_fixed(&r, 1, false);
	else
		image_reader_leb128(&r, false);
	if (augmentation[0] != 'z')
		return !r.failed && !augmentation[0];
	out->sized = true;
	image_reader_leb128(&r, false);
	for (const char *a = augmentation + 1; *a; a++) {
		uint8_t encoding;

		if (*a != 'L' && *a != 'R' && *a != 'P')
			continue; /* S and B have no data */
		encoding = (uint8_t)image_reader_fixed(&r, 1, false);
		if (*a == 'L')
			out->table = encoding;
		else if (*a == 'R')
			out->address = encoding;
		else
			image_reader_pointer(&r, encoding & 0x1f);
	}
	return !r.failed;
}

/* Read the description at @va; false if there is none that can be read. */
static bool unwind_frame_read(const struct binary *b, uint64_t va, struct unwind_frame *out)
{
	struct image_reader r = {.binary = b, .va = va};
	struct frame_encodings encodings;
	uint64_t cie;

	*out = (struct unwind_frame){0};
	if (image_reader_fixed(&r, 4, false) == UINT32_MAX)
		return false;
	cie = r.va;
	cie -= image_reader_fixed(&r, 4, false);
	if (!read_cie((struct image_reader){.binary = b, .va = cie}, &encodings))
		return false;
	out->begin = image_reader_pointer(&r, encodings.address);
	out->end = out->begin + image_reader_pointer(&r, encodings.address & 0x0f);
	if (encodings.sized)
		image_reader_leb128(&r, false);
	if (r.failed)
		return false;
	if (encodings.table != IMAGE_POINTER_OMIT && !(encodings.table & IMAGE_POINTER_INDIRECT))
		out->table = image_reader_pointer(&r, encodings.table);
	out->table = r.failed ? 0 : out->table;
	return true;
}

/* The description of the function that holds @va, by .eh_frame_hdr: where it is; 0 if unknown. */
static uint64_t unwind_frame_find(const struct binary *b, uint64_t va)
{
	const struct binary_section *s = binary_section_named(b, ".eh_frame_hdr");
	struct image_reader r = {.binary = b};
	uint64_t low = 0, high, header;

	if (!s)
		return 0;
	r.va = s->begin;
	header = image_reader_fixed(&r, 4, false); /* version 1 and three encodings */
	if ((header & 0xff) != 1 || (header >> 16 & 0xff) != POINTER_UDATA4 ||
	    header >> 24 != POINTER_DATAREL_SDATA4)
		return 0;
	image_reader_pointer(&r, header >> 8 & 0xff);
	high = image_reader_fixed(&r, 4, false);
	header = r.va;
	while (low < high && !r.failed) {
		uint64_t middle = low + (high - low) / 2;

		r.va = header + middle * 8;
		if (s->begin + image_reader_fixed(&r, 4, true) <= va)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || r.failed)
		return 0;
	r.va = header + (low - 1) * 8 + 4;
	va = s->begin + image_reader_fixed(&r, 4, true);
	return r.failed ? 0 : va;
}

int unwind_frames_list(const struct binary *b, struct unwind_frames *out)
{
	const struct binary_section *s = binary_section_named(b, ".eh_frame");
	struct image_reader r = {.binary = b};
	struct unwind_frame frame;
	uint64_t length, begin;

	if (!s || binary_is_big_endian(b) || binary_is_object(b))
		return 0;
	for (r.va = s->begin; r.va < s->end; r.va = begin + 4 + length) {
		begin = r.va;
		length = image_reader_fixed(&r, 4, false);
		if (r.failed || length == UINT32_MAX)
			break;
		if (!length || !image_reader_fixed(&r, 4, false)) /* an end; a CIE */
			continue;
		if (!unwind_frame_read(b, begin, &frame) || frame.end <= frame.begin)
			continue;
		if (vector_add(&out->items, frame))
			return -1;
	}
	return 0;
}

static int read_sites(struct image_reader *r, const struct binary_function *f,
		      struct landing_pads *out)
{
	uint8_t encoding = (uint8_t)image_reader_fixed(r, 1, false);
	uint64_t start = encoding == IMAGE_POINTER_OMIT ? f->begin
							: image_reader_pointer(r, encoding);
	uint64_t end;

	encoding = (uint8_t)image_reader_fixed(r, 1, false);
	if (encoding != IMAGE_POINTER_OMIT)
		image_reader_leb128(r, false); /* distance to the type table */
	encoding = (uint8_t)image_reader_fixed(r, 1, false);
	end = image_reader_leb128(r, false);
	end += r->va;
	while (!r->failed && r->va < end) {
		uint64_t begin = f->begin + image_reader_pointer(r, encoding);
		uint64_t length = image_reader_pointer(r, encoding);
		uint64_t pad = image_reader_pointer(r, encoding);

		image_reader_leb128(r, false); /* action */
		if (!pad || r->failed)
			continue;
		if (vector_add(&out->sites,
			       (struct landing_site){begin, begin + length, start + pad}))
			return -1;
	}
	return 0;
}

ORDER_BY(compare_sites, struct landing_site, ORDER_UP(begin) ?: ORDER_UP(pad));

int unwind_landing_pads_find(const struct binary *b, const struct binary_function *f,
			     struct landing_pads *out)
{
	uint64_t va = unwind_frame_find(b, f->begin);
	struct image_reader r = {.binary = b};
	struct unwind_frame frame;

	if (va && unwind_frame_read(b, va, &frame) && frame.begin == f->begin)
		r.va = frame.table;
	if (r.va && read_sites(&r, f, out))
		return -1;
	vector_sort(&out->sites, compare_sites);
	return 0;
}

uint64_t unwind_landing_pad_of_call(const struct landing_pads *p, uint64_t va)
{
	const struct landing_site *s;
	size_t n = vector_count_while(&p->sites, s, s->begin <= va);

	return n && va < p->sites.items[n - 1].end ? p->sites.items[n - 1].pad : 0;
}
