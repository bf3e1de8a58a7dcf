/* SPDX-License-Identifier: MIT */
/*
 * The debug sections of an ELF file, decompressed, and libdw's handle of them. What libdw 0.188
 * can't read is made into an ELF file in memory that it can: sections compressed with zstd; several
 * .debug_info, of which it takes the first; damaged tables of sections, where it would give up.
 */
#ifndef CONVERTER_DEBUGINFO_DWARF_LOAD_H
#define CONVERTER_DEBUGINFO_DWARF_LOAD_H

#include "converter/dwarf/dwarf.h"
#include "converter/elf/elf_file.h"

/* The DWARF of a program or a debug file, which must live longer, for @out started zeroed. -1
 * without memory; no or damaged DWARF gives no units. */
int dwarf_load(const struct elf_file *f, struct dwarf_file *out);

/* The sections of a .dwo or .dwp, which are named .debug_*.dwo. */
struct dwarf_load_split {
	struct dwarf_sections sections; /* borrowed from the file, or expanded */
	uint8_t *expanded[DWARF_SECTIONS];
};

/* -1 without memory. */
int dwarf_load_split(const struct elf_file *f, struct dwarf_load_split *out);
void dwarf_load_split_deinit(struct dwarf_load_split *s);

#endif
