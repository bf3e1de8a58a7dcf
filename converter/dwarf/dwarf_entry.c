/* SPDX-License-Identifier: MIT */
/* Abbreviations and entries of .debug_info (DWARF 5, 7.5). */
#include <dwarf.h>

#include "base/memory.h"
#include "converter/dwarf/dwarf.h"

/* Of GCC and LLVM alike; no standard has it, nor does every dwarf.h. */
#define AT_GNU_DISCRIMINATOR 0x2136

struct specification {
	uint16_t form;
	uint8_t attribute; /* enum dwarf_attribute */
	int64_t implicit_const;
};

struct abbrev {
	uint64_t code;
	uint16_t tag;
	bool children;
	size_t first, count; /* in specifications */
};

struct dwarf_abbrevs {
	VECTOR(struct abbrev) list;
	VECTOR(struct specification) specifications;
};

static enum dwarf_attribute attribute_of(uint64_t name)
{
	switch (name) {
	case DW_AT_name:
		return DWARF_NAME;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		return DWARF_LINKAGE_NAME;
	case DW_AT_low_pc:
		return DWARF_LOW_PC;
	case DW_AT_high_pc:
		return DWARF_HIGH_PC;
	case DW_AT_ranges:
		return DWARF_AT_RANGES;
	case DW_AT_sibling:
		return DWARF_SIBLING;
	case DW_AT_decl_file:
		return DWARF_DECL_FILE;
	case DW_AT_decl_line:
		return DWARF_DECL_LINE;
	case DW_AT_call_line:
		return DWARF_CALL_LINE;
	case AT_GNU_DISCRIMINATOR:
		return DWARF_DISCRIMINATOR;
	case DW_AT_abstract_origin:
		return DWARF_ORIGIN;
	case DW_AT_specification:
		return DWARF_SPECIFICATION;
	case DW_AT_stmt_list:
		return DWARF_STMT_LIST;
	case DW_AT_producer:
		return DWARF_PRODUCER;
	case DW_AT_comp_dir:
		return DWARF_COMP_DIR;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		return DWARF_DWO_NAME;
	case DW_AT_GNU_dwo_id:
		return DWARF_DWO_ID;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		return DWARF_ADDR_BASE;
	case DW_AT_str_offsets_base:
		return DWARF_STR_OFFSETS_BASE;
	case DW_AT_rnglists_base:
		return DWARF_RNGLISTS_BASE;
	case DW_AT_GNU_ranges_base:
		return DWARF_RANGES_BASE;
	}
	return DWARF_IGNORED;
}

/* ---- abbreviations ---- */

static int read_specifications(struct cursor *c, struct dwarf_abbrevs *all)
{
	for (;;) {
		uint64_t name = cursor_uleb128(c), form = cursor_uleb128(c);
		struct specification *s;

		if (c->failed || (!name && !form))
			return 0;
		s = vector_push(&all->specifications);
		if (!s)
			return -1;
		*s = (struct specification){
			.form = form <= UINT16_MAX ? (uint16_t)form : UINT16_MAX,
			.attribute = (uint8_t)attribute_of(name),
		};
		if (form == DW_FORM_implicit_const)
			s->implicit_const = cursor_sleb128(c);
	}
}

static int read_abbrevs(struct cursor *c, struct dwarf_abbrevs *all)
{
	uint64_t code;

	while ((code = cursor_uleb128(c))) {
		struct abbrev *a = vector_push(&all->list);
		uint64_t tag = cursor_uleb128(c);

		if (!a)
			return -1;
		*a = (struct abbrev){
			.code = code,
			.tag = tag && tag <= UINT16_MAX ? (uint16_t)tag : UINT16_MAX,
			.children = cursor_u8(c),
			.first = all->specifications.count,
		};
		if (read_specifications(c, all))
			return -1;
		a->count = all->specifications.count - a->first;
		if (c->failed) {
			all->list.count--; /* half an abbreviation is none */
			break;
		}
	}
	return 0;
}

static void abbrevs_free(struct dwarf_abbrevs *a)
{
	if (!a)
		return;
	vector_deinit(&a->list);
	vector_deinit(&a->specifications);
	memory_free(a);
}

static struct dwarf_abbrevs *load_abbrevs(struct dwarf_file *f, uint64_t offset)
{
	struct cursor c = dwarf_cursor(f, DWARF_ABBREV, offset);
	struct map_entry *known = map_at(&f->abbrevs_at, offset, 0);
	struct dwarf_abbrevs *all, **slot;

	if (!known)
		return NULL;
	if (known->n)
		return f->abbrevs.items[known->n - 1];
	all = memory_alloc(sizeof(*all));
	slot = all ? vector_push(&f->abbrevs) : NULL;
	if (!slot || read_abbrevs(&c, all)) {
		if (slot)
			f->abbrevs.count--;
		abbrevs_free(all);
		return NULL;
	}
	*slot = all;
	known->n = f->abbrevs.count;
	return all;
}

