/* SPDX-License-Identifier: MIT */
/*
 * The debug information of one file (DWARF 2 to 5, dwarfstd.org): its sections, its units, and the
 * handle by which elfutils' libdw reads the tree of DIEs (die.h). One handle belongs to one thread.
 *
 * Ours is what libdw 0.188, Debian 12's, can't do: line tables (dwarf_lines.h), units inside a .dwp
 * (dwarf_package.h), sections that are compressed with zstd
 * (converter/debuginfo/debuginfo_private.h).
 *
 * How DWARF encodes values (DWARF 5, 7.5.6), for what we read ourselves: the tables of directories
 * and files of line tables, which are made of forms since DWARF 5, and split units' ranges.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
