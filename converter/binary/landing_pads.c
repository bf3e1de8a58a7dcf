/* SPDX-License-Identifier: MIT */
#include "converter/binary/landing_pads.h"

#include <string.h>

#include "base/memory.h"

/* Pointer encodings (DW_EH_PE_*). */
#define ENCODING_OMIT		0xff
#define ENCODING_INDIRECT	0x80
#define ENCODING_PCREL		0x10
#define ENCODING_DATAREL_SDATA4 0x3b
#define ENCODING_UDATA4		0x03

/* A cursor over the binary's memory image: a read where nothing is gives zeros and sets failed. */
struct reader {
	const struct binary *binary;
	uint64_t va;
	bool failed;
};

static uint64_t read_fixed(struct reader *r, size_t bytes, bool is_signed)
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

static uint64_t read_leb128(struct reader *r, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)read_fixed(r, 1, false);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && shift < 70);
	if (is_signed && byte & 0x40 && shift < 64)
		value |= ~UINT64_C(0) << shift;
	return value;
}

/* A pointer as its encoding says; 0 is none whatever it would be relative to. */
static uint64_t read_pointer(struct reader *r, uint8_t encoding)
{
	static const uint8_t bytes[16] = {
		[0x0] = 8, [0x2] = 2, [0x3] = 4, [0x4] = 8, [0xa] = 2, [0xb] = 4, [0xc] = 8};
	uint64_t from = r->va, value;
	uint8_t form = encoding & 0x0f;

	if (form == 0x1 || form == 0x9)
		value = read_leb128(r, form == 0x9);
	else if (bytes[form])
		value = read_fixed(r, bytes[form], form & 0x8);
	else
		r->failed = true, value = 0;
	if (!value)
		return 0;
	if ((encoding & 0x70) == ENCODING_PCREL)
		return value + from;
	r->failed |= (encoding & 0x70) != 0;
	return value;
}

struct frame_encodings {
	uint8_t address, table; /* of the FDE's pc and of its LSDA pointer */
	bool sized;		/* an augmentation length comes first */
};

static bool read_cie(struct reader r, struct frame_encodings *out)
{
	char augmentation[8] = {0};
	uint8_t version;

	*out = (struct frame_encodings){.table = ENCODING_OMIT};
	if (read_fixed(&r, 4, false) == UINT32_MAX || read_fixed(&r, 4, false))
		return false;
	version = (uint8_t)read_fixed(&r, 1, false);
	for (size_t i = 0; i < sizeof(augmentation); i++) {
		augmentation[i] = (char)read_fixed(&r, 1, false);
		if (!augmentation[i])
			break;
	}
	if (augmentation[sizeof(augmentation) - 1])
		return false;
	read_leb128(&r, false);
	read_leb128(&r, true);
	if (version == 1)
		read_fixed(&r, 1, false);
	else
		read_leb128(&r, false);
	if (augmentation[0] != 'z')
		return !r.failed && !augmentation[0];
	out->sized = true;
	read_leb128(&r, false);
	for (const char *a = augmentation + 1; *a; a++) {
		uint8_t encoding;

		if (*a != 'L' && *a != 'R' && *a != 'P')
			continue; /* S and B have no data */
		encoding = (uint8_t)read_fixed(&r, 1, false);
		if (*a == 'L')
			out->table = encoding;
		else if (*a == 'R')
			out->address = encoding;
		else
			read_pointer(&r, encoding & 0x1f);
	}
	return !r.failed;
}

/* The LSDA of the FDE at @va, if it is the one of @f; else 0. */
static uint64_t table_of_frame(const struct binary *b, uint64_t va, const struct binary_function *f)
{
	struct reader r = {.binary = b, .va = va};
	struct frame_encodings encodings;
	uint64_t cie, begin;

	if (read_fixed(&r, 4, false) == UINT32_MAX)
		return 0;
	cie = r.va;
	cie -= read_fixed(&r, 4, false);
	if (!read_cie((struct reader){.binary = b, .va = cie}, &encodings) ||
	    encodings.table == ENCODING_OMIT || encodings.table & ENCODING_INDIRECT)
		return 0;
	begin = read_pointer(&r, encodings.address);
	read_pointer(&r, encodings.address & 0x0f);
	if (encodings.sized)
		read_leb128(&r, false);
	if (r.failed || begin != f->begin)
		return 0;
	begin = read_pointer(&r, encodings.table);
	return r.failed ? 0 : begin;
}

/* Binary search in .eh_frame_hdr: pairs of (function, FDE), both relative to the section. */
static uint64_t find_frame(const struct binary *b, uint64_t va)
{
	const struct binary_section *s = binary_section_named(b, ".eh_frame_hdr");
	struct reader r = {.binary = b};
	uint64_t low = 0, high, header;

	if (!s)
		return 0;
	r.va = s->begin;
	header = read_fixed(&r, 4, false); /* version 1 and three encodings */
	if ((header & 0xff) != 1 || (header >> 16 & 0xff) != ENCODING_UDATA4 ||
	    header >> 24 != ENCODING_DATAREL_SDATA4)
		return 0;
	read_pointer(&r, header >> 8 & 0xff);
	high = read_fixed(&r, 4, false);
	header = r.va;
	while (low < high && !r.failed) {
		uint64_t middle = low + (high - low) / 2;

		r.va = header + middle * 8;
		if (s->begin + read_fixed(&r, 4, true) <= va)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || r.failed)
		return 0;
	r.va = header + (low - 1) * 8 + 4;
	va = s->begin + read_fixed(&r, 4, true);
	return r.failed ? 0 : va;
}

static int read_sites(struct reader *r, const struct binary_function *f, struct landing_pads *out)
{
	uint8_t encoding = (uint8_t)read_fixed(r, 1, false);
	uint64_t start = encoding == ENCODING_OMIT ? f->begin : read_pointer(r, encoding);
	uint64_t end;

	encoding = (uint8_t)read_fixed(r, 1, false);
	if (encoding != ENCODING_OMIT)
		read_leb128(r, false); /* distance to the type table */
	encoding = (uint8_t)read_fixed(r, 1, false);
	end = read_leb128(r, false);
	end += r->va;
	while (!r->failed && r->va < end) {
		uint64_t begin = f->begin + read_pointer(r, encoding);
		uint64_t length = read_pointer(r, encoding);
		uint64_t pad = read_pointer(r, encoding);
		struct landing_site *site;

		read_leb128(r, false); /* action */
		if (!pad || r->failed)
			continue;
		site = vector_push(&out->sites);
		if (!site)
			return -1;
		*site = (struct landing_site){begin, begin + length, start + pad};
	}
	return 0;
}

static int compare_sites(const void *a, const void *b)
{
	const struct landing_site *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->pad < y->pad ? -1 : x->pad > y->pad;
}

int landing_pads_find(const struct binary *b, const struct binary_function *f,
		      struct landing_pads *out)
{
	uint64_t frame = find_frame(b, f->begin);
	struct reader r = {.binary = b};

	r.va = frame ? table_of_frame(b, frame, f) : 0;
	if (r.va && read_sites(&r, f, out))
		return -1;
	vector_sort(&out->sites, compare_sites);
	return 0;
}

uint64_t landing_pads_of_call(const struct landing_pads *p, uint64_t va)
{
	const struct landing_site *s = p->sites.items;
	size_t low = 0, high = p->sites.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s[middle].begin <= va)
			low = middle + 1;
		else
			high = middle;
	}
	return low && va < s[low - 1].end ? s[low - 1].pad : 0;
}
