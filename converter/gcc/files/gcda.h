/* SPDX-License-Identifier: MIT */
/*
 * .gcda: the counters that gcc -fprofile-use reads, one file per object file. The layout is that of
 * gcc/gcov-io.h (its head describes it) and gcc/gcov-counter.def, of gcc 11 to 16:
 *
 *	u32 "gcda", version, stamp, [gcc 12 on: checksum]
 *	[OBJECT_SUMMARY: runs, sum_max]
 *	FUNCTION: ident, lineno_checksum, cfg_checksum; or empty: not in this file
 *	  COUNTERS of a kind: u64 each; a negative length: so many, all zero
 *	u32 0
 *
 * A record is a tag, a length in bytes (gcc 11: in words of 4 bytes), and data
 * (converter/gcc/files/gcc_records.h). Files of both byte orders are read; those of little-endian
 * machines are written.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "converter/gcc/files/counter_profile.h"
#include "softlbr/error.h"

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
