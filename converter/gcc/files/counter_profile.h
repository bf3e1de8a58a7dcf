/* SPDX-License-Identifier: MIT */
/*
 * Counter profile: what an instrumented program counts for gcc -fprofile-use, per object file
 * (.gcda). Functions are known by gcc's numbers, their arcs by the order of the .gcno file.
 *
 * Adding up counter profiles of one object file, as gcc's runtime and gcov-tool merge do
 * (libgcc/libgcov-merge.c).
 */
#pragma once

#include <stdio.h>

#include "base/vector.h"
#include "formats/model/value_profile.h"
#include "softlbr/error.h"

/* In the order of gcc/gcov-counter.def; a kind's tag follows from its number. */
enum counter_kind {
	COUNTER_KIND_ARCS,
	COUNTER_KIND_INTERVAL,
	COUNTER_KIND_POW2,
	COUNTER_KIND_TOPN,     /* per site: total, number of values, then (value, count) */
	COUNTER_KIND_INDIRECT, /* the same; values are functions' idents */
	COUNTER_KIND_AVERAGE,  /* per site: sum, number */
	COUNTER_KIND_IOR,
	COUNTER_KIND_TIME,	 /* when it was first called: 1 = first of all; 0 = never */
	COUNTER_KIND_CONDITIONS, /* from gcc 14 on */
	COUNTER_KIND_PATHS,	 /* from gcc 15 on */
	COUNTER_KINDS
};

/* One function's counters of a kind. */
struct counter_set {
	enum counter_kind kind;
	VECTOR(uint64_t) counts;
};

/* A list of values begins with its total, negative if some were dropped. */
static inline uint64_t counter_list_total(uint64_t stored)
{
	return (int64_t)stored < 0 ? -stored : stored;
}

struct counter_function {
	bool absent; /* gcc left it out of this file: nothing else is known */
	uint32_t ident, lineno_checksum, cfg_checksum;
	VECTOR(struct counter_set) sets; /* as in the file */
};

struct counter_profile {
	uint32_t version; /* as gcc writes it: 'B', '2', '2', '*' from the highest byte down */
	uint32_t stamp, checksum; /* of the build; checksum from gcc 12 on */
	bool has_summary;
	uint32_t runs;
	uint32_t sum_max; /* the largest count of the whole program, summed over runs */
	VECTOR(struct counter_function) functions;
};

void counter_profile_deinit(struct counter_profile *p);
/* NULL without memory. */
struct counter_function *counter_profile_add(struct counter_profile *p);
struct counter_set *counter_function_add(struct counter_function *f, enum counter_kind kind);
/* The function's counters of @kind, or NULL. */
const struct counter_set *counter_function_set(const struct counter_function *f,
					       enum counter_kind kind);

/*
 * Add @from, times @weight, to @to, which is zeroed or of the same object. @name is @from's file.
 * What the functions were compiled from counts, as for gcc, and not when: those that only one has
 * are taken as they are. 1 if *clash, a function of @from, has another graph or stands at other
 * lines in @to: they are of different builds, and @to is of no more use. SOFTLBR_E_INPUT if they
 * are of another version of gcc, or of another object.
 */
int counter_merge_add(struct counter_profile *to, const struct counter_profile *from,
		      uint64_t weight, const char *name, const struct counter_function **clash,
		      struct softlbr_error *e);
/* Add what runs of the program were that have nothing of this object. */
void counter_merge_summary(struct counter_profile *to, uint64_t runs, uint64_t sum_max,
			   uint64_t weight);

/* ---- .gcda files (gcda.c) ------------------------------------------------------------------- */

#define GCDA_MAGIC     0x67636461u
#define GCDA_SUMMARY   0xa1000000u
#define GCDA_COUNTERS  0x01a10000u /* of the first kind; the next is GCDA_KIND_STEP on */
#define GCDA_KIND_STEP 0x00020000u

/* Is it one, and not autofdo's gcov, which has the same magic number? */
bool gcda_is(const uint8_t *data, size_t size);
/* @p is initialised by the call, also when it fails. */
int gcda_read_bytes(const uint8_t *data, size_t size, const char *name, struct counter_profile *p,
		    struct softlbr_error *e);
/* For the compiler of p->version. What gcc has written is written byte for byte. */
int gcda_write(const struct counter_profile *p, const char *path, struct softlbr_error *e);
/* Write to a stream, whose own errors are the caller's to look for. */
void gcda_write_to(const struct counter_profile *p, FILE *out);

/* ---- a value site's counters (value_counters.c) --------------------------------------------- */

/* GCOV_TOPN_MAXIMUM_TRACKED_VALUES: gcc keeps so many values of a site. */
#define VALUE_COUNTERS_VALUES 32u

struct value_counters_site {
	enum counter_kind kind;	 /* INTERVAL, POW2, TOPN, INDIRECT, AVERAGE or IOR */
	uint64_t block_count;	 /* runs of the block that it stands in */
	int64_t interval_begin;	 /* INTERVAL: the first of ... */
	unsigned interval_steps; /* ... so many values that gcc counts one by one */
	/* What was observed, falling by runs (value_profile_table); of INDIRECT, values are
	 * callees' idents (gcc's profile_id, which .gcno has), 0 of those that have none. NULL and
	 * 0 where nothing was. */
	const struct value_count *values;
	size_t value_count;
	uint64_t runs; /* of all observed values, those that are not listed too */
};

/* Append the site's counters; 0, or -1 without memory or for a kind that is no value site's. */
int value_counters_add(struct counter_set *out, const struct value_counters_site *site);
