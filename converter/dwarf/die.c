/* SPDX-License-Identifier: MIT */
/*
 * Debugging information entries (DWARF 5, 2.1): the tree of a unit, the attributes that attribution
 * of code to source needs, and the code that an entry covers. libdw reads them; inside dwarf_guard.
 *
 * Before a value is used libdw has gone over all values of its entry, so that each is known to lie
 * inside the unit; some of what reads one value doesn't look.
 */
#include "converter/dwarf/dwarf.h"

#include <dwarf.h>
#include <string.h>

/* GCC and LLVM both write it; no standard has it, nor does every dwarf.h. */
#define AT_GNU_DISCRIMINATOR 0x2136

/* What is kept of the attributes, by their codes; 0: nothing, else one more than its number. */
static const uint8_t kept[] = {
	[DW_AT_name] = 1 + DIE_NAME,
	[DW_AT_linkage_name] = 1 + DIE_LINKAGE_NAME,
	[DW_AT_MIPS_linkage_name] = 1 + DIE_LINKAGE_NAME,
	[DW_AT_low_pc] = 1 + DIE_LOW_PC,
	[DW_AT_high_pc] = 1 + DIE_HIGH_PC,
	[DW_AT_ranges] = 1 + DIE_AT_RANGES,
	[DW_AT_decl_file] = 1 + DIE_DECL_FILE,
	[DW_AT_decl_line] = 1 + DIE_DECL_LINE,
	[DW_AT_call_line] = 1 + DIE_CALL_LINE,
	[DW_AT_call_column] = 1 + DIE_CALL_COLUMN,
	[AT_GNU_DISCRIMINATOR] = 1 + DIE_DISCRIMINATOR,
	[DW_AT_abstract_origin] = 1 + DIE_ORIGIN,
	[DW_AT_specification] = 1 + DIE_SPECIFICATION,
	[DW_AT_stmt_list] = 1 + DIE_STMT_LIST,
	[DW_AT_producer] = 1 + DIE_PRODUCER,
	[DW_AT_language] = 1 + DIE_LANGUAGE,
	[DW_AT_comp_dir] = 1 + DIE_COMP_DIR,
	[DW_AT_dwo_name] = 1 + DIE_DWO_NAME,
	[DW_AT_GNU_dwo_name] = 1 + DIE_DWO_NAME,
	[DW_AT_addr_base] = 1 + DIE_ADDR_BASE,
	[DW_AT_GNU_addr_base] = 1 + DIE_ADDR_BASE,
	[DW_AT_GNU_ranges_base] = 1 + DIE_RANGES_BASE,
};

static enum die_attribute attribute_of(unsigned name)
{
	return name < sizeof(kept) && kept[name] ? kept[name] - 1u : DIE_IGNORED;
}

static int die_keep(Dwarf_Attribute *value, void *context)
{
	struct die *d = context;
	enum die_attribute a = attribute_of(value->code);

	if (a != DIE_IGNORED) {
		d->values[a] = *value;
		d->has |= 1u << a;
	}
	return DWARF_CB_OK;
}

bool die_read(struct die *d)
{
	d->has = 0;
	if (dwarf_getattrs(&d->at, die_keep, d, 0) == 1)
		return true;
	d->has = 0;
	return false;
}

bool die_at_top(struct dwarf_unit *u, struct die *out)
{
	out->unit = u;
	out->at = u->top;
	return die_read(out);
}

void die_at(struct dwarf_unit *u, uint64_t offset, struct die *out)
{
	out->unit = u;
	out->has = 0;
	out->at = (Dwarf_Die){.addr = (char *)u->top.addr + (offset - u->entries), .cu = u->top.cu};
}

uint64_t die_offset(const struct die *d)
{
	return d->unit->entries +
	       (uint64_t)((const char *)d->at.addr - (const char *)d->unit->top.addr);
}

int die_tag(struct die *d)
{
	int tag = dwarf_tag(&d->at);

	return tag == DW_TAG_invalid ? -1 : tag;
}

/* A list of siblings of depth *depth ends at @end, with a NUL: on with those of its parents. */
static bool climb(struct die *d, const char *end, unsigned *depth)
{
	const char *limit = (const char *)d->unit->top.addr + (d->unit->end - d->unit->entries);

	while (--*depth && end && ++end < limit) {
		if (*end) {
			d->at = (Dwarf_Die){.addr = (void *)end, .cu = d->unit->top.cu};
			return true;
		}
	}
	return false;
}

