/* SPDX-License-Identifier: MIT */
/*
 * How DWARF encodes values (DWARF 5, 7.5.6), for what we read ourselves: the tables of directories
 * and files of line tables, which are made of forms since DWARF 5, and split units' ranges.
 */
#ifndef CONVERTER_DWARF_DWARF_FORM_H
#define CONVERTER_DWARF_DWARF_FORM_H

#include "converter/dwarf/dwarf.h"

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

#endif
