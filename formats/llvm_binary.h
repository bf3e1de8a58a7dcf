/* SPDX-License-Identifier: MIT */
/*
 * LLVM's sample profile in its two binary forms, byte for byte as `llvm-profdata merge --sample`
 * writes them (LLVM 16 and 19: version 103): "binary", and "extensible binary" with sections.
 * Layout: llvm/ProfileData/SampleProf.h, SampleProfWriter.cpp. Refused by name when read: profiles
 * with contexts, of pseudo probes, and of flow-sensitive discriminators.
 */
#ifndef FORMATS_LLVM_BINARY_H
#define FORMATS_LLVM_BINARY_H

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
/* The same to a stream, whose own errors are the caller's to look for. */
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

#endif
