/* SPDX-License-Identifier: MIT */
/* Numbers that the reader and writer of .gcda and the reader of .gcno share (gcc/gcov-io.h). */
#ifndef FORMATS_GCDA_LAYOUT_H
#define FORMATS_GCDA_LAYOUT_H

#define GCDA_MAGIC	  0x67636461u
#define GCDA_TAG_SUMMARY  0xa1000000u
#define GCDA_TAG_FUNCTION 0x01000000u
#define GCDA_TAG_COUNTERS 0x01a10000u /* of the first kind; the next is one GCDA_KIND_STEP on */
#define GCDA_KIND_STEP	  0x00020000u
#define GCDA_CHECKSUM_GCC 12u /* the first with a checksum, and with lengths in bytes */

#endif
