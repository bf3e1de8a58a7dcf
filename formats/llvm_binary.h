/* SPDX-License-Identifier: MIT */
/*
 * LLVM's sample profile in its two binary forms, byte for byte as `llvm-profdata merge --sample`
 * writes them (LLVM 16 and 19: version 103): "binary", and "extensible binary" with sections.
 * Layout: llvm/ProfileData/SampleProf.h, SampleProfWriter.cpp. Refused by name when read: profiles
 * with contexts, of pseudo probes, and of flow-sensitive discriminators.
 *
 * Numbers of LLVM's binary profiles, llvm/ProfileData/SampleProf.h.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "formats/model/source_profile.h"
#include "softlbr/error.h"

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
