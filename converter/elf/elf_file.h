/* SPDX-License-Identifier: MIT */
/*
 * A file with debug information: its DWARF sections, decompressed, and what it says of where other
 * debug information is. The program itself, a separate debug file, a file that dwz shares, a .dwo
 * or a .dwp.
 */
#ifndef CONVERTER_ELF_ELF_FILE_H
#define CONVERTER_ELF_ELF_FILE_H

#include <libelf.h>
#include <stdbool.h>

#include "base/file.h"
#include "converter/dwarf/dwarf.h"
#include "formats/model/branch_profile.h"
#include "softlbr/error.h"

struct debug_file;

/* Errors: can't be read (SYSTEM); not ELF (INPUT). No DWARF in it is no error. */
struct debug_file *debug_file_open(const char *path, struct softlbr_error *e);
/* The same for a .dwo or .dwp, whose sections are named .debug_*.dwo. */
struct debug_file *debug_file_open_split(const char *path, struct softlbr_error *e);
void debug_file_close(struct debug_file *f);

const char *debug_file_path(const struct debug_file *f);
/* For symbols and sections; lives as long as the file. */
Elf *debug_file_elf(const struct debug_file *f);
bool debug_file_is_big_endian(const struct debug_file *f);
uint16_t debug_file_machine(const struct debug_file *f);
const struct build_id *debug_file_build_id(const struct debug_file *f);
bool debug_file_has_dwarf(const struct debug_file *f);
bool debug_file_has_symbols(const struct debug_file *f); /* .symtab */
/* Its DWARF, read when first asked for; NULL without memory. */
struct dwarf_file *debug_file_dwarf(struct debug_file *f);
const struct file_view *debug_file_view(const struct debug_file *f);
/* The bytes of a section as they are in the file; false if there are none. */
bool debug_file_section(const struct debug_file *f, const char *name, struct dwarf_bytes *out);

/* What .debug_sup says (DWARF 5, 7.3.6): the checksum of the supplementary file, and the name of
 * that file, borrowed; NULL if the section is not there, or @f is the supplement itself. */
const char *debug_file_supplement(const struct debug_file *f, struct build_id *id);

#endif
