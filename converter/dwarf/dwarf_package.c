/* SPDX-License-Identifier: MIT */
/*
 * Split units (DWARF 5, 7.3.2, 7.3.5; GNU's of DWARF 4) for libdw, which doesn't read the index of
 * a .dwp before 0.192: the bytes that are one unit's are cut out and handed over as a file of their
 * own, with the addresses of its skeleton.
 */
#include "converter/dwarf/dwarf.h"

#include <string.h>

#include "base/memory.h"

/* Section identifiers in the index. */
enum {
	INDEX_INFO = 1,
	INDEX_ABBREV = 3,
	INDEX_LINE = 4,
	INDEX_STR_OFFSETS = 6,
	INDEX_RNGLISTS = 8, /* version 5 */
};

struct package_index {
	const struct dwarf_sections *all;
	uint64_t columns, rows, slots;
	uint64_t hashes, numbers, ids, offsets, sizes; /* where in the section */
};

static bool read_index(const struct dwarf_sections *all, struct package_index *x)
{
	struct cursor c = dwarf_form_cursor(all, DWARF_CU_INDEX, 0);
	uint32_t version = cursor_u32(&c);

	/* version 2 has four bytes for it, version 5 two, and two of padding */
	if (version != 2 && (all->big_endian ? version >> 16 : version & 0xffff) != 5)
		return false;
	x->all = all;
	x->columns = cursor_u32(&c);
	x->rows = cursor_u32(&c);
	x->slots = cursor_u32(&c);
	x->hashes = c.at;
	x->numbers = x->hashes + 8 * x->slots;
	x->ids = x->numbers + 4 * x->slots;
	x->offsets = x->ids + 4 * x->columns;
	x->sizes = x->offsets + 4 * x->rows * x->columns;
	return !c.failed && x->columns <= 16 && x->slots && !(x->slots & (x->slots - 1));
}

static uint64_t number_at(const struct package_index *x, uint64_t offset, unsigned bytes)
{
	struct cursor c = dwarf_form_cursor(x->all, DWARF_CU_INDEX, offset);

	return bytes == 8 ? cursor_u64(&c) : cursor_u32(&c);
}

/* The row of a unit, from 1; 0 if it is not there. */
static uint64_t row_of(const struct package_index *x, uint64_t id)
{
	uint64_t mask = x->slots - 1, at = id & mask, step = (id >> 32 & mask) | 1;

	for (uint64_t i = 0; i < x->slots; i++, at = (at + step) & mask) {
		uint64_t row = number_at(x, x->numbers + 4 * at, 4);

		if (!row)
			return 0;
		if (number_at(x, x->hashes + 8 * at, 8) == id)
			return row <= x->rows ? row : 0;
	}
	return 0;
}

static int section_of(uint64_t identifier)
{
	switch (identifier) {
	case INDEX_INFO:
		return DWARF_INFO;
	case INDEX_ABBREV:
		return DWARF_ABBREV;
	case INDEX_LINE:
		return DWARF_LINE;
	case INDEX_STR_OFFSETS:
		return DWARF_STR_OFFSETS;
	case INDEX_RNGLISTS:
		return DWARF_RNGLISTS;
	}
	return -1;
}

/* Cut the sections to what is the unit's. */
static bool cut_sections(const struct package_index *x, uint64_t row, struct dwarf_sections *out)
{
	for (uint64_t i = 0; i < x->columns; i++) {
		int number = section_of(number_at(x, x->ids + 4 * i, 4));
		uint64_t cell = 4 * ((row - 1) * x->columns + i);
		uint64_t offset = number_at(x, x->offsets + cell, 4);
		uint64_t size = number_at(x, x->sizes + cell, 4);
		struct bytes *bytes;

		if (number < 0)
			continue;
		bytes = &out->of[number];
		if (offset > bytes->size || size > bytes->size - offset)
			return false;
		*bytes = (struct bytes){bytes->data + offset, (size_t)size};
	}
	return true;
}

/* A package has the strings of all its units: these are the unit's, and where it has them. */
struct string_table {
	uint8_t *offsets, *strings;
};

/* Where the numbers of the unit's string offsets begin, and how many bytes each has. */
static size_t first_offset(const struct dwarf_sections *unit, uint8_t *offset_size)
{
	struct cursor c = dwarf_form_cursor(unit, DWARF_INFO, 0);

	dwarf_form_length(&c, offset_size);
	return cursor_u16(&c) < 5 ? 0 : *offset_size == 8 ? 16 : 8;
}

static struct bytes next_string(struct cursor *offsets, unsigned offset_size,
				const struct dwarf_sections *all)
{
	uint64_t offset = dwarf_form_offset(offsets, offset_size);
	struct cursor c = dwarf_form_cursor(all, DWARF_STR, offset);
	const char *text = cursor_string(&c);

	if (!text || offsets->failed)
		text = "";
	return (struct bytes){(const uint8_t *)text, strlen(text) + 1};
}

