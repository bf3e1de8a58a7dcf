/* SPDX-License-Identifier: MIT */
/*
 * The code that an entry covers: low and high pc, .debug_ranges (DWARF 2 to 4), .debug_rnglists.
 *
 * libdw reads the lists. It finds the skeleton of a split unit only in files that it opens itself,
 * not for units that are handed to it (dwarf_package.h), so what comes from the skeleton is ours:
 * the address that lists without a base start from, and with it where a list begins; and the lists
 * of DWARF 4, which are in the skeleton's file.
 */
#include <dwarf.h>

#include "converter/dwarf/die.h"
#include "converter/dwarf/dwarf_form.h"

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

/* ---- split units ---- */

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

/* ---- */

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
