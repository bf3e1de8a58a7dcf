/* SPDX-License-Identifier: MIT */
/*
 * The debug information of one file (DWARF 2 to 5, dwarfstd.org): its sections, its units, and the
 * handle by which elfutils' libdw reads the tree of DIEs (die.c). One handle belongs to one thread.
 *
 * Ours is what libdw 0.188, Debian 12's, can't do: line tables (dwarf_lines.c), units inside a .dwp
 * (dwarf_package.c), sections that are compressed with zstd
 * (converter/debuginfo/debuginfo_private.h).
 *
 * How DWARF encodes values (DWARF 5, 7.5.6), for what we read ourselves: the tables of directories
 * and files of line tables, which are made of forms since DWARF 5, and split units' ranges.
 */
#pragma once

#include <elfutils/libdw.h>

#include "base/cursor.h"
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

struct dwarf_sections {
	struct bytes of[DWARF_SECTIONS];
	bool big_endian;
};

/* "info" of ".debug_info", and so on. */
const char *dwarf_section_name(enum dwarf_section s);

struct dwarf_unit {
	struct dwarf_file *file;
	Dwarf_Die top;	      /* its own DIE */
	uint64_t offset, end; /* in .debug_info: its header, exclusive end */
	uint64_t entries;     /* its own DIE */
	uint64_t id;	      /* of a skeleton and its split unit; else 0 */
	uint64_t low_pc;      /* of its own DIE; 0 if none */
	uint64_t addr_base, ranges_base;
	uint16_t version;
	uint8_t address_size, offset_size;
	struct dwarf_unit *skeleton; /* of a split unit: whose ranges and line table it uses */
};

/* The bytes are borrowed. */
struct dwarf_file {
	struct dwarf_sections sections;	 /* as libdw has them, for what we read ourselves */
	struct dwarf_file *alternate;	 /* what dwz took out of several files; NULL if none */
	VECTOR(struct dwarf_unit) units; /* of code: compile, partial, skeleton, split; ascending */
	Dwarf *handle;			 /* NULL if there is nothing to read */
	Elf *elf;
	uint8_t *image; /* of elf, if it was made here */
};

/* What references to a file that dwz shared lead to; NULL: nowhere. @alternate must live longer. */
void dwarf_file_set_alternate(struct dwarf_file *f, struct dwarf_file *alternate);
/* The unit that holds @offset of .debug_info, or NULL. */
struct dwarf_unit *dwarf_file_unit_at(struct dwarf_file *f, uint64_t offset);
/* The unit of that id, or NULL. */
struct dwarf_unit *dwarf_file_unit_with_id(struct dwarf_file *f, uint64_t id);

/*
 * libdw ends the process if it has no memory, unless a handler doesn't return. So everything that
 * calls it runs inside this: what @call returns, or -1 without memory, and @call was left then.
 * 0.188 asks for a unit's table of abbreviations without a look at the answer: no help for that.
 */
int dwarf_guard(int (*call)(void *context), void *context);
/* The handler: leaves the call. */
__attribute__((noreturn)) void dwarf_guard_leave(void);

/* A cursor at @offset of a section. */
struct cursor dwarf_form_cursor(const struct dwarf_sections *all, enum dwarf_section s,
				uint64_t offset);
uint64_t dwarf_form_offset(struct cursor *c, unsigned offset_size);
uint64_t dwarf_form_address(struct cursor *c, unsigned address_size);
/* The length of a unit; *offset_size becomes 4 or 8. 0 if damaged. */
uint64_t dwarf_form_length(struct cursor *c, uint8_t *offset_size);

/* Skip a value of a line table's header. False if the form is not known, or the bytes end. */
bool dwarf_form_skip(struct cursor *c, uint64_t form, unsigned offset_size);
/* Read a string there; NULL if it is none, or damaged (c->failed). */
const char *dwarf_form_string(struct cursor *c, const struct dwarf_file *f, uint64_t form,
			      unsigned offset_size);

struct dwarf_image {
	uint8_t *bytes; /* to be freed with memory_free */
	size_t size;
	uint8_t *at[DWARF_SECTIONS]; /* where the bytes of each are to be written */
};

/* With sections of @sizes bytes, 0 for those that it doesn't have. -1 without memory. */
int dwarf_image_init(struct dwarf_image *image, const size_t sizes[DWARF_SECTIONS],
		     bool big_endian);
/* Section @s is not there after all. */
void dwarf_image_drop(struct dwarf_image *image, enum dwarf_section s);

/*
 * Have libdw read @elf, and find the units; @elf is then @f's, which starts zeroed but for its
 * sections, as is @image, unless NULL. What is damaged gives fewer units. -1 without memory.
 */
int dwarf_open(struct dwarf_file *f, Elf *elf, uint8_t *image);
/* Open by an ELF file in memory that is made of @f's sections, which are copied to it. */
int dwarf_open_sections(struct dwarf_file *f);
void dwarf_close(struct dwarf_file *f);

/* Do these sections have an index? */
bool dwarf_package_is(const struct dwarf_sections *all);

/*
 * The unit that @skeleton stands for, from the sections of its .dwo, or of a .dwp. *out has it, to
 * be freed with dwarf_package_unit_free, and borrows nothing; NULL if it is not there, or damaged.
 * -1 without memory.
 */
int dwarf_package_unit(const struct dwarf_sections *all, struct dwarf_unit *skeleton,
		       struct dwarf_file **out);
void dwarf_package_unit_free(struct dwarf_file *f);

/* ---- line tables (dwarf_lines.c) ------------------------------------------------------------ */

struct dwarf_row {
	uint64_t address;
	int32_t line;	 /* 0 = none */
	uint32_t column; /* 0 = none */
	uint32_t file;	 /* in files */
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

/* ---- the tree of DIEs (die.c) --------------------------------------------------------------- */

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
 * returned. Damaged ranges end the list. */
typedef int die_take_range(void *context, uint64_t begin, uint64_t end);
int die_ranges(struct die *d, die_take_range *take, void *context);
