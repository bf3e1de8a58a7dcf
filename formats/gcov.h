/* SPDX-License-Identifier: MIT */
/*
 * The profile that GCC reads with -fauto-profile, called gcov by autofdo (no relation to gcov(1)'s
 * files). Layout: docs/formats/gcov.md; GCC's side is gcc/auto-profile.cc.
 *
 *	version 1  GCC 5 to 11   strings in words of 4 bytes
 *	version 2  GCC 12 to 15  strings in bytes
 *	version 3  GCC 16        2 + summary, file names, timestamps
 */
#ifndef FORMATS_GCOV_H
#define FORMATS_GCOV_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "formats/model/source_profile.h"
#include "softlbr/error.h"

#define GCOV_OLDEST_GCC 5
#define GCOV_NEWEST_GCC 16

/* The layout that a GCC of this major version reads. */
unsigned gcov_version_for(unsigned gcc_version);

/*
 * Write @p for GCC @gcc_version (the major number). Names are cut and merged as that compiler cuts
 * them; up to GCC 12, which does not look at discriminators, so are the positions of a line
 * (formats/gcov_collapse.c). Same profile, same bytes.
 */
int gcov_write(const struct source_profile *p, unsigned gcc_version, const char *path,
	       struct softlbr_error *e);
/* The same to a stream, whose own errors are the caller's to look for. */
int gcov_write_to(const struct source_profile *p, unsigned gcc_version, FILE *out,
		  struct softlbr_error *e);

/*
 * Read any of the three versions, and those of Debian's create_gcov 0.19, which keeps the strings
 * of version 1 under every version word. Lines come out as stored: 0 to 65535. @p is initialised by
 * the call, also when it fails; *version (may be NULL) is the layout found.
 */
int gcov_read(const char *path, struct source_profile *p, unsigned *version,
	      struct softlbr_error *e);
int gcov_read_bytes(const uint8_t *data, size_t size, const char *name, struct source_profile *p,
		    unsigned *version, struct softlbr_error *e);

#endif
