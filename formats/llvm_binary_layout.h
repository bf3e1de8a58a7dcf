/* SPDX-License-Identifier: MIT */
/* Numbers of LLVM's binary profiles, llvm/ProfileData/SampleProf.h. */
#ifndef FORMATS_LLVM_BINARY_LAYOUT_H
#define FORMATS_LLVM_BINARY_LAYOUT_H

#include <stdint.h>

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

#endif
