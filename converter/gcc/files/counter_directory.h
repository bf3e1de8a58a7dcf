/* SPDX-License-Identifier: MIT */
/*
 * A directory of counters, as `softlbr convert --to gcda=DIRECTORY` writes it and an instrumented
 * program leaves it: a .gcda file for each object file. One such file is a directory of one.
 */
#pragma once

#include "base/vector.h"
#include "converter/gcc/files/counter_profile.h"
#include "softlbr/error.h"

struct counter_object {
	char *name; /* of the file, from the directory on */
	struct counter_profile counters;
};

struct counter_directory {
	const char *path; /* borrowed */
	bool is_file;
	VECTOR(struct counter_object) objects; /* by name */
};

/* Is it a directory, and not a recording (perf record --threads), which has a file `data`? */
bool counter_directory_is(const char *path);
/* Read all files of @path; or, if that is no directory, @data. @d is initialised by the call, also
 * when it fails. */
int counter_directory_read(struct counter_directory *d, const char *path, const uint8_t *data,
			   size_t size, struct softlbr_error *e);
void counter_directory_deinit(struct counter_directory *d);
/* The compiler's greatest version word, the runs, the greatest count of the program. */
uint32_t counter_directory_version(const struct counter_directory *d);
uint32_t counter_directory_runs(const struct counter_directory *d);
uint32_t counter_directory_sum_max(const struct counter_directory *d);

/*
 * A function, which may be in several objects, as an inline function of C++: an instrumented
 * program counts it in one of them, and the files of a recording have the same counts in each.
 */
struct counter_entry {
	const struct counter_function *function; /* the one with the greatest total */
	uint32_t object;
	uint64_t total; /* of its arcs' counters */
};

struct counter_list {
	VECTOR(struct counter_entry) items; /* by ident, checksum of lines, checksum of the graph */
	uint64_t total;
};

/* @out is initialised by the call, to be ended with counter_list_deinit; 0, or -1 without memory.
 */
int counter_list_make(struct counter_list *out, const struct counter_directory *d);
void counter_list_deinit(struct counter_list *l);
/* The sum of the function's arcs' counters. */
uint64_t counter_function_total(const struct counter_function *f);
