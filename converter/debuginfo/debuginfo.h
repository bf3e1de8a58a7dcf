/* SPDX-License-Identifier: MIT */
/*
 * Debug information (DWARF 2 to 5): for a function's code, which source position and
 * which stack of inlined calls each piece of it belongs to. One look-up per function, one span per
 * line-table row and inline range. The debug information of a compilation unit is read when the
 * first of its functions is asked for.
 *
 * Line numbers and discriminators are kept as DWARF has them; positions as a profile wants them
 * (relative to the function's line, discriminators decoded) come from the two calls below.
 */
#pragma once

#include "base/strings.h"
#include "base/vector.h"
#include "formats/model/source_profile.h"
#include "softlbr/error.h"

/* ---- the compiler of a unit (producer.c) ---------------------------------------------------- */

enum producer_compiler {
	PRODUCER_UNKNOWN, /* no text, or an assembler, which takes no profile */
	PRODUCER_GCC,
	PRODUCER_CLANG,
	PRODUCER_RUSTC,
	PRODUCER_GO,	/* the Go project's own, not gccgo */
	PRODUCER_LDC,	/* D by LLVM */
	PRODUCER_OTHER, /* of gcc's or LLVM's family or not, but none of the above */
};

struct producer {
	enum producer_compiler compiler;
	const char *driver;    /* its command, as "g++": static, never NULL */
	unsigned major, minor; /* 0 = unknown */
};

/* @text may be NULL; @language is DW_AT_language, or 0. */
struct producer producer_read(const char *text, uint64_t language);

/* ---- code ----------------------------------------------------------------------------------- */

#define DEBUGINFO_NONE UINT32_MAX

/* A function, or one inlined call of a function. */
struct debuginfo_scope {
	uint32_t parent; /* index of the scope that it is inlined into, smaller than its own;
			  * DEBUGINFO_NONE for a function that stands for itself */
	uint32_t name;	 /* linkage name, else plain name; in debuginfo_strings */
	uint32_t file;	 /* base name of the file of its definition; 0 = unknown */
	int32_t decl_line;
	int32_t call_line; /* where it is inlined; 0 = unknown, or it stands for itself */
	uint32_t call_column;
	uint32_t call_discriminator;
};

/* Code [begin,end) of one scope and one row of the line table. */
struct debuginfo_span {
	uint64_t begin, end;
	uint32_t scope;	 /* index, or DEBUGINFO_NONE: in no function that DWARF knows */
	int32_t line;	 /* 0 = none */
	uint32_t column; /* 0 = none */
	uint32_t file;	 /* base name, in debuginfo_strings: of a macro's or template's header */
	uint32_t discriminator;
};

struct debuginfo_function {
	bool llvm;   /* discriminators are in LLVM's encoding */
	bool copies; /* in that of gcc 16 on, which numbers copies of a statement */
	struct producer producer;
	VECTOR(struct debuginfo_scope) scopes;
	VECTOR(struct debuginfo_span) spans; /* ascending, disjoint; gaps are code without rows */
};

struct binary;
struct debuginfo;

/*
 * The debug information of a binary, in itself or in a separate file; borrows @b. Errors: none
 * there, or flow-sensitive discriminators, which are not supported (INPUT).
 */
struct debuginfo *debuginfo_open(struct binary *b, struct softlbr_error *e);
void debuginfo_close(struct debuginfo *d);
/* The names and files of all scopes; grows with each look-up. */
const struct strings *debuginfo_strings(const struct debuginfo *d);
/*
 * How many compilation units that were looked into have a damaged line table: only what it says
 * before the damage is used.
 */
size_t debuginfo_unreadable_units(const struct debuginfo *d);

/* The compilation unit that covers @address, by number; DEBUGINFO_NONE if none does. */
uint32_t debuginfo_unit_at(const struct debuginfo *d, uint64_t address);
/* The main source of that unit, as where it was compiled; NULL if it is not known. Valid while @d
 * lives. */
const char *debuginfo_source_path(const struct debuginfo *d, uint64_t address);
/* The same as the compiler was given it, which may be relative. */
const char *debuginfo_source_name(const struct debuginfo *d, uint64_t address);
/* The base name of its source file, in debuginfo_strings; 0 = unknown. */
uint32_t debuginfo_unit_file(const struct debuginfo *d, uint32_t unit);
/*
 * The spans of [begin,end), for @out started zeroed or used before. Code without debug information
 * has no spans, which is no error. 0, or a negative code.
 */
int debuginfo_look_up(struct debuginfo *d, uint64_t begin, uint64_t end,
		      struct debuginfo_function *out, struct softlbr_error *e);
void debuginfo_function_deinit(struct debuginfo_function *f);

/* Lines of an inlined function are told from its own. Where that is not known, give its code, and
 * what is inlined into it, to the line that it is inlined at. */
void debuginfo_fold_unplaced(struct debuginfo_function *f);

/* What the compiler told statements of one line apart by, before it made copies of them. */
uint32_t debuginfo_base_discriminator(const struct debuginfo_function *f, uint32_t discriminator);
/* With @f->copies the number of the copy is still there, above the 8 bits of a position's
 * discriminator: copies run apart, so that their counts add up.
 *
 * Where a span is in its scope; *factor = how many copies of the source's code share the count.
 * False if the line, or the line of the scope's function, is not known. */
bool debuginfo_span_position(const struct debuginfo_function *f, const struct debuginfo_span *s,
			     struct source_position *at, uint32_t *factor);
/* Where in its parent a scope is inlined. False if not known. */
bool debuginfo_call_position(const struct debuginfo_function *f, const struct debuginfo_scope *s,
			     struct source_position *at);
