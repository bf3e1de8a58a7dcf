/* SPDX-License-Identifier: MIT */
/* Unit headers (DWARF 5, 7.5.1), and the bases that a unit's own entry sets. */
#include <dwarf.h>

#include "base/memory.h"
#include "converter/dwarf/dwarf.h"

static bool is_of_code(uint8_t type)
{
	return type != DW_UT_type && type != DW_UT_split_type;
}

/* Read the header at @offset; false if it makes no sense. *next = where the next unit begins. */
static bool read_header(struct dwarf_file *f, size_t offset, struct dwarf_unit *u, size_t *next)
{
	struct cursor c = dwarf_cursor(f, DWARF_INFO, offset);
	uint64_t length;

	*u = (struct dwarf_unit){.file = f, .offset = offset, .type = DW_UT_compile};
	length = dwarf_read_length(&c, &u->offset_size);
	if (c.failed || !length)
		return false;
	*next = u->end = c.at + (size_t)length;
	c.size = u->end;
	u->version = cursor_u16(&c);
	if (u->version < 2 || u->version > 5)
		return false;
	if (u->version == 5) {
		u->type = cursor_u8(&c);
		u->address_size = cursor_u8(&c);
		u->abbrevs_offset = dwarf_read_offset(&c, u->offset_size);
		if (u->type == DW_UT_skeleton || u->type == DW_UT_split_compile)
			u->id = cursor_u64(&c);
	} else {
		u->abbrevs_offset = dwarf_read_offset(&c, u->offset_size);
		u->address_size = cursor_u8(&c);
	}
	u->entries = c.at;
	return !c.failed && (u->address_size == 8 || u->address_size == 4);
}

/* DWARF 5 puts a header before each unit's string offsets; a split unit has no attribute for it. */
static uint64_t default_str_offsets(const struct dwarf_unit *u)
{
	return u->version < 5 ? 0 : u->offset_size == 8 ? 16 : 8;
}

static uint64_t default_rnglists(const struct dwarf_unit *u)
{
	return u->offset_size == 8 ? 20 : 12;
}

static void read_bases(struct dwarf_unit *u)
{
	struct dwarf_entry own;

	u->str_offsets_base = default_str_offsets(u);
	u->rnglists_base = default_rnglists(u);
	if (!dwarf_entry_at(u, u->entries, &own))
		return;
	u->str_offsets_base = dwarf_entry_number(&own, DWARF_STR_OFFSETS_BASE, u->str_offsets_base);
	u->rnglists_base = dwarf_entry_number(&own, DWARF_RNGLISTS_BASE, u->rnglists_base);
	u->addr_base = dwarf_entry_number(&own, DWARF_ADDR_BASE, 0);
	u->ranges_base = dwarf_entry_number(&own, DWARF_RANGES_BASE, 0);
	u->id = dwarf_entry_number(&own, DWARF_DWO_ID, u->id);
	dwarf_entry_address(&own, DWARF_LOW_PC, &u->low_pc);
}

int dwarf_file_read_units(struct dwarf_file *f)
{
	struct dwarf_unit u;
	size_t offset = 0, next;

	while (offset < f->sections[DWARF_INFO].size) {
		struct dwarf_unit *slot;

		if (!read_header(f, offset, &u, &next)) {
			f->damaged = true;
			break;
		}
		offset = next;
		if (!is_of_code(u.type))
			continue;
		slot = vector_push(&f->units);
		if (!slot)
			return -1;
		*slot = u;
	}
	for (size_t i = 0; i < f->units.count; i++)
		read_bases(&f->units.items[i]);
	return 0;
}
