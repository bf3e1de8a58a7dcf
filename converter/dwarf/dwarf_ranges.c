/* SPDX-License-Identifier: MIT */
/* The code that an entry covers: low and high pc, .debug_ranges (DWARF 2 to 4), .debug_rnglists. */
#include <dwarf.h>

#include "converter/dwarf/dwarf.h"

struct taker {
	dwarf_take_range *take;
	void *context;
};

/* LLD gives what it removed the greatest address. */
static bool is_removed(const struct dwarf_unit *u, uint64_t address)
{
	return address >= (u->address_size == 4 ? UINT32_MAX : UINT64_MAX) - 1;
}

static int give(const struct taker *t, uint64_t begin, uint64_t end)
{
	return begin < end ? t->take(t->context, begin, end) : 0;
}

/* Where ranges without a base of their own start from. */
static uint64_t base_of(const struct dwarf_unit *u)
{
	return u->skeleton ? u->skeleton->low_pc : u->low_pc;
}

/* Split units of DWARF 4 have their ranges in the program's file, at the skeleton's base. */
static int read_ranges(const struct dwarf_entry *e, uint64_t offset, const struct taker *t)
{
	const struct dwarf_unit *u = e->unit, *of = u->skeleton ? u->skeleton : u;
	uint64_t escape = u->address_size == 4 ? UINT32_MAX : UINT64_MAX;
	uint64_t base = base_of(u);
	struct cursor c;

	if (u->skeleton) {
		if (of->ranges_base > of->file->sections[DWARF_RANGES].size)
			return 0;
		offset += of->ranges_base;
	}
	c = dwarf_cursor(of->file, DWARF_RANGES, offset);
	for (;;) {
		uint64_t begin = dwarf_read_address(&c, u->address_size);
		uint64_t end = dwarf_read_address(&c, u->address_size);
		int rc = 0;

		if (c.failed || (!begin && !end))
			return 0;
		if (begin == escape)
			base = end;
		else
			rc = give(t, base + begin, base + end);
		if (rc)
			return rc;
	}
}

static int read_list(const struct dwarf_unit *u, uint64_t offset, const struct taker *t)
{
	struct cursor c = dwarf_cursor(u->file, DWARF_RNGLISTS, offset);
	uint64_t base = base_of(u), begin = 0, end = 0;

	for (;;) {
		bool good = true;
		int rc = 0;

		switch (cursor_u8(&c)) {
		case DW_RLE_end_of_list:
			return 0;
		case DW_RLE_base_addressx:
			good = dwarf_indexed_address(u, cursor_uleb128(&c), &base);
			begin = end = 0;
			break;
		case DW_RLE_base_address:
			base = dwarf_read_address(&c, u->address_size);
			begin = end = 0;
			break;
		case DW_RLE_startx_endx:
			good = dwarf_indexed_address(u, cursor_uleb128(&c), &begin);
			good &= dwarf_indexed_address(u, cursor_uleb128(&c), &end);
			break;
		case DW_RLE_startx_length:
			good = dwarf_indexed_address(u, cursor_uleb128(&c), &begin);
			end = begin + cursor_uleb128(&c);
			break;
		case DW_RLE_offset_pair:
			begin = base + cursor_uleb128(&c);
			end = base + cursor_uleb128(&c);
			good = !is_removed(u, base);
			break;
		case DW_RLE_start_end:
			begin = dwarf_read_address(&c, u->address_size);
			end = dwarf_read_address(&c, u->address_size);
			break;
		case DW_RLE_start_length:
			begin = dwarf_read_address(&c, u->address_size);
			end = begin + cursor_uleb128(&c);
			break;
		default:
			return 0;
		}
		if (c.failed)
			return 0;
		if (good)
			rc = give(t, begin, end);
		if (rc)
			return rc;
	}
}

static int read_rnglists(const struct dwarf_entry *e, const struct taker *t)
{
	const struct dwarf_value *v = &e->values[DWARF_AT_RANGES];
	const struct dwarf_unit *u = e->unit;
	uint64_t size = u->file->sections[DWARF_RNGLISTS].size, offset = v->value;

	if (v->form == DW_FORM_rnglistx) {
		struct cursor c;

		if (offset > size / u->offset_size || u->rnglists_base > size)
			return 0;
		c = dwarf_cursor(u->file, DWARF_RNGLISTS,
				 u->rnglists_base + offset * u->offset_size);
		offset = dwarf_read_offset(&c, u->offset_size);
		if (c.failed || offset > size)
			return 0;
		offset += u->rnglists_base;
	}
	return read_list(u, offset, t);
}

int dwarf_entry_ranges(const struct dwarf_entry *e, dwarf_take_range *take, void *context)
{
	const struct taker t = {take, context};
	uint64_t low, high;

	if (dwarf_has(e, DWARF_LOW_PC) && dwarf_has(e, DWARF_HIGH_PC)) {
		if (!dwarf_entry_address(e, DWARF_LOW_PC, &low))
			return 0;
		/* an address, or else the size */
		if (!dwarf_entry_address(e, DWARF_HIGH_PC, &high))
			high = low + e->values[DWARF_HIGH_PC].value;
		return give(&t, low, high);
	}
	if (!dwarf_has(e, DWARF_AT_RANGES))
		return 0;
	return e->unit->version >= 5 ? read_rnglists(e, &t)
				     : read_ranges(e, e->values[DWARF_AT_RANGES].value, &t);
}
