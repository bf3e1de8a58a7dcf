/* SPDX-License-Identifier: MIT */
/*
 * A binary: its segments, code bytes, function symbols and build-id (libelf). Debug information is
 * converter/debuginfo/debuginfo.h.
 *
 * Where a binary's debug information is. Looked for when first asked: a server may have to be.
 */
#pragma once

#include "base/map.h"
#include "converter/elf/debug_search.h"
#include "formats/model/branch_profile.h"
#include "isa/isa.h"
#include "softlbr/error.h"

/*
 * A function's code: one ELF symbol that owns [begin,end). `.cold` and `.part` parts are functions
 * of their own here. Aliases at one address have one owner: a sized symbol before one without size,
 * FUNC before IFUNC before NOTYPE, global before weak before local, the larger, the shorter name,
 * and last the name that sorts last (so that C2 and D2, which compilers define, come before C1 and
 * D1, the aliases that they make of them). A function that runs into the next one ends there.
 */
struct binary_function {
	uint64_t begin, end;   /* ELF virtual addresses; end exclusive */
	const char *name;      /* the ELF symbol, borrowed from the binary */
	const char *bolt_name; /* BOLT's name: `name`, `name/file.c/N` or `name/N`, unescaped */
	bool global;
};

/* Another name of a function's first address: by an alias, or since the linker folded two functions
 * into one. */
struct binary_alias {
	uint64_t va;
	const char *name; /* borrowed from the binary */
};

/* A section that is in memory. */
struct binary_section {
	const char *name; /* borrowed from the binary */
	uint64_t begin, end;
	bool code;
};

struct binary;
struct debug_search;
struct elf_file;

/*
 * Open @path for conversion. Errors: no such file (SYSTEM); not ELF, no executable segment, no
 * function symbols (INPUT). The text says what to try.
 */
struct binary *binary_open(const char *path, struct softlbr_error *e);
/* Open, looking for separate debug files as @search says, which must live as long. */
struct binary *binary_open_with(const char *path, const struct debug_search *search,
				struct softlbr_error *e);
void binary_close(struct binary *b);

const char *binary_path(const struct binary *b);
const struct elf_file *binary_elf_file(const struct binary *b); /* lives as long */
const struct build_id *binary_build_id(const struct binary *b);
uint16_t binary_machine(const struct binary *b);   /* EM_* */
bool binary_is_big_endian(const struct binary *b); /* its data */
bool binary_is_decoded(const struct binary *b);	   /* else its instructions are ISA_UNKNOWN */
bool binary_is_position_independent(const struct binary *b); /* a PIE or a shared object */
bool binary_is_stripped(const struct binary *b);	     /* of its symbol table */
bool binary_is_object(const struct binary *b);		     /* relocatable: a kernel module */
/* Linked with -Wl,-q, so that llvm-bolt can move functions. */
bool binary_has_relocations(const struct binary *b);
/* Made by llvm-bolt; with the table that leads from its code to the program's before (BAT). */
bool binary_is_bolted(const struct binary *b);
bool binary_has_bolt_table(const struct binary *b);
/* The address of _text or _stext, which a vmlinux has. */
bool binary_kernel_symbol(const struct binary *b, const char *name, uint64_t *va);

/* Notes on where symbols and debug information came from, so far. */
const char *const *binary_notes(const struct binary *b, size_t *count);

/* Functions, ascending and not overlapping. */
const struct binary_function *binary_functions(const struct binary *b, size_t *count);
/* The function whose [begin,end) holds @va, or NULL. */
const struct binary_function *binary_function_at(const struct binary *b, uint64_t va);
/*
 * That of the first of @count (at least 1) entries, which ascend by their first address; *length =
 * how many of them it holds, or how many are in no function.
 */
const struct binary_function *binary_function_run(const struct binary *b,
						  struct map_entry *const *entries, size_t count,
						  size_t *length);
/* Names that own no code, since another one at the same address does; ascending. */
const struct binary_alias *binary_aliases(const struct binary *b, size_t *count);
/* What llvm-bolt and perf2bolt know functions by besides binary_function.bolt_name: `name/N` of a
 * local symbol that has a file, and the names of other symbols at the same address; ascending. */
const struct binary_alias *binary_bolt_aliases(const struct binary *b, size_t *count);
/* The symbol name of a PLT stub at @va ("printf@PLT"), or NULL; *begin = its start. */
const char *binary_plt_at(const struct binary *b, uint64_t va, uint64_t *begin);

/* The section of that name, or the one that holds @va; NULL if none. */
const struct binary_section *binary_section_named(const struct binary *b, const char *name);
const struct binary_section *binary_section_at(const struct binary *b, uint64_t va);

/* A file offset inside an executable segment -> virtual address; BRANCH_OUTSIDE if in none. */
uint64_t binary_offset_to_va(const struct binary *b, uint64_t offset);
uint64_t binary_va_to_offset(const struct binary *b, uint64_t va); /* the other way round */
/* Is @va inside an executable segment? */
bool binary_is_code(const struct binary *b, uint64_t va);
/* Code bytes at @va: *size = how many follow in the segment's file image; NULL if none. */
const uint8_t *binary_code(const struct binary *b, uint64_t va, size_t *size);
/* Read-only data or code at @va (jump tables): NULL unless @size bytes are in the file image. */
const uint8_t *binary_bytes(const struct binary *b, uint64_t va, size_t size);

/* The instruction at @va, by the binary's own decoder; false if none. Not for concurrent use. */
bool binary_decode(struct binary *b, uint64_t va, struct isa_insn *out);
/* The instruction as text, "mov %rax, %rbx"; false if there is none, as on AArch64. */
bool binary_instruction_text(struct binary *b, uint64_t va, char *room, size_t room_bytes);

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

/*
 * An address as people read it: "main+0x1f" or "printf@PLT"; of code without a symbol, or without
 * its binary (NULL), "0x1234" or, with the path of its module, "libfoo.so+0x1234"; "(outside)" for
 * BRANCH_OUTSIDE. Is there a linkage name in it?
 */
bool binary_place_text(const struct binary *b, const char *module, uint64_t va, char *room,
		       size_t size);

/* ---- the kernel (linux_kernel.c) ------------------------------------------------------------ */

/* May a map of that name be of @b, a vmlinux or a kernel module? */
bool linux_kernel_is_name_of(const struct binary *b, const char *name);
/* An address in a map -> virtual address in @b, whatever @b is; BRANCH_OUTSIDE if in no code. */
uint64_t linux_kernel_map_to_va(const struct binary *b, const char *name, uint64_t start,
				uint64_t file_offset, uint64_t address);
