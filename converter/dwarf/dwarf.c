/* SPDX-License-Identifier: MIT */
#include "converter/dwarf/dwarf.h"

#include <dwarf.h>
#include <setjmp.h>

const char *dwarf_section_name(enum dwarf_section s)
{
	static const char *const names[DWARF_SECTIONS] = {
		[DWARF_INFO] = "info",	       [DWARF_ABBREV] = "abbrev",
		[DWARF_LINE] = "line",	       [DWARF_LINE_STR] = "line_str",
		[DWARF_STR] = "str",	       [DWARF_STR_OFFSETS] = "str_offsets",
		[DWARF_ADDR] = "addr",	       [DWARF_RANGES] = "ranges",
		[DWARF_RNGLISTS] = "rnglists", [DWARF_CU_INDEX] = "cu_index",
	};

	return names[s];
}

/* Where to go on if libdw has no memory: of dwarf_guard, for the handler, which is told nothing. */
static __thread jmp_buf *way_back;

void dwarf_guard_leave(void)
{
	longjmp(*way_back, 1);
}

int dwarf_guard(int (*call)(void *context), void *context)
{
	jmp_buf here, *outer = way_back;
	int rc;

	way_back = &here;
	rc = setjmp(here) ? -1 : call(context);
	way_back = outer;
	return rc;
}

void dwarf_file_set_alternate(struct dwarf_file *f, struct dwarf_file *alternate)
{
	f->alternate = alternate;
	if (f->handle)
		dwarf_setalt(f->handle, alternate ? alternate->handle : NULL);
}

struct dwarf_unit *dwarf_file_unit_at(struct dwarf_file *f, uint64_t offset)
{
	const struct dwarf_unit *u;
	size_t n = f ? vector_count_while(&f->units, u, u->offset <= offset) : 0;

	return n && offset < f->units.items[n - 1].end ? &f->units.items[n - 1] : NULL;
}

struct dwarf_unit *dwarf_file_unit_with_id(struct dwarf_file *f, uint64_t id)
{
	struct dwarf_unit *u;

	vector_each (&f->units, u)
		if (u->id == id)
			return u;
	return NULL;
}

struct cursor dwarf_form_cursor(const struct dwarf_sections *all, enum dwarf_section s,
				uint64_t offset)
{
	struct cursor c;

	cursor_init(&c, all->of[s].data, all->of[s].size, all->big_endian);
	if (offset > c.size)
		c.failed = true;
	else
		c.at = (size_t)offset;
	return c;
}

uint64_t dwarf_form_offset(struct cursor *c, unsigned offset_size)
{
	return offset_size == 8 ? cursor_u64(c) : cursor_u32(c);
}

uint64_t dwarf_form_address(struct cursor *c, unsigned address_size)
{
	switch (address_size) {
	case 8:
		return cursor_u64(c);
	case 4:
		return cursor_u32(c);
	case 2:
		return cursor_u16(c);
	case 1:
		return cursor_u8(c);
	}
	c->failed = true;
	return 0;
}

uint64_t dwarf_form_length(struct cursor *c, uint8_t *offset_size)
{
	uint64_t length = cursor_u32(c);

	*offset_size = 4;
	if (length == UINT32_MAX) {
		*offset_size = 8;
		length = cursor_u64(c);
	} else if (length >= 0xfffffff0u) {
		return 0;
	}
	return length <= cursor_left(c) ? length : 0;
}

static bool skip_block(struct cursor *c, uint64_t bytes)
{
	return bytes <= SIZE_MAX && cursor_skip(c, (size_t)bytes);
}

bool dwarf_form_skip(struct cursor *c, uint64_t form, unsigned offset_size)
{
	switch (form) {
	case DW_FORM_data1:
		return cursor_skip(c, 1);
	case DW_FORM_data2:
		return cursor_skip(c, 2);
	case DW_FORM_data4:
		return cursor_skip(c, 4);
	case DW_FORM_data8:
		return cursor_skip(c, 8);
	case DW_FORM_data16:
		return cursor_skip(c, 16);
	case DW_FORM_udata:
		cursor_uleb128(c);
		return !c->failed;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return cursor_skip(c, offset_size);
	case DW_FORM_string:
		return cursor_string(c);
	case DW_FORM_block:
		return skip_block(c, cursor_uleb128(c));
	case DW_FORM_block1:
		return skip_block(c, cursor_u8(c));
	case DW_FORM_block2:
		return skip_block(c, cursor_u16(c));
	case DW_FORM_block4:
		return skip_block(c, cursor_u32(c));
	}
	return false;
}

static const char *string_at(const struct dwarf_file *f, enum dwarf_section s, uint64_t offset)
{
	struct cursor c;

	if (!f)
		return NULL;
	c = dwarf_form_cursor(&f->sections, s, offset);
	return cursor_string(&c);
}

const char *dwarf_form_string(struct cursor *c, const struct dwarf_file *f, uint64_t form,
			      unsigned offset_size)
{
	switch (form) {
	case DW_FORM_string:
		return cursor_string(c);
	case DW_FORM_strp:
		return string_at(f, DWARF_STR, dwarf_form_offset(c, offset_size));
	case DW_FORM_line_strp:
		return string_at(f, DWARF_LINE_STR, dwarf_form_offset(c, offset_size));
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return string_at(f->alternate, DWARF_STR, dwarf_form_offset(c, offset_size));
	}
	c->failed |= !dwarf_form_skip(c, form, offset_size);
	return NULL;
}
