/* SPDX-License-Identifier: MIT */
/*
 * What .gcda and .gcno have in common (gcc/gcov-io.h): a header, and records of a tag, a length and
 * data. Numbers are of the byte order of the machine that wrote them, which the magic number shows.
 */
#pragma once

#include "base/cursor.h"
#include "softlbr/error.h"

#define GCC_RECORDS_OLDEST 11u
/* The newest that was tried. */
#define GCC_RECORDS_NEWEST 17u
/* The first whose lengths are in bytes, not words of 4, and whose header has a checksum. */
#define GCC_RECORDS_BYTES 12u

#define GCC_RECORD_FUNCTION 0x01000000u

struct gcc_records {
	struct cursor in;
	const char *name, *format; /* of the file, for messages */
	struct softlbr_error *e;
	uint32_t version, stamp, checksum; /* as in the file; no checksum: 0 */
	unsigned unit;			   /* bytes that a length of 1 stands for */
};

/* gcc's major version of a version word, whatever its status; 0 if it is none. */
unsigned gcc_records_compiler(uint32_t version);
/* Does the data begin with @magic, in whatever byte order, and a version of gcc? */
bool gcc_records_is(const uint8_t *data, size_t size, uint32_t magic);
/* Read the header. A compiler before OLDEST is an error; one behind NEWEST is taken to write as
 * that does. */
int gcc_records_open(struct gcc_records *r, const uint8_t *data, size_t size, uint32_t magic,
		     struct softlbr_error *e);
/* "... is not a whole .gcda: WHAT at byte ..."; -SOFTLBR_E_INPUT. */
int gcc_records_malformed(struct gcc_records *r, const char *what);