bool die_step(struct die *d, bool into, unsigned *depth)
{
	Dwarf_Die next;
	int rc;

	d->has = 0;
	if (into && !dwarf_child(&d->at, &next)) {
		d->at = next;
		++*depth;
		return true;
	}
	if (!*depth)
		return false;
	rc = dwarf_siblingof(&d->at, &next);
	if (!rc)
		d->at = next;
	/* At the end of a list libdw leaves in @next where that is. To ask the parent for its
	 * sibling instead would go over all of its children again. */
	return !rc || (rc > 0 && climb(d, next.addr, depth));
}

/* A number of fixed size, as the file has it. */
static uint64_t fixed_number(const struct die *d, enum die_attribute a, unsigned bytes)
{
	struct cursor c;

	cursor_init(&c, d->values[a].valp, bytes, d->unit->file->sections.big_endian);
	return bytes == 8 ? cursor_u64(&c) : cursor_u32(&c);
}

/* libdw 0.188 looks for what DWARF 5's references to a supplementary file lead to in this one. */
static bool refer_to_supplement(const struct die *d, enum die_attribute a, Dwarf_Die *to)
{
	struct dwarf_file *f = d->unit->file->alternate;
	unsigned bytes = d->values[a].form == DW_FORM_ref_sup4 ? 4 : 8;

	return f && f->handle && dwarf_offdie(f->handle, fixed_number(d, a, bytes), to);
}

bool die_referred(const struct die *d, enum die_attribute a, struct die *out)
{
	Dwarf_Attribute value = d->values[a];
	struct dwarf_file *f = d->unit->file;
	bool elsewhere;
	Dwarf_Die to;

	if (!die_has(d, a) || value.form == DW_FORM_ref_sig8)
		return false;
	elsewhere = value.form == DW_FORM_ref_sup4 || value.form == DW_FORM_ref_sup8;
	if (elsewhere ? !refer_to_supplement(d, a, &to) : !dwarf_formref_die(&value, &to))
		return false;
	elsewhere |= value.form == DW_FORM_GNU_ref_alt;
	out->unit = to.cu == d->unit->top.cu ? d->unit
					     : dwarf_file_unit_at(elsewhere ? f->alternate : f,
								  dwarf_dieoffset(&to));
	out->at = to;
	out->has = 0;
	return out->unit && die_tag(out) > 0;
}

/* Does @text end inside a section of @f? libdw 0.188 gives strings that run off the last one. */
static bool ends_inside(const struct dwarf_file *f, const char *text)
{
	static const enum dwarf_section strings[] = {DWARF_STR, DWARF_LINE_STR, DWARF_INFO};

	for (size_t i = 0; f && i < sizeof(strings) / sizeof(*strings); i++) {
		struct bytes all = f->sections.of[strings[i]];
		uintptr_t offset = (uintptr_t)text - (uintptr_t)all.data;

		if (offset < all.size && memchr(text, '\0', all.size - offset))
			return true;
	}
	return false;
}

const char *die_string(const struct die *d, enum die_attribute a)
{
	const struct dwarf_file *f = d->unit->file;
	Dwarf_Attribute value = d->values[a];
	const char *text = die_has(d, a) ? dwarf_formstring(&value) : NULL;

	return text && (ends_inside(f, text) || ends_inside(f->alternate, text)) ? text : NULL;
}

uint64_t die_number(const struct die *d, enum die_attribute a, uint64_t otherwise)
{
	Dwarf_Attribute value = d->values[a];
	Dwarf_Word number;

	return die_has(d, a) && !dwarf_formudata(&value, &number) ? number : otherwise;
}

bool die_section_offset(const struct die *d, enum die_attribute a, uint64_t *offset)
{
	if (!die_has(d, a))
		return false;
	switch (d->values[a].form) {
	case DW_FORM_sec_offset:
		*offset = fixed_number(d, a, d->unit->offset_size);
		return true;
	case DW_FORM_data4:
		*offset = fixed_number(d, a, 4);
		return true;
	case DW_FORM_data8:
		*offset = fixed_number(d, a, 8);
		return true;
	}
	return false;
}

bool die_address(const struct die *d, enum die_attribute a, uint64_t *address)
{
	Dwarf_Attribute value = d->values[a];

	return die_has(d, a) && !dwarf_formaddr(&value, address);
}

/* Nothing is there: half of all addresses are below, and the kernel's are far above. */
#define NOWHERE (UINT64_C(1) << 63)

