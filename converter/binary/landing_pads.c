/* SPDX-License-Identifier: MIT */
#include "converter/binary/landing_pads.h"

#include "base/memory.h"
#include "converter/binary/image_reader.h"
#include "converter/binary/unwind_frames.h"

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
		struct landing_site *site;

		image_reader_leb128(r, false); /* action */
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

uint64_t landing_pads_of_call(const struct landing_pads *p, uint64_t va)
{
	const struct landing_site *s;
	size_t n = vector_count_while(&p->sites, s, s->begin <= va);

	return n && va < p->sites.items[n - 1].end ? p->sites.items[n - 1].pad : 0;
}
