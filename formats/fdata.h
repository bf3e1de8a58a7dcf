/* SPDX-License-Identifier: MIT */
/*
 * BOLT's fdata: one line per branch record, text. Defined by llvm-bolt's DataReader
 * (bolt/lib/Profile/DataReader.cpp, LLVM 16 and 19, which read it alike).
 */
#pragma once

#include <stdio.h>

#include "formats/model/bolt_profile.h"
#include "softlbr/error.h"

/*
 * Write @p, which bolt_profile_sort has put in order. An empty profile is an error
 * (SOFTLBR_E_EMPTY) and leaves no file, since llvm-bolt refuses one. "-" is standard output.
 */
int fdata_write(const struct bolt_profile *p, const char *path, struct softlbr_error *e);
/* Write to a stream, whose own errors are the caller's to look for. */
int fdata_write_to(const struct bolt_profile *p, FILE *out, struct softlbr_error *e);

/*
 * Read branch records into @out (which the caller initialised) and sort it. Strict where llvm-bolt
 * would silently lose the rest of a file: every line is a record, the last one ends in a line feed.
 * Sample mode (no_lbr), profiles of optimized binaries (boltedcollection) and memory records are
 * refused by name. `where` of an error is the line.
 */
int fdata_read_bytes(const char *data, size_t size, const char *name, struct bolt_profile *out,
		     struct softlbr_error *e);

/* The first line that has the symbol @name, of what fdata_read_bytes has read; 0: none. */
uint64_t fdata_line_of(const char *data, size_t size, const char *name);
