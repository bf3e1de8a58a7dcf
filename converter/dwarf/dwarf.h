/* SPDX-License-Identifier: MIT */
/*
 * Reading DWARF 2 to 5 (dwarfstd.org) from sections in memory: units, entries, ranges, line tables;
 * only what attribution of code to source needs. Ours rather than libdw's, because Debian 12's
 * (elfutils 0.188) drops a unit's whole line table for one discriminator of 2^24 or more, doesn't
 * read the index of a .dwp, nor sections that are compressed with zstd.
 *
 * Everything is bounds-checked: damaged input gives less, or says that it is damaged, and never
 * reads elsewhere. Nothing here allocates but the unit list, abbreviations and line tables.
 */
#ifndef CONVERTER_DWARF_DWARF_H
#define CONVERTER_DWARF_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "base/map.h"
#include "base/vector.h"

enum dwarf_section {
	DWARF_INFO,
	DWARF_ABBREV,
	DWARF_LINE,
	DWARF_LINE_STR,
	DWARF_STR,
	DWARF_STR_OFFSETS,
	DWARF_ADDR,
	DWARF_RANGES,
	DWARF_RNGLISTS,
	DWARF_CU_INDEX,
	DWARF_SECTIONS
};

struct dwarf_bytes {
	const uint8_t *data;
	size_t size;
};

/* ---- units ---- */

struct dwarf_abbrevs;
struct dwarf_unit;

/* The DWARF of one file, or of one unit of a .dwp. The bytes are borrowed. */
struct dwarf_file {
	struct dwarf_bytes sections[DWARF_SECTIONS];
	bool big_endian;
	bool damaged;			 /* some unit header made no sense: the rest was not read */
	struct dwarf_file *alternate;	 /* what dwz took out of several files; NULL if none */
	VECTOR(struct dwarf_unit) units; /* compile, partial, skeleton, split: ascending */
	VECTOR(struct dwarf_abbrevs *) abbrevs;
	struct map abbrevs_at; /* offset -> n = index in abbrevs */
};

struct dwarf_unit {
	struct dwarf_file *file;
	size_t offset, entries, end; /* in .debug_info: its header, first entry, exclusive end */
	uint16_t version;
	uint8_t address_size, offset_size;
	uint8_t type; /* DW_UT_* */
	uint64_t abbrevs_offset;
	const struct dwarf_abbrevs *abbrevs; /* read on first use */
	/* From its own entry; a split unit's come from the skeleton. */
	uint64_t id, str_offsets_base, addr_base, rnglists_base, ranges_base, low_pc;
	struct dwarf_unit *skeleton; /* of a split unit: whose .debug_addr and ranges it uses */
};

/* Find the units: fills ->units and what their own entries say. -1 without memory. */
int dwarf_file_read_units(struct dwarf_file *f);
void dwarf_file_deinit(struct dwarf_file *f);
/* A cursor at @offset of a section. */
struct cursor dwarf_cursor(const struct dwarf_file *f, enum dwarf_section s, uint64_t offset);

/* ---- entries ---- */

enum dwarf_attribute {
	DWARF_NAME,
	DWARF_LINKAGE_NAME,
	DWARF_LOW_PC,
	DWARF_HIGH_PC,
	DWARF_AT_RANGES,
	DWARF_SIBLING,
	DWARF_DECL_FILE,
	DWARF_DECL_LINE,
	DWARF_CALL_LINE,
	DWARF_DISCRIMINATOR,
	DWARF_ORIGIN,
	DWARF_SPECIFICATION,
	DWARF_STMT_LIST,
	DWARF_PRODUCER,
	DWARF_COMP_DIR,
	DWARF_DWO_NAME,
	DWARF_DWO_ID,
	DWARF_ADDR_BASE,
	DWARF_STR_OFFSETS_BASE,
	DWARF_RNGLISTS_BASE,
	DWARF_RANGES_BASE,
	DWARF_ATTRIBUTES,
	DWARF_IGNORED = DWARF_ATTRIBUTES
};

struct dwarf_value {
	uint16_t form;
	uint64_t value; /* number, index or offset, as the form has it */
};

struct dwarf_entry {
	struct dwarf_unit *unit;
	size_t offset, next; /* next: its first child, or what follows it */
	uint16_t tag;	     /* 0: the end of a list of siblings */
	bool children;
	uint32_t has; /* bit per attribute */
	struct dwarf_value values[DWARF_ATTRIBUTES];
};

/* The entry at @offset of .debug_info, inside @u. False if damaged (or without memory). */
bool dwarf_entry_at(struct dwarf_unit *u, size_t offset, struct dwarf_entry *out);
/* The offset behind an entry and its children; 0 if damaged. */
size_t dwarf_entry_after(const struct dwarf_entry *e);
static inline bool dwarf_has(const struct dwarf_entry *e, enum dwarf_attribute a)
{
	return e->has >> a & 1;
}
/* The entry that a reference leads to, in whichever unit; false if none. */
bool dwarf_entry_referred(const struct dwarf_entry *e, enum dwarf_attribute a,
			  struct dwarf_entry *out);
/* A string, or NULL. */
const char *dwarf_entry_string(const struct dwarf_entry *e, enum dwarf_attribute a);
/* A number; @otherwise if absent. */
uint64_t dwarf_entry_number(const struct dwarf_entry *e, enum dwarf_attribute a,
			    uint64_t otherwise);
/* An address; false if absent or damaged. */
bool dwarf_entry_address(const struct dwarf_entry *e, enum dwarf_attribute a, uint64_t *address);

/* Hand every non-empty range of code of @e to @take, until that returns non-zero, which is
 * returned. Damaged ranges end the list. */
typedef int dwarf_take_range(void *context, uint64_t begin, uint64_t end);
int dwarf_entry_ranges(const struct dwarf_entry *e, dwarf_take_range *take, void *context);

/* ---- line tables ---- */

struct dwarf_row {
	uint64_t address;
	int32_t line; /* 0 = none */
	uint32_t discriminator;
	bool end; /* of a sequence: no code from here on */
};

struct dwarf_lines {
	VECTOR(struct dwarf_row) rows; /* ascending; of equal addresses, ends come first */
	VECTOR(const char *) files;    /* base names, by DW_AT_decl_file */
	bool damaged;		       /* what was read until then is there */
};

/* The line table at @offset of .debug_line for @u, for @out started zeroed. -1 without memory. */
int dwarf_lines_read(const struct dwarf_unit *u, uint64_t offset, struct dwarf_lines *out);
/* Its files only. */
int dwarf_lines_read_files(const struct dwarf_unit *u, uint64_t offset, struct dwarf_lines *out);
void dwarf_lines_deinit(struct dwarf_lines *l);

/* ---- forms: for the files of this reader ---- */

/* Read one value. False if the form is not known, or the bytes end. */
bool dwarf_form_read(struct cursor *c, const struct dwarf_unit *u, uint64_t form,
		     int64_t implicit_const, struct dwarf_value *out);
const char *dwarf_value_string(const struct dwarf_unit *u, const struct dwarf_value *v);
/* The address of entry @index in the unit's part of .debug_addr. */
bool dwarf_indexed_address(const struct dwarf_unit *u, uint64_t index, uint64_t *address);
uint64_t dwarf_read_offset(struct cursor *c, unsigned offset_size);
uint64_t dwarf_read_address(struct cursor *c, unsigned address_size);
/* The length of a unit; *offset_size becomes 4 or 8. 0 if damaged. */
uint64_t dwarf_read_length(struct cursor *c, uint8_t *offset_size);

#endif
