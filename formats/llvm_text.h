/* SPDX-License-Identifier: MIT */
/*
 * LLVM's sample profile as text: what clang -fprofile-sample-use reads, in exactly the order and
 * form that `llvm-profdata merge --sample --text` writes. Grammar: llvm/ProfileData/
 * SampleProfReader.h; order: SampleProfWriter.cpp.
 */
#ifndef FORMATS_LLVM_TEXT_H
#define FORMATS_LLVM_TEXT_H

#include "formats/source_profile.h"
#include "softlbr/error.h"

int llvm_text_write(const struct source_profile *p, const char *path, struct softlbr_error *e);

#endif
