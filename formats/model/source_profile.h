/* SPDX-License-Identifier: MIT */
/*
 * Source profile: a tree of function instances. What every compiler-side format (gcov, LLVM text)
 * is written from.
 *
 * Adding source profiles up.
 *
 * The summary that GCC 16 and LLVM read: how many of the hottest counts make up which share of the
 * total. Cutoffs and rule are LLVM's (ProfileSummaryBuilder), which GCC 16 took over.
 */
#pragma once

#include "base/map.h"
#include "base/strings.h"
#include "base/vector.h"

/* A position inside a function: `line` is relative to the line of the function's name
 * (DW_AT_decl_line), and may be negative (macros, #line): each writer masks as its consumer does.
 * `discriminator` is the base discriminator for LLVM producers (decoded), the raw number for GCC.
 */
struct source_position {
	int32_t line;
	uint32_t discriminator;
};

struct source_target {
	uint32_t name; /* in the profile's strings: the callee's symbol */
	uint64_t count;
};

struct source_line {
	struct source_position at;
	uint64_t count; /* 0 = compiled into a sampled function, never seen to run */
	VECTOR(struct source_target) targets; /* ascending by name text; one per callee */
};

struct source_function {
	uint32_t name;	       /* linkage name; top level: the ELF symbol */
	uint32_t file;	       /* base name of the source file, 0 = unknown */
	uint64_t stored_total; /* as LLVM's file says, which may count otherwise; 0 = as here */
	uint64_t head;	       /* times entered; top level only, 0 in nested instances */
	/* when it ran first, as a recording tells: ns since the program began, or since the first
	 * sample, from 1 on, of which the order is what counts; top level only, 0 = not known */
	uint64_t first_run_ns;
	VECTOR(struct source_line) lines;	  /* ascending by (line, discriminator), unique */
	VECTOR(struct source_callsite) callsites; /* ascending by (at, callee name text), unique */
};

/* An inlined call: where in the caller, and the instance of the callee. */
struct source_callsite {
	struct source_position at;
	struct source_function callee;
};

struct source_profile {
	struct strings *strings;
	VECTOR(struct source_function) functions; /* ascending by name text, unique */
	struct map by_name;			  /* name -> index into functions */
	bool llvm_producer;			  /* discriminators were decoded by LLVM's scheme */
	bool llvm_finished; /* read from LLVM's files: names and heads are its consumer's */
	bool dotted_names;  /* what follows a dot is part of a name (Go: package.function) */
	bool md5_names;	    /* names are decimal numbers: the MD5s of names (LLVM) */
};

int source_profile_init(struct source_profile *p); /* 0, or -1 without memory */
void source_profile_deinit(struct source_profile *p);

/*
 * Find or make; NULL without memory. A pointer is valid until the next call that makes a sibling.
 * Lines are always in order. Callsites and targets are in order of their numbers, and functions in
 * order of making, until source_profile_sort.
 */
struct source_function *source_profile_function(struct source_profile *p, uint32_t name);
struct source_line *source_function_line(struct source_function *f, struct source_position at);
struct source_function *source_function_callee(struct source_function *f, struct source_position at,
					       uint32_t name);
/* Adds @count to the target @name of a line; 0, or -1 without memory. */
int source_line_add_target(struct source_line *l, uint32_t name, uint64_t count);

/*
 * Put every vector in its documented order, for writing; 0, or -1 without memory. Names are
 * numbered anew in the order of their text, so that the vectors can still be searched.
 */
int source_profile_sort(struct source_profile *p);
/* Frees what is in @f. */
void source_function_deinit(struct source_function *f);
/* Sum of all body counts, nested ones included; saturates. */
uint64_t source_function_total(const struct source_function *f);
/* The total that a file gave, or else the sum. */
uint64_t source_function_given_total(const struct source_function *f);
/* For a table of other strings, and for compilers, which look for (line - function line) & 0xffff:
 * of lines before the function's, and beyond 65535, some fall together. */
struct source_renaming {
	uint32_t *names; /* old number -> new, as a function's name */
	uint32_t *files; /* old number -> new, as a file's */
};

/* Adds @from into @to: bodies, heads and targets are summed; 0, or -1 without memory. @r is NULL
 * where both have the same strings. */
int source_function_merge(struct source_function *to, const struct source_function *from,
			  const struct source_renaming *r);
/* The sum, or UINT64_MAX if it does not fit. */
uint64_t source_count_add(uint64_t a, uint64_t b);

/* May they be added? Not if one has names and the other numbers instead (md5_names). */
bool source_profiles_agree(const struct source_profile *a, const struct source_profile *b);

/* Add @from into @to, each count times @weight; sums saturate. Sort @to when all are added: then
 * the result does not depend on the order. 0, or -1 without memory. */
int source_profile_add(struct source_profile *to, const struct source_profile *from,
		       uint64_t weight);

#define PROFILE_SUMMARY_CUTOFFS 16

struct profile_summary {
	uint64_t total;		/* of all body counts, nested ones included */
	uint64_t greatest;	/* body count */
	uint64_t greatest_head; /* of the top-level functions */
	uint64_t counts;	/* body counts, zeros included */
	uint64_t functions;	/* top level */
	struct {
		uint32_t cutoff; /* per million of the total */
		uint64_t least;	 /* the smallest count needed to reach it */
		uint64_t counts; /* how many counts were needed */
	} entries[PROFILE_SUMMARY_CUTOFFS];
};

/* 0, or -1 without memory. */
int source_profile_summarize(const struct source_profile *p, struct profile_summary *out);

/* ---- names as a consumer wants them (source_names.c) ---------------------------------------- */

enum source_name_rule {
	/* GCC up to 15: cut at the first '.', in the table and in the compiler alike. Constructors
	 * and destructors carry the name of the complete-object variant. */
	SOURCE_NAMES_GCC,
	/* GCC 16: only the suffixes of its late passes are cut, with their numbers. */
	SOURCE_NAMES_GCC16,
	/* clang: functions with internal linkage names made unique (.__uniq.) lose .llvm.N, .part.N
	 * and .cold; all others are cut at the first '.'. */
	SOURCE_NAMES_LLVM,
};

/* How many bytes of @name the consumer keeps. */
size_t source_name_length(const char *name, enum source_name_rule rule);
/* Is @name that of an outlined part of @whole (whole.cold, whole.part.0, and LLVM's basic block
 * sections, whole.__part.1)? Such a part is entered from inside the function, so that a jump there
 * is no call. */
bool source_name_is_part_of(const char *name, const char *whole);

/*
 * Make @out (uninitialised) a copy of @p as its consumer looks things up: names by @rule (with
 * p->dotted_names GCC 16's), lines and call sites modulo 65536. What then shares a name or a
 * position is added up. Sorted. A function that ran has a head of at least 1. What was read from
 * LLVM's files stays as it is for LLVM. 0, or -1 without memory (@out is then deinitialised).
 */
int source_profile_for_consumer(const struct source_profile *p, enum source_name_rule rule,
				struct source_profile *out);

/*
 * Make @out (uninitialised) a copy of @p, whose names are MD5 numbers, with the names of @known in
 * their place; numbers of none of them stay. 0, or -1 without memory (@out is then deinitialised).
 */
int source_names_unhash(const struct source_profile *p, const struct source_profile *known,
			struct source_profile *out);
