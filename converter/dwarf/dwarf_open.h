/* SPDX-License-Identifier: MIT */
/* From sections to units: opening what dwarf.h describes. */
#ifndef CONVERTER_DWARF_DWARF_OPEN_H
#define CONVERTER_DWARF_DWARF_OPEN_H

#include "converter/dwarf/dwarf.h"

/*
 * Have libdw read @elf, and find the units; @elf is then @f's, which starts zeroed but for its
 * sections, as is @image, unless NULL. What is damaged gives fewer units. -1 without memory.
 */
int dwarf_open(struct dwarf_file *f, Elf *elf, uint8_t *image);
/* The same by an ELF file in memory that is made of @f's sections, which are copied to it. */
int dwarf_open_sections(struct dwarf_file *f);
void dwarf_close(struct dwarf_file *f);

#endif
