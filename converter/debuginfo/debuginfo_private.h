/* SPDX-License-Identifier: MIT */
/* The parts of debuginfo.h's handle, for debuginfo*.c and dwarf_load.c. */
#pragma once

#include "base/map.h"
#include "converter/binary/binary.h"
#include "converter/debuginfo/debuginfo.h"
#include "converter/dwarf/dwarf.h"
#include "converter/elf/elf_file.h"

/* The sections of a .dwo or .dwp, which are named .debug_*.dwo. */
struct dwarf_load_split {
	struct dwarf_sections sections; /* borrowed from the file, or expanded */
	uint8_t *expanded[DWARF_SECTIONS];
};

/* Entries nested deeper than this are not read: no compiler writes them. */
#define DEBUGINFO_DEEPEST 256

/* [begin,end) belongs to number @owner. */
struct debuginfo_range {
	uint64_t begin, end;
	uint64_t reach; /* greatest end of this one and all before it, once sorted */
	uint32_t owner;
};

struct debuginfo_ranges {
	VECTOR(struct debuginfo_range) list;
};

struct unit {
	struct dwarf_unit *own;	 /* has the ranges and the line table */
	struct dwarf_unit *tree; /* has the functions: the same, or that of the .dwo */
	uint32_t file;		 /* base name of its source, in debuginfo.strings; 0 = unknown */
	uint32_t name;		 /* its source as the compiler was given it */
	uint32_t path;		 /* the same below the directory of the compilation */
	struct producer producer;
	bool llvm, indexed, read;
	bool unreadable;	    /* has a line table, but it is damaged */
	bool no_split;		    /* its functions are in a .dwo that was not found */
	VECTOR(uint64_t) functions; /* offsets in tree */
	struct debuginfo_ranges function_ranges; /* owner = index in functions */
	struct dwarf_lines lines;
	VECTOR(uint32_t) file_names; /* of lines.files, in debuginfo.strings */
};

struct debuginfo {
	struct binary_debug_sources from;
	struct dwarf_file dwarf, alternate;

	/* split units */
	bool package_searched;
	struct elf_file *package; /* NULL if there is none */
	struct dwarf_load_split package_sections;
	VECTOR(struct dwarf_file *) splits; /* one per unit */
	size_t splits_found, splits_missing;

	struct strings *strings;
	VECTOR(struct unit) units;
	struct debuginfo_ranges unit_ranges; /* owner = index in units */
	struct map origins;  /* file and offset of an entry -> its name, file and line, packed */
	struct map files_at; /* file and offset of a line table -> n = index in files, + 1 */
	VECTOR(struct dwarf_lines *) files;
};

/* ---- ranges ---- */
/* Add what @e covers; -1 without memory. *any = whether it covers anything. */
int debuginfo_ranges_add(struct debuginfo_ranges *r, struct die *e, uint32_t owner, bool *any);
void debuginfo_ranges_sort(struct debuginfo_ranges *r);
/* The first that may overlap [begin,...): go on from there while ->begin < your end. */
const struct debuginfo_range *debuginfo_ranges_from(const struct debuginfo_ranges *r,
						    uint64_t begin);
const struct debuginfo_range *debuginfo_ranges_end(const struct debuginfo_ranges *r);

/* ---- units ---- */
int debuginfo_find_units(struct debuginfo *d);
/* Index a unit's functions, load its line table. -1 without memory. */
int debuginfo_read_unit(struct debuginfo *d, struct unit *u);

/* ---- scopes ---- */
/* Add the scopes of the function at @offset of @u to @out, and the code that each covers to @ranges
 * (owner = scope; of two that overlap, the greater owner is the inner one). -1 without memory. */
int debuginfo_add_scopes(struct debuginfo *d, struct dwarf_unit *u, uint64_t offset,
			 struct debuginfo_function *out, struct debuginfo_ranges *ranges);
/* Make @ranges disjoint: the greatest owner wins. -1 without memory. */
int debuginfo_ranges_flatten(struct debuginfo_ranges *ranges);

/* The DWARF of a program or a debug file, which must live longer, for @out started zeroed. -1
 * without memory; no or damaged DWARF gives no units. */
int dwarf_load(const struct elf_file *f, struct dwarf_file *out);

/* -1 without memory. */
int dwarf_load_split(const struct elf_file *f, struct dwarf_load_split *out);
void dwarf_load_split_deinit(struct dwarf_load_split *s);
