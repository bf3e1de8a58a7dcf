/* SPDX-License-Identifier: MIT */
#include "converter/binary/unwind_frames.h"

#include "base/memory.h"
#include "converter/binary/image_reader.h"

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

bool unwind_frame_read(const struct binary *b, uint64_t va, struct unwind_frame *out)
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

/* Binary search in .eh_frame_hdr: pairs of (function, FDE), both relative to the section. */
uint64_t unwind_frame_find(const struct binary *b, uint64_t va)
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
	struct unwind_frame frame, *to;
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
		to = vector_push(&out->items);
		if (!to)
			return -1;
		*to = frame;
	}
	return 0;
}
