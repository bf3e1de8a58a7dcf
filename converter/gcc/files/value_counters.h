/* SPDX-License-Identifier: MIT */
/*
 * The counters of a value site as an instrumented program of gcc's would have them, made of a
 * histogram of observed values. gcc checks them against the count of the site's block: those of a
 * kind that add up to it in a real run must do so here, or compiling fails. Layouts and meanings:
 * libgcc/libgcov-profiler.c, gcc/value-prof.cc.
 */
#pragma once

#include <stdint.h>

#include "converter/gcc/files/counter_profile.h"
#include "formats/model/value_profile.h"

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
