/* SPDX-License-Identifier: MIT */
/*
 * LLVM's sample profile as text: what clang -fprofile-sample-use reads, in exactly the order and
 * form that `llvm-profdata merge --sample --text` writes. Grammar: llvm/ProfileData/
 * SampleProfReader.h; order: SampleProfWriter.cpp.
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
