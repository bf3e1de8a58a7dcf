/* SPDX-License-Identifier: MIT */
/* Numbers that gcov's reader and writer share (docs/formats/gcov.md). */
#ifndef FORMATS_GCOV_LAYOUT_H
#define FORMATS_GCOV_LAYOUT_H

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

#endif
