/* SPDX-License-Identifier: MIT */
/* Where a binary's debug information is. Looked for when first asked: a server may have to be. */
#ifndef CONVERTER_BINARY_BINARY_DEBUG_H
#define CONVERTER_BINARY_BINARY_DEBUG_H

#include "converter/binary/binary.h"
#include "converter/elf/debug_search.h"

/* All of it is the binary's, and lives as long. */
struct binary_debug_sources {
	const char *path;		  /* the binary */
	const struct elf_file *file;	  /* with the DWARF: the binary itself or a separate file;
					   * NULL if none has any */
	const struct elf_file *alternate; /* what dwz moved out of that; NULL if nothing */
	const struct debug_search *search;
	struct debug_notes *notes; /* for what else is used */
};

struct binary_debug_sources binary_debug_sources(struct binary *b);

#endif
