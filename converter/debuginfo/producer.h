/* SPDX-License-Identifier: MIT */
/*
 * Which compiler made a compilation unit, by its DW_AT_producer: what to hand a profile to. The
 * text is free; this is what gcc, clang, rustc and Go write.
 */
#pragma once

#include <stdint.h>

enum producer_compiler {
	PRODUCER_UNKNOWN, /* no text, or an assembler, which takes no profile */
	PRODUCER_GCC,
	PRODUCER_CLANG,
	PRODUCER_RUSTC,
	PRODUCER_GO,	/* the Go project's own, not gccgo */
	PRODUCER_OTHER, /* of gcc's or LLVM's family or not, but none of the above */
};

struct producer {
	enum producer_compiler compiler;
	const char *driver;    /* its command, as "g++": static, never NULL */
	unsigned major, minor; /* 0 = unknown */
};

/* @text may be NULL; @language is DW_AT_language, or 0. */
struct producer producer_read(const char *text, uint64_t language);
