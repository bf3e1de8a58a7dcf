/* SPDX-License-Identifier: MIT */
/* How DWARF encodes a value (DWARF 5, 7.5.6), with the forms of GNU and LLVM. */
#include <dwarf.h>
#include <string.h>

#include "converter/dwarf/dwarf.h"

/* Not in every dwarf.h. */
#define FORM_LLVM_ADDRX_OFFSET 0x2001

struct cursor dwarf_cursor(const struct dwarf_file *f, enum dwarf_section s, uint64_t offset)
{
	struct cursor c;

	cursor_init(&c, f->sections[s].data, f->sections[s].size, f->big_endian);
	if (offset > c.size)
		c.failed = true;
	else
		c.at = (size_t)offset;
	return c;
}

uint64_t dwarf_read_offset(struct cursor *c, unsigned offset_size)
{
	return offset_size == 8 ? cursor_u64(c) : cursor_u32(c);
}

uint64_t dwarf_read_address(struct cursor *c, unsigned address_size)
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

uint64_t dwarf_read_length(struct cursor *c, uint8_t *offset_size)
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

static uint64_t read_u24(struct cursor *c)
{
	const uint8_t *p = cursor_bytes(c, 3);

	if (!p)
		return 0;
	return c->big_endian ? (uint64_t)p[0] << 16 | (uint64_t)p[1] << 8 | p[2]
			     : (uint64_t)p[2] << 16 | (uint64_t)p[1] << 8 | p[0];
}

static uint64_t read_sized(struct cursor *c, unsigned bytes)
{
	return bytes == 3 ? read_u24(c) : dwarf_read_address(c, bytes);
}

static bool skip_block(struct cursor *c, uint64_t bytes)
{
	return bytes <= SIZE_MAX && cursor_skip(c, (size_t)bytes);
}

static uint64_t read_string(struct cursor *c)
{
	size_t at = c->at;

	cursor_string(c);
	return at;
}

bool dwarf_form_read(struct cursor *c, const struct dwarf_unit *u, uint64_t form,
		     int64_t implicit_const, struct dwarf_value *out)
{
	uint64_t value = 0;

	if (form == DW_FORM_indirect) {
		form = cursor_uleb128(c);
		if (form == DW_FORM_indirect || form == DW_FORM_implicit_const)
			return false;
	}
	switch (form) {
	case DW_FORM_addr:
		value = dwarf_read_address(c, u->address_size);
		break;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		value = cursor_u8(c);
		break;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		value = cursor_u16(c);
		break;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		value = read_sized(c, 3);
		break;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		value = cursor_u32(c);
		break;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		value = cursor_u64(c);
		break;
	case DW_FORM_data16:
		cursor_skip(c, 16);
		break;
	case DW_FORM_sdata:
		value = (uint64_t)cursor_sleb128(c);
		break;
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_rnglistx:
	case DW_FORM_loclistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		value = cursor_uleb128(c);
		break;
	case DW_FORM_implicit_const:
		value = (uint64_t)implicit_const;
		break;
	case DW_FORM_flag_present:
		value = 1;
		break;
	case DW_FORM_string:
		value = read_string(c);
		break;
	case DW_FORM_ref_addr:
		value = u->version <= 2 ? dwarf_read_address(c, u->address_size)
					: dwarf_read_offset(c, u->offset_size);
		break;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_GNU_ref_alt:
		value = dwarf_read_offset(c, u->offset_size);
		break;
	case DW_FORM_exprloc:
	case DW_FORM_block:
		skip_block(c, cursor_uleb128(c));
		break;
	case DW_FORM_block1:
		skip_block(c, cursor_u8(c));
		break;
	case DW_FORM_block2:
		skip_block(c, cursor_u16(c));
		break;
	case DW_FORM_block4:
		skip_block(c, cursor_u32(c));
		break;
	case FORM_LLVM_ADDRX_OFFSET:
		value = cursor_uleb128(c);
		cursor_skip(c, 4);
		break;
	default:
		return false;
	}
	*out = (struct dwarf_value){.form = (uint16_t)form, .value = value};
	return !c->failed;
}

static const char *string_at(const struct dwarf_file *f, enum dwarf_section s, uint64_t offset)
{
	struct cursor c;

	if (!f)
		return NULL;
	c = dwarf_cursor(f, s, offset);
	return cursor_string(&c);
}

static const char *indexed_string(const struct dwarf_unit *u, uint64_t index)
{
	const struct dwarf_file *f = u->file;
	struct cursor c;

	if (index > f->sections[DWARF_STR_OFFSETS].size / u->offset_size ||
	    u->str_offsets_base > f->sections[DWARF_STR_OFFSETS].size)
		return NULL;
	c = dwarf_cursor(f, DWARF_STR_OFFSETS, u->str_offsets_base + index * u->offset_size);
	index = dwarf_read_offset(&c, u->offset_size);
	return c.failed ? NULL : string_at(f, DWARF_STR, index);
}

const char *dwarf_value_string(const struct dwarf_unit *u, const struct dwarf_value *v)
{
	switch (v->form) {
	case DW_FORM_string:
		return string_at(u->file, DWARF_INFO, v->value);
	case DW_FORM_strp:
		return string_at(u->file, DWARF_STR, v->value);
	case DW_FORM_line_strp:
		return string_at(u->file, DWARF_LINE_STR, v->value);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return string_at(u->file->alternate, DWARF_STR, v->value);
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return indexed_string(u, v->value);
	}
	return NULL;
}

/* A split unit has its addresses in the program's file, at the skeleton's base. */
bool dwarf_indexed_address(const struct dwarf_unit *u, uint64_t index, uint64_t *address)
{
	const struct dwarf_unit *of = u->skeleton ? u->skeleton : u;
	struct cursor c;

	if (index > of->file->sections[DWARF_ADDR].size ||
	    of->addr_base > of->file->sections[DWARF_ADDR].size)
		return false;
	c = dwarf_cursor(of->file, DWARF_ADDR, of->addr_base + index * u->address_size);
	*address = dwarf_read_address(&c, u->address_size);
	return !c.failed;
}
