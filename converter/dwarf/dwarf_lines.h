/* SPDX-License-Identifier: MIT */
/*
 * Line tables of DWARF 2 to 5 (DWARF 5, 6.2). Ours rather than libdw's, since 0.188 keeps 24 bits
 * of a discriminator and drops a unit's whole table for a wider one (LLVM makes such of a base and
 * a duplication factor above 31), and keeps nothing of a table that is damaged at its end.
 */
#pragma once

#include "converter/dwarf/dwarf.h"

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
