/* SPDX-License-Identifier: MIT */
/* What debuginfo.c, debuginfo_units.c and debuginfo_scopes.c share. */
#ifndef CONVERTER_DEBUGINFO_PRIVATE_H
#define CONVERTER_DEBUGINFO_PRIVATE_H

#include <elfutils/libdw.h>

#include "base/map.h"
#include "converter/debuginfo.h"

/* DIEs nested deeper than this are not read: no compiler writes them. */
#define DEBUGINFO_DEEPEST 256

/* [begin,end) belongs to number @owner. */
struct owned_range {
	uint64_t begin, end;
	uint64_t reach; /* greatest end of this one and all before it, once sorted */
	uint32_t owner;
};

struct owned_ranges {
	VECTOR(struct owned_range) list;
};

struct unit {
	Dwarf_Die die;	/* has the ranges and the line table */
	Dwarf_Die tree; /* has the functions: the same, or that of the .dwo */
	bool llvm, read;
	bool unreadable; /* has a line table, but libdw refuses it */
	VECTOR(Dwarf_Die) functions;
	struct owned_ranges function_ranges; /* owner = index in functions */
	Dwarf_Lines *lines;
	size_t line_count;
};

struct debuginfo {
	Dwarf *dwarf;
	struct strings *strings;
	VECTOR(struct unit) units;
	struct owned_ranges unit_ranges; /* owner = index in units */
	struct map origins; /* address of an abstract DIE -> its name, file and line, packed */
};

/* ---- ranges ---- */
/* Add what @die covers; -1 without memory. *any = whether it covers anything. */
int owned_ranges_add_die(struct owned_ranges *r, Dwarf_Die *die, uint32_t owner, bool *any);
void owned_ranges_sort(struct owned_ranges *r);
/* The first that may overlap [begin,...): go on from there while ->begin < your end. */
const struct owned_range *owned_ranges_from(const struct owned_ranges *r, uint64_t begin);
const struct owned_range *owned_ranges_end(const struct owned_ranges *r);

/* ---- units ---- */
int debuginfo_find_units(struct debuginfo *d);
/* Index a unit's functions, load its line table. -1 without memory. */
int debuginfo_read_unit(struct unit *u);

/* ---- scopes ---- */
/* Add the scopes of the function @die to @out, and the code that each covers to @ranges (owner =
 * scope; of two that overlap, the greater owner is the inner one). -1 without memory. */
int debuginfo_add_scopes(struct debuginfo *d, Dwarf_Die *die, struct debuginfo_function *out,
			 struct owned_ranges *ranges);
/* Make @ranges disjoint: the greatest owner wins. -1 without memory. */
int owned_ranges_flatten(struct owned_ranges *ranges);

#endif