void dwarf_file_deinit(struct dwarf_file *f)
{
	struct dwarf_abbrevs **a;

	vector_each (&f->abbrevs, a)
		abbrevs_free(*a);
	vector_deinit(&f->abbrevs);
	vector_deinit(&f->units);
	map_deinit(&f->abbrevs_at);
}

/* Compilers number from 1 up: the code is nearly always the place. */
static const struct abbrev *find_abbrev(const struct dwarf_abbrevs *all, uint64_t code)
{
	const struct abbrev *a;

	if (code <= all->list.count && all->list.items[code - 1].code == code)
		return &all->list.items[code - 1];
	vector_each (&all->list, a)
		if (a->code == code)
			return a;
	return NULL;
}

/* ---- entries ---- */

bool dwarf_entry_at(struct dwarf_unit *u, size_t offset, struct dwarf_entry *out)
{
	struct cursor c = dwarf_cursor(u->file, DWARF_INFO, offset);
	const struct specification *s;
	const struct abbrev *a;
	uint64_t code;

	if (offset < u->entries || offset >= u->end)
		return false;
	if (!u->abbrevs)
		u->abbrevs = load_abbrevs(u->file, u->abbrevs_offset);
	if (!u->abbrevs)
		return false;
	c.size = u->end;
	code = cursor_uleb128(&c);
	out->unit = u;
	out->offset = offset;
	out->has = 0;
	out->tag = 0;
	out->children = false;
	out->next = c.at;
	if (!code)
		return !c.failed;
	a = find_abbrev(u->abbrevs, code);
	if (!a)
		return false;
	out->tag = a->tag;
	out->children = a->children;
	s = a->count ? u->abbrevs->specifications.items + a->first : NULL;
	for (size_t i = 0; i < a->count; i++) {
		struct dwarf_value v;

		if (!dwarf_form_read(&c, u, s[i].form, s[i].implicit_const, &v))
			return false;
		if (s[i].attribute != DWARF_IGNORED) {
			out->values[s[i].attribute] = v;
			out->has |= 1u << s[i].attribute;
		}
	}
	out->next = c.at;
	return true;
}

static bool is_reference_in_unit(uint16_t form)
{
	return form == DW_FORM_ref1 || form == DW_FORM_ref2 || form == DW_FORM_ref4 ||
	       form == DW_FORM_ref8 || form == DW_FORM_ref_udata;
}

size_t dwarf_entry_after(const struct dwarf_entry *e)
{
	const struct dwarf_value *sibling = &e->values[DWARF_SIBLING];
	struct dwarf_unit *u = e->unit;
	struct dwarf_entry one;
	size_t at = e->next, depth = 1;

	if (!e->children)
		return at;
	if (dwarf_has(e, DWARF_SIBLING) && is_reference_in_unit(sibling->form) &&
	    sibling->value < u->end - u->offset && u->offset + sibling->value > at)
		return u->offset + (size_t)sibling->value;
	while (depth) {
		if (!dwarf_entry_at(u, at, &one))
			return 0;
		at = one.next;
		if (!one.tag)
			depth--;
		else if (one.children)
			depth++;
	}
	return at;
}

static struct dwarf_unit *unit_of(struct dwarf_file *f, uint64_t offset)
{
	size_t low = 0, high = f ? f->units.count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->units.items[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low && offset < f->units.items[low - 1].end ? &f->units.items[low - 1] : NULL;
}

bool dwarf_entry_referred(const struct dwarf_entry *e, enum dwarf_attribute a,
			  struct dwarf_entry *out)
{
	const struct dwarf_value *v = &e->values[a];
	struct dwarf_unit *u = e->unit;
	uint64_t offset = v->value;

	if (!dwarf_has(e, a))
		return false;
	if (is_reference_in_unit(v->form)) {
		if (offset >= u->end - u->offset)
			return false;
		offset += u->offset;
	} else if (v->form == DW_FORM_ref_addr) {
		u = unit_of(u->file, offset);
	} else if (v->form == DW_FORM_GNU_ref_alt || v->form == DW_FORM_ref_sup4 ||
		   v->form == DW_FORM_ref_sup8) {
		u = unit_of(u->file->alternate, offset);
	} else {
		return false;
	}
	return u && dwarf_entry_at(u, (size_t)offset, out) && out->tag;
}

const char *dwarf_entry_string(const struct dwarf_entry *e, enum dwarf_attribute a)
{
	return dwarf_has(e, a) ? dwarf_value_string(e->unit, &e->values[a]) : NULL;
}

uint64_t dwarf_entry_number(const struct dwarf_entry *e, enum dwarf_attribute a, uint64_t otherwise)
{
	return dwarf_has(e, a) ? e->values[a].value : otherwise;
}

bool dwarf_entry_address(const struct dwarf_entry *e, enum dwarf_attribute a, uint64_t *address)
{
	const struct dwarf_value *v = &e->values[a];

	if (!dwarf_has(e, a))
		return false;
	switch (v->form) {
	case DW_FORM_addr:
		*address = v->value;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return dwarf_indexed_address(e->unit, v->value, address);
	}
	return false;
}