struct taker {
	die_take_range *take;
	void *context;
};

static int give(const struct taker *t, uint64_t begin, uint64_t end)
{
	return begin < end ? t->take(t->context, begin, end) : 0;
}

/* LLD gives what it removed the greatest address. */
static bool is_removed(const struct dwarf_unit *u, uint64_t address)
{
	return address >= (u->address_size == 4 ? UINT32_MAX : UINT64_MAX) - 1;
}

/* The list from @offset on (0: where the entry says), with a @base that it may change. */
static int read_list(struct die *d, ptrdiff_t offset, uint64_t base, const struct taker *t)
{
	Dwarf_Addr begin, end;
	int rc = 0;

	while (!rc && (offset = dwarf_ranges(&d->at, offset, &base, &begin, &end)) > 0) {
		if (is_removed(d->unit, base))
			base = NOWHERE; /* would run over, to where code is */
		else
			rc = give(t, begin, end);
	}
	return rc;
}

/* DWARF 4: in the program's file, at the skeleton's base. */
static int read_split_ranges(struct die *d, const struct taker *t)
{
	const struct dwarf_unit *u = d->unit, *of = u->skeleton;
	const struct dwarf_sections *all = &of->file->sections;
	uint64_t escape = u->address_size == 4 ? UINT32_MAX : UINT64_MAX, base = of->low_pc;
	struct cursor c;
	uint64_t offset;
	int rc = 0;

	if (!die_section_offset(d, DIE_AT_RANGES, &offset) || offset > all->of[DWARF_RANGES].size ||
	    of->ranges_base > all->of[DWARF_RANGES].size)
		return 0;
	c = dwarf_form_cursor(all, DWARF_RANGES, of->ranges_base + offset);
	while (!rc) {
		uint64_t begin = dwarf_form_address(&c, u->address_size);
		uint64_t end = dwarf_form_address(&c, u->address_size);

		if (c.failed || (!begin && !end))
			return 0;
		if (begin == escape)
			base = end;
		else
			rc = give(t, base + begin, base + end);
	}
	return rc;
}

/* Where the list begins in .debug_rnglists; 0 if damaged. */
static uint64_t split_list(const struct die *d)
{
	const struct dwarf_unit *u = d->unit;
	const struct dwarf_sections *all = &u->file->sections;
	const uint8_t *value = d->values[DIE_AT_RANGES].valp;
	const uint8_t *end = (const uint8_t *)u->top.addr + (u->end - u->entries);
	/* behind the header of the unit's lists; no attribute says it in a split unit */
	uint64_t base = u->offset_size == 8 ? 20 : 12, offset;
	struct cursor c;

	if (d->values[DIE_AT_RANGES].form != DW_FORM_rnglistx)
		return die_section_offset(d, DIE_AT_RANGES, &offset) ? offset : 0;
	cursor_init(&c, value, (size_t)(end - value), all->big_endian);
	offset = cursor_uleb128(&c);
	if (offset > all->of[DWARF_RNGLISTS].size)
		return 0;
	c = dwarf_form_cursor(all, DWARF_RNGLISTS, base + offset * u->offset_size);
	offset = dwarf_form_offset(&c, u->offset_size);
	return c.failed || offset >= all->of[DWARF_RNGLISTS].size ? 0 : base + offset;
}

static int read_split_list(struct die *d, const struct taker *t)
{
	uint64_t offset = split_list(d);

	if (offset < 2 || offset >= d->unit->file->sections.of[DWARF_RNGLISTS].size)
		return 0;
	return read_list(d, (ptrdiff_t)offset, d->unit->skeleton->low_pc, t);
}

int die_ranges(struct die *d, die_take_range *take, void *context)
{
	const struct taker t = {take, context};
	uint64_t low, high;

	if (die_has(d, DIE_LOW_PC) && die_has(d, DIE_HIGH_PC)) {
		if (!die_address(d, DIE_LOW_PC, &low))
			return 0;
		/* an address, or else the size */
		if (!die_address(d, DIE_HIGH_PC, &high))
			high = low + die_number(d, DIE_HIGH_PC, 0);
		return give(&t, low, high);
	}
	if (!die_has(d, DIE_AT_RANGES))
		return 0;
	if (!d->unit->skeleton)
		return read_list(d, 0, 0, &t);
	return d->unit->version >= 5 ? read_split_list(d, &t) : read_split_ranges(d, &t);
}
