/* SPDX-License-Identifier: MIT */
/* The dynamic section of a program's or library's ELF file: what its dynamic linker reads. */
#ifndef COLLECTOR_RECORDER_DYNAMIC_SECTION_H
#define COLLECTOR_RECORDER_DYNAMIC_SECTION_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/file.h"

struct dynamic_section {
	const struct file_view *view;
	uint64_t begin, bytes;		 /* in the file */
	uint64_t strings, strings_bytes; /* likewise: the names in it, and of symbols */
};

/* The program header @i; false if there are no more. */
bool dynamic_section_segment(const struct file_view *v, unsigned i, Elf64_Phdr *out);
/* False if there is none, or nothing can be read from it. */
bool dynamic_section_find(const struct file_view *v, struct dynamic_section *d);
/* The entry number @i; false behind the last one. */
bool dynamic_section_entry(const struct dynamic_section *d, uint64_t i, Elf64_Dyn *out);
/* The string that an entry names, cut to @bytes; "" if it is none. */
void dynamic_section_string(const struct dynamic_section *d, uint64_t offset, char *out,
			    size_t bytes);
/* Is there a symbol of that name (60 bytes at most), defined or not? */
bool dynamic_section_has_symbol(const struct dynamic_section *d, const char *name);

#endif
