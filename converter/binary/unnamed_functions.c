/* SPDX-License-Identifier: MIT */
/*
 * Where a program's functions are if no symbol says: each frame description is one (also of a part
 * that the compiler split off, which has a symbol of its own otherwise). Where code is left that
 * none covers, as of libraries built without unwind tables, one begins at the entry point and at
 * each target of a direct call, and ends where the next one begins. PLT stubs are none.
 */
#include "converter/binary/binary_private.h"

#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/order.h"
#include "converter/binary/unwind_frames.h"

/* What lies between frames without one of its own is padding, and the few bytes that the C runtime
 * adds. Longer pieces are worth decoding all code for the calls that go there, if they are one part
 * in so many of it. */
#define GAP_BYTES 1024
#define GAP_PART  100

struct finder {
	struct binary *binary;
	struct unnamed_functions *out;
	struct map starts; /* (address, 0): where calls go that no frame covers */
};

static const struct binary_section *code_at(const struct binary *b, uint64_t va)
{
	const struct binary_section *s = binary_section_at(b, va);

	return s && s->code && strncmp(s->name, ".plt", 4) ? s : NULL;
}

ORDER_BY(compare_begins, struct unnamed_function, ORDER_UP(begin) ?: ORDER_DOWN(end));

static int unnamed_push(struct finder *f, uint64_t begin, uint64_t end, bool has_frame)
{
	return vector_add(&f->out->items, (struct unnamed_function){begin, end, has_frame});
}

/* In order, each where the one before ends at the earliest. */
static void settle(struct unnamed_functions *all)
{
	uint64_t covered = 0;
	size_t kept = 0;

	vector_sort(&all->items, compare_begins);
	for (size_t i = 0; i < all->items.count; i++) {
		struct unnamed_function *f = &all->items.items[i];

		if (f->begin < covered)
			continue;
		covered = f->end;
		all->items.items[kept++] = *f;
	}
	all->items.count = kept;
}

static int take_frames(struct finder *f)
{
	struct unwind_frames frames = {0};
	const struct unwind_frame *frame;
	int rc = unwind_frames_list(f->binary, &frames);

	vector_each (&frames.items, frame) {
		const struct binary_section *s = code_at(f->binary, frame->begin);

		if (!rc && s && frame->end <= s->end)
			rc = unnamed_push(f, frame->begin, frame->end, true);
	}
	vector_deinit(&frames.items);
	settle(f->out);
	return rc;
}

/* The number of the first of @count functions that begins behind @va. */
static size_t next_after(const struct unnamed_function *all, size_t count, uint64_t va)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (all[middle].begin <= va)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_covered(const struct unnamed_functions *all, uint64_t va)
{
	size_t next = next_after(all->items.items, all->items.count, va);

	return next && va < all->items.items[next - 1].end;
}

static uint64_t long_gap(uint64_t begin, uint64_t end)
{
	return end > begin && end - begin > GAP_BYTES ? end - begin : 0;
}

/* Has the section more code that no frame covers than is usual? */
static bool has_gaps(const struct unnamed_functions *all, const struct binary_section *s)
{
	uint64_t covered = s->begin, gaps = 0;
	const struct unnamed_function *f;

	vector_each (&all->items, f) {
		if (f->begin >= s->end)
			break;
		gaps += long_gap(covered, f->begin);
		if (f->end > covered)
			covered = f->end;
	}
	gaps += long_gap(covered, s->end);
	return gaps && gaps >= (s->end - s->begin) / GAP_PART;
}

static int add_start(struct finder *f, uint64_t va)
{
	return code_at(f->binary, va) && !is_covered(f->out, va) && !map_at(&f->starts, va, 0) ? -1
											       : 0;
}

/* The calls of all code; @from keeps overlapping sections (damage) from being read twice. */
static int sweep(struct finder *f, uint64_t from, const struct binary_section *s)
{
	uint64_t at = s->begin > from ? s->begin : from;
	struct isa_insn insn;
	size_t size;

	while (at < s->end && binary_code(f->binary, at, &size)) {
		if (!binary_decode(f->binary, at, &insn) || !insn.length) {
			at++;
			continue;
		}
		if (insn.kind == ISA_CALL && insn.target && add_start(f, insn.target))
			return -1;
		at += insn.length;
	}
	return 0;
}

static int find_starts(struct finder *f, uint64_t entry)
{
	const struct binary_section *s;
	uint64_t swept = 0;
	bool gap = false;
	int rc = 0;

	vector_each (&f->binary->sections, s)
		gap |= code_at(f->binary, s->begin) == s && has_gaps(f->out, s);
	if (!gap)
		return 0;
	rc = add_start(f, entry);
	vector_each (&f->binary->sections, s) {
		if (rc || !s->code || s->end <= swept)
			continue;
		rc = sweep(f, swept, s);
		swept = s->end;
	}
	return rc;
}

/* Each ends where the next function begins, or the section ends. */
static int take_starts(struct finder *f)
{
	struct map_entry **sorted = map_sorted(&f->starts);
	size_t count = f->starts.count, frames = f->out->items.count;
	int rc = sorted || !count ? 0 : -1;

	for (size_t i = 0; i < count && !rc; i++) {
		uint64_t begin = sorted[i]->a, end = code_at(f->binary, begin)->end;
		/* what is pushed here comes behind the frames */
		size_t next = next_after(f->out->items.items, frames, begin);

		if (next < frames && f->out->items.items[next].begin < end)
			end = f->out->items.items[next].begin;
		if (i + 1 < count && sorted[i + 1]->a < end)
			end = sorted[i + 1]->a;
		rc = unnamed_push(f, begin, end, false);
	}
	memory_free(sorted);
	settle(f->out);
	return rc;
}

int unnamed_functions_find(struct binary *b, uint64_t entry, struct unnamed_functions *out)
{
	struct finder f = {.binary = b, .out = out};
	int rc = take_frames(&f) || find_starts(&f, entry) || take_starts(&f) ? -1 : 0;

	map_deinit(&f.starts);
	return rc;
}
