/* SPDX-License-Identifier: MIT */
/*
 * The profile that GCC reads with -fauto-profile, called gcov by autofdo (no relation to gcov(1)'s
 * files). Layout: docs/formats/gcov.md; GCC's side is gcc/auto-profile.cc.
 *
 *	version 1  GCC 5 to 11   strings in words of 4 bytes
 *	version 2  GCC 12 to 15  strings in bytes
 *	version 3  GCC 16 on     2 + summary, file names, timestamps
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "formats/model/source_profile.h"
#include "softlbr/error.h"

#define GCOV_OLDEST_GCC 5
/* The newest that was tried; a newer one is taken to read the newest layout. */
#define GCOV_NEWEST_GCC 17
/* Where nothing tells which one made the program. */
#define GCOV_DEFAULT_GCC 12

/* The layout that a GCC of this major version reads; of a newer one than is known the newest. */
unsigned gcov_version_for(unsigned gcc_version);
/* The newest GCC that is known to read the layout; 0 of none. */
unsigned gcov_newest_gcc_for(unsigned version);

/*
 * Write @p for GCC @gcc_version (the major number, GCOV_OLDEST_GCC or more). Names are cut and
 * merged as that compiler cuts them; up to GCC 12, which does not look at discriminators, so are
 * the positions of a line (formats/gcov_write.c). Same profile, same bytes.
 */
int gcov_write(const struct source_profile *p, unsigned gcc_version, const char *path,
	       struct softlbr_error *e);
/* Write to a stream, whose own errors are the caller's to look for. */
int gcov_write_to(const struct source_profile *p, unsigned gcc_version, FILE *out,
		  struct softlbr_error *e);

/*
 * Read any of the three versions, and those of Debian's create_gcov 0.19, which keeps the strings
 * of version 1 under every version word. Lines come out as stored: 0 to 65535. @p is initialised by
 * the call, also when it fails; *version (may be NULL) is the layout found.
 */
int gcov_read_bytes(const uint8_t *data, size_t size, const char *name, struct source_profile *p,
		    unsigned *version, struct softlbr_error *e);

/* Numbers that the reader and the writer share (docs/formats/gcov.md). */
#define GCOV_MAGIC	     0x67636461u
#define GCOV_TAG_SUMMARY     0xa8000000u
#define GCOV_TAG_NAMES	     0xaa000000u
#define GCOV_TAG_FUNCTIONS   0xac000000u
#define GCOV_TAG_MODULES     0xae000000u
#define GCOV_TAG_WORKING_SET 0xaf000000u
/* "*704" on disk: what autofdo writes if nobody tells it a version. */
#define GCOV_AUTOFDO_DEFAULT 0x3430372au
/* The kind of value histogram that a call target is: indirect call, most frequent targets. */
#define GCOV_INDIRECT_CALL_TOPN	 7
#define GCOV_WORKING_SET_BUCKETS 128
#define GCOV_NO_FILE		 UINT32_MAX

/* One record per line, for GCC up to 12 (formats/gcov_write.c), in place; @p stays sorted. 0, or
 * -1 without memory (@p is then only fit to be deinitialised). */
int gcov_collapse_profile(struct source_profile *p);
/* For version 3, in place: GCC 16 warns of inlined calls that it doesn't find (-Wauto-profile).
 * Those that never ran, which it may have moved away as cold code, tell it nothing. */
void gcov_drop_unseen(struct source_profile *p);
