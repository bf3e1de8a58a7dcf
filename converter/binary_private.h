/* SPDX-License-Identifier: MIT */
/* What the files that read a binary share: binary.c (segments), symbols.c, plt.c. */
#ifndef CONVERTER_BINARY_PRIVATE_H
#define CONVERTER_BINARY_PRIVATE_H

#include <libelf.h>

#include "base/file.h"
#include "base/strings.h"
#include "base/vector.h"
#include "converter/binary.h"

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
	int descriptor;
	struct file_view view;
	uint16_t machine;
	bool relocatable_base; /* ET_DYN: a PIE or a shared object */
	struct build_id build_id;
	struct isa_decoder *decoder;
	struct strings *names; /* owns every name below */
	VECTOR(struct binary_segment) segments;
	VECTOR(struct binary_section) sections; /* those that are in memory, ascending */
	VECTOR(struct binary_function) functions;
	VECTOR(struct binary_plt_stub) plt_stubs; /* ascending */
};

/* Fill b->functions, from .symtab or else .dynsym. */
int binary_read_symbols(struct binary *b, Elf *elf, struct softlbr_error *e);
/* Fill b->plt_stubs; needs the sections. */
int binary_read_plt(struct binary *b, Elf *elf, struct softlbr_error *e);

#endif