/* The bytes of all strings of the unit, as often as it has them. */
static size_t strings_size(const struct dwarf_sections *unit, size_t first, unsigned offset_size)
{
	struct cursor c = dwarf_form_cursor(unit, DWARF_STR_OFFSETS, first);
	size_t size = 0;

	while (cursor_left(&c) >= offset_size && size <= unit->of[DWARF_STR].size)
		size += next_string(&c, offset_size, unit).size;
	return size;
}

static void copy_strings(struct dwarf_sections *unit, size_t first, unsigned offset_size,
			 struct string_table *to)
{
	struct cursor c = dwarf_form_cursor(unit, DWARF_STR_OFFSETS, first);
	size_t at = 0;

	memcpy(to->offsets, unit->of[DWARF_STR_OFFSETS].data, unit->of[DWARF_STR_OFFSETS].size);
	while (cursor_left(&c) >= offset_size) {
		uint8_t *slot = to->offsets + c.at;
		struct bytes one = next_string(&c, offset_size, unit);

		for (unsigned i = 0; i < offset_size; i++)
			slot[unit->big_endian ? offset_size - 1 - i : i] = (uint8_t)(at >> 8 * i);
		memcpy(to->strings + at, one.data, one.size);
		at += one.size;
	}
	unit->of[DWARF_STR_OFFSETS].data = to->offsets;
	unit->of[DWARF_STR] = (struct bytes){to->strings, at};
}

/* Unless that would be no less. -1 without memory. */
static int cut_strings(struct dwarf_sections *unit, struct string_table *to)
{
	uint8_t offset_size;
	size_t first = first_offset(unit, &offset_size);
	size_t size = strings_size(unit, first, offset_size);

	if (!size || size >= unit->of[DWARF_STR].size)
		return 0;
	to->offsets = memory_resize_array(NULL, unit->of[DWARF_STR_OFFSETS].size, 1);
	to->strings = memory_resize_array(NULL, size, 1);
	if (!to->offsets || !to->strings)
		return -1;
	copy_strings(unit, first, offset_size, to);
	return 0;
}

/* What the skeleton's file has of addresses from its base on, up to that of another unit: a split
 * unit has no base of its own. */
static struct bytes addresses_of(const struct dwarf_unit *skeleton)
{
	const struct dwarf_file *f = skeleton->file;
	struct bytes all = f->sections.of[DWARF_ADDR];
	uint64_t end = all.size;
	const struct dwarf_unit *u;

	if (skeleton->addr_base > all.size)
		return (struct bytes){0};
	vector_each (&f->units, u)
		if (u->addr_base > skeleton->addr_base && u->addr_base < end)
			end = u->addr_base;
	return (struct bytes){all.data + skeleton->addr_base, (size_t)(end - skeleton->addr_base)};
}

bool dwarf_package_is(const struct dwarf_sections *all)
{
	return all->of[DWARF_CU_INDEX].size;
}

/* 1 if the unit is not there. */
static int cut(struct dwarf_sections *unit, uint64_t id, struct string_table *strings)
{
	const struct dwarf_sections all = *unit;
	struct package_index index;
	uint64_t row;

	if (!dwarf_package_is(unit))
		return 0;
	row = read_index(&all, &index) ? row_of(&index, id) : 0;
	if (!row || !cut_sections(&index, row, unit))
		return 1;
	unit->of[DWARF_CU_INDEX] = (struct bytes){0};
	return cut_strings(unit, strings);
}

static int open_unit(struct dwarf_file *f, struct dwarf_unit *skeleton)
{
	struct string_table strings = {0};
	int rc = cut(&f->sections, skeleton->id, &strings);
	struct dwarf_unit *u;

	if (!rc) {
		f->sections.of[DWARF_ADDR] = addresses_of(skeleton);
		rc = dwarf_open_sections(f);
	}
	memory_free(strings.offsets);
	memory_free(strings.strings);
	if (rc)
		return rc;
	vector_each (&f->units, u)
		u->skeleton = skeleton;
	return dwarf_file_unit_with_id(f, skeleton->id) ? 0 : 1;
}

int dwarf_package_unit(const struct dwarf_sections *all, struct dwarf_unit *skeleton,
		       struct dwarf_file **out)
{
	struct dwarf_file *f = memory_alloc(sizeof(*f));
	int rc;

	*out = NULL;
	if (!f)
		return -1;
	f->sections = *all;
	rc = open_unit(f, skeleton);
	if (!rc) {
		*out = f;
		return 0;
	}
	dwarf_package_unit_free(f);
	return rc < 0 ? -1 : 0;
}

void dwarf_package_unit_free(struct dwarf_file *f)
{
	if (!f)
		return;
	dwarf_close(f);
	memory_free(f);
}
