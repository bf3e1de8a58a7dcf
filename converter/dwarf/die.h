/* SPDX-License-Identifier: MIT */
/*
 * Debugging information entries (DWARF 5, 2.1): the tree of a unit, the attributes that attribution
 * of code to source needs, and the code that an entry covers. libdw reads them; inside dwarf_guard.
 *
 * Before a value is used libdw has gone over all values of its entry, so that each is known to lie
 * inside the unit; some of what reads one value doesn't look.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "converter/dwarf/dwarf.h"

enum die_attribute {
	DIE_NAME,
	DIE_LINKAGE_NAME,
	DIE_LOW_PC,
	DIE_HIGH_PC,
	DIE_AT_RANGES,
	DIE_DECL_FILE,
	DIE_DECL_LINE,
	DIE_CALL_LINE,
	DIE_CALL_COLUMN,
	DIE_DISCRIMINATOR,
	DIE_ORIGIN,
	DIE_SPECIFICATION,
	DIE_STMT_LIST,
	DIE_PRODUCER,
	DIE_LANGUAGE,
	DIE_COMP_DIR,
	DIE_DWO_NAME,
	DIE_ADDR_BASE,
	DIE_RANGES_BASE,
	DIE_ATTRIBUTES,
	DIE_IGNORED = DIE_ATTRIBUTES
};

struct die {
	struct dwarf_unit *unit;
	Dwarf_Die at;
	uint32_t has; /* bit per attribute, once read */
	Dwarf_Attribute values[DIE_ATTRIBUTES];
};

/* A unit's own entry, read. False if damaged. */
bool die_at_top(struct dwarf_unit *u, struct die *out);
/* The entry at an offset of .debug_info that die_offset gave, not read. */
void die_at(struct dwarf_unit *u, uint64_t offset, struct die *out);
uint64_t die_offset(const struct die *d);
/* DW_TAG_*; -1 if damaged. */
int die_tag(struct die *d);
/* Read the attributes. False if damaged. */
bool die_read(struct die *d);

/*
 * Go on to the next entry in the order of the file, in which children follow their parent: with
 * its children if @into, else behind them. *depth follows, and is not to become 0: false then,
 * which is the end, or if the tree is damaged.
 */
bool die_step(struct die *d, bool into, unsigned *depth);

static inline bool die_has(const struct die *d, enum die_attribute a)
{
	return d->has >> a & 1;
}
/* The entry that a reference leads to, in whichever unit, not read; false if none. */
bool die_referred(const struct die *d, enum die_attribute a, struct die *out);
/* A string, or NULL. */
const char *die_string(const struct die *d, enum die_attribute a);
/* A number; @otherwise if absent or damaged. */
uint64_t die_number(const struct die *d, enum die_attribute a, uint64_t otherwise);
/* An offset into a section, whether this file has that section or not; false if absent. */
bool die_section_offset(const struct die *d, enum die_attribute a, uint64_t *offset);
/* An address; false if absent or damaged. */
bool die_address(const struct die *d, enum die_attribute a, uint64_t *address);

/* Hand every non-empty range of code of @d to @take, until that returns non-zero, which is
 * returned. Damaged ranges end the list. (die_ranges.c) */
typedef int die_take_range(void *context, uint64_t begin, uint64_t end);
int die_ranges(struct die *d, die_take_range *take, void *context);
