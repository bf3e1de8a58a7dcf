/* SPDX-License-Identifier: MIT */
/*
 * Value profile: which values sites of one binary had, and how often (docs/values.md). A site is an
 * instruction, at its ELF virtual address; of arguments, a function's first one.
 */
#pragma once

#include "base/map.h"
#include "base/vector.h"

enum value_kind {
	VALUE_SIZE,	/* of a string operation that is called */
	VALUE_DIVISOR,	/* sign-extended if the division is signed */
	VALUE_TARGET,	/* of an indirect call or tail jump: an address of the binary, or
			   VALUE_ELSEWHERE */
	VALUE_ARGUMENT, /* the first one; the second one follows */
	VALUE_KINDS = VALUE_ARGUMENT + 6,
};

#define VALUE_ELSEWHERE UINT64_MAX

struct value_site {
	uint64_t va;
	enum value_kind kind;
	uint64_t runs;	  /* estimated; of recordings that do not tell, samples */
	uint64_t samples; /* that tell of it */
	uint64_t direct;  /* of them, at the instruction itself */
	uint64_t other;	  /* of the runs, those with values that are not kept */
	uint32_t values;  /* distinct ones that are kept */
};

struct value_profile {
	VECTOR(struct value_site) sites; /* in the order of their first sample */
	struct map numbers;		 /* (va, kind) -> n = number, + 1 */
	struct map counts;		 /* (number, value) -> n = runs */
};

struct value_count {
	uint64_t value, runs;
};

/* Start zeroed. */
void value_profile_deinit(struct value_profile *p);
/* One sample of @value, for @runs, at the instruction itself or in its slice; 0, or -1 without
 * memory. */
int value_profile_add(struct value_profile *p, uint64_t va, enum value_kind kind, uint64_t value,
		      uint64_t runs, bool direct);
/* The site, or NULL. */
const struct value_site *value_profile_find(const struct value_profile *p, uint64_t va,
					    enum value_kind kind);

/* The counts of all sites, ascending by site and falling by runs, equal ones by value; site i has
 * those from begins[i] to begins[i + 1]. */
struct value_table {
	struct value_count *counts;
	size_t *begins;
};

/* 0, or -1 without memory; ended by value_profile_table_deinit. */
int value_profile_table(const struct value_profile *p, struct value_table *out);
void value_profile_table_deinit(struct value_table *t);
