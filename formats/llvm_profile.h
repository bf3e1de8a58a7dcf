/* SPDX-License-Identifier: MIT */
/*
 * LLVM's sample profiles, which clang -fprofile-sample-use reads: as text (llvm_text.c) and in two
 * binary forms (llvm_binary_read.c, llvm_binary_write.c). What has contexts or pseudo probes is
 * refused by name.
 */
#pragma once

#include <stdio.h>

#include "formats/model/source_profile.h"
#include "softlbr/error.h"

int llvm_text_write(const struct source_profile *p, const char *path, struct softlbr_error *e);
/* Write to a stream, whose own errors are the caller's to look for. */
int llvm_text_write_to(const struct source_profile *p, FILE *out, struct softlbr_error *e);

/*
 * Read it into @p, which is initialised by the call, also when it fails. Totals are not kept: they
 * are the sums of the lines. Stricter than LLVM: the last line must end in a line feed, else the
 * file is taken for cut off. Functions and lines that are there twice are added up. Profiles with
 * contexts and of pseudo probes are refused by name.
 */
int llvm_text_read_bytes(const uint8_t *data, size_t size, const char *name,
			 struct source_profile *p, struct softlbr_error *e);

/*
 * The binary forms, byte for byte as `llvm-profdata merge --sample`
 * writes them (LLVM 16 and 19: version 103): "binary", and "extensible binary" with sections.
 * Layout and numbers: llvm/ProfileData/SampleProf.h, SampleProfWriter.cpp. Flow-sensitive
 * discriminators are refused, too.
 */
struct llvm_binary_options {
	bool sections;	 /* extensible binary; all that follows is for it alone */
	bool md5;	 /* numbers instead of names */
	bool compressed; /* all sections, by zlib */
	/* All functions of the binary: clang takes those without a profile for cold. NULL = none */
	const char *const *symbols;
	size_t symbol_count;
};

int llvm_binary_write(const struct source_profile *p, const struct llvm_binary_options *options,
		      const char *path, struct softlbr_error *e);
/* Write to a stream, whose own errors are the caller's to look for. */
int llvm_binary_write_to(const struct source_profile *p, const struct llvm_binary_options *options,
			 FILE *out, struct softlbr_error *e);

/*
 * Read either form into @p, which is initialised by the call, also when it fails. Functions of an
 * MD5 profile have the number in decimal as their name, as with llvm-profdata.
 */
int llvm_binary_read_bytes(const uint8_t *data, size_t size, const char *name,
			   struct source_profile *p, struct softlbr_error *e);
/* Do the bytes begin like one? */
bool llvm_binary_is(const uint8_t *data, size_t size);

#define LLVM_MAGIC(form)    (UINT64_C(0x5350524f46343200) | (form)) /* "SPROF42" */
#define LLVM_FORM_SECTIONS  0x04u
#define LLVM_FORM_PLAIN	    0xffu
#define LLVM_BINARY_VERSION 103

enum llvm_section {
	LLVM_SECTION_SUMMARY = 1,
	LLVM_SECTION_NAMES = 2,
	LLVM_SECTION_SYMBOLS = 3,
	LLVM_SECTION_OFFSETS = 4,
	LLVM_SECTION_METADATA = 5,
	LLVM_SECTION_CONTEXTS = 6,
	LLVM_SECTION_PROFILE = 32,
};

/* Flags: any section's, then those of one kind. */
#define LLVM_FLAG_COMPRESSED  (UINT64_C(1))
#define LLVM_NAMES_MD5	      (UINT64_C(1) << 32)
#define LLVM_NAMES_FIXED      (UINT64_C(2) << 32)
#define LLVM_NAMES_UNIQUE     (UINT64_C(4) << 32)
#define LLVM_SUMMARY_CONTEXTS (UINT64_C(2) << 32)
#define LLVM_SUMMARY_FLOW     (UINT64_C(4) << 32)
#define LLVM_METADATA_PROBES  (UINT64_C(1) << 32)
