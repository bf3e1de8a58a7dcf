/* SPDX-License-Identifier: MIT */
/* The parts of an open binary: binary_open.c, symbols.c and plt.c fill it, binary.c answers. */
#pragma once

#include <libelf.h>

#include "base/file.h"
#include "base/strings.h"
#include "base/vector.h"
#include "converter/binary/binary.h"
#include "converter/elf/debug_search.h"
#include "isa/text.h"

/* A PT_LOAD, clipped to what the file holds: bytes [offset, offset+file_bytes) lie at va. */
struct binary_segment {
	uint64_t va, memory_bytes;
	uint64_t offset, file_bytes;
	bool code;
};

struct binary_plt_stub {
	uint64_t begin, end;
	const char *name; /* "printf@PLT" */
};

struct binary {
	char *path;
	struct elf_file *file;
	struct file_view view; /* the file's */
	/* Where debug information comes from, when asked for. */
	const struct debug_search *search;
	bool separate_searched, alternate_searched;
	struct elf_file *separate, *alternate;
	struct debug_notes notes;
	uint16_t machine;
	bool big_endian;
	bool relocatable_base; /* ET_DYN: a PIE or a shared object */
	bool object;	       /* ET_REL: addresses are file offsets */
	bool stripped;	       /* has no symbol table of its own */
	uint64_t entry;
	uint64_t kernel_text, kernel_stext; /* 0: no such symbol */
	struct build_id build_id;
	struct isa_text *text; /* once it was asked for */
	struct strings *names; /* owns every name below */
	VECTOR(struct binary_segment) segments;
	VECTOR(struct binary_section) sections; /* those that are in memory, ascending */
	VECTOR(struct binary_function) functions;
	VECTOR(struct binary_alias) aliases, bolt_aliases;
	VECTOR(struct binary_plt_stub) plt_stubs; /* ascending */
};

/* Fill b->functions: from .symtab, that of the separate debug file, or else MiniDebugInfo and
 * .dynsym, or .dynsym and what unnamed_functions_find finds. Needs the sections. */
int symbols_read(struct binary *b, Elf *elf, struct softlbr_error *e);
/* The separate debug file; NULL if there is none. */
struct elf_file *binary_separate_file(struct binary *b);
/* The ELF file inside .gnu_debugdata (xz), which is to be freed after elf_end; NULL if none. */
uint8_t *binary_mini_debug_info(const struct binary *b, size_t *size);
/* Fill b->plt_stubs; needs the sections. */
int plt_read(struct binary *b, Elf *elf, struct softlbr_error *e);

/* ---- functions without symbols (unnamed_functions.c) ---------------------------------------- */

struct unnamed_function {
	uint64_t begin, end;
	bool has_frame; /* it is known by its frame description */
};

struct unnamed_functions {
	VECTOR(struct unnamed_function) items; /* ascending, not overlapping */
};

/* Needs the binary's sections alone. @out zeroed, freed with vector_deinit. 0, or -1 without
 * memory. */
int unnamed_functions_find(struct binary *b, uint64_t entry, struct unnamed_functions *out);
