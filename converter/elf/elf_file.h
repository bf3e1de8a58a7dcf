/* SPDX-License-Identifier: MIT */
/*
 * An ELF file: its sections as they are, and what it says of where debug information is that is not
 * in it. The program itself, a separate debug file, a file that dwz shares, a .dwo or a .dwp.
 */
#pragma once

#include <gelf.h>

#include "base/cursor.h"
#include "base/file.h"
#include "formats/model/branch_profile.h"
#include "softlbr/error.h"

struct elf_file;

/* Errors: can't be read (SYSTEM); not ELF (INPUT). No DWARF in it is no error. */
struct elf_file *elf_file_open(const char *path, struct softlbr_error *e);
/* One that nobody named (file_open_found). */
struct elf_file *elf_file_open_found(const char *path, struct softlbr_error *e);
/* Open a .dwo or .dwp, which has nothing to be linked, and which nobody named. */
struct elf_file *elf_file_open_split(const char *path, struct softlbr_error *e);
void elf_file_close(struct elf_file *f);

const char *elf_file_path(const struct elf_file *f);
/* For symbols and sections; lives as long as the file. */
Elf *elf_file_elf(const struct elf_file *f);
bool elf_file_is_big_endian(const struct elf_file *f);
uint16_t elf_file_machine(const struct elf_file *f);
const struct build_id *elf_file_build_id(const struct elf_file *f);
bool elf_file_has_dwarf(const struct elf_file *f);
bool elf_file_has_symbols(const struct elf_file *f); /* .symtab */
const struct file_view *elf_file_view(const struct elf_file *f);
/* The bytes of a section as they are in the file; false if there are none. */
bool elf_file_section(const struct elf_file *f, const char *name, struct bytes *out);

/* Hand every section to @take, with its bytes, none if they are not in the file, until that
 * returns non-zero, which is returned. A section without a readable name is "". */
typedef int elf_file_take_section(void *context, const char *name, const GElf_Shdr *header,
				  struct bytes bytes);
int elf_file_each_section(const struct elf_file *f, elf_file_take_section *take, void *context);

/* What .debug_sup says (DWARF 5, 7.3.6): the checksum of the supplementary file, and the name of
 * that file, borrowed; NULL if the section is not there, or @f is the supplement itself. */
const char *elf_file_supplement(const struct elf_file *f, struct build_id *id);

/* Is that a relocatable little-endian object? */
bool relocate_is_needed(const uint8_t *bytes, size_t size);
/* A copy of such a file with addresses of sections and symbols set and relocations applied, to be
 * freed with memory_free; NULL without memory. What is damaged stays as it is. */
uint8_t *relocate_object(const uint8_t *bytes, size_t size);
