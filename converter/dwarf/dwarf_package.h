/* SPDX-License-Identifier: MIT */
/*
 * Split units (DWARF 5, 7.3.2, 7.3.5; GNU's of DWARF 4) for libdw, which doesn't read the index of
 * a .dwp before 0.192: the bytes that are one unit's are cut out and handed over as a file of their
 * own, with the addresses of its skeleton.
 */
#ifndef CONVERTER_DWARF_DWARF_PACKAGE_H
#define CONVERTER_DWARF_DWARF_PACKAGE_H

#include "converter/dwarf/dwarf.h"

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

#endif
