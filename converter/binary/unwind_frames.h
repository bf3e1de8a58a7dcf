/* SPDX-License-Identifier: MIT */
/*
 * Frame descriptions of .eh_frame: of which code unwinding knows how, which linked programs have of
 * nearly all of it. Linux Standard Base 5.0, "Exception Frames". Not read: entries of 64-bit
 * length, big-endian ones, and those of objects, which are not relocated.
 *
 * Where exceptions go: which calls of a function have a landing pad (.eh_frame_hdr -> FDE -> LSDA
 * in .gcc_except_table). Linux Standard Base 5.0, "Exception Frames"; Itanium C++ ABI, "Exception
 * Handling Tables".
 */
#pragma once

#include "base/vector.h"
#include "converter/binary/binary.h"

struct unwind_frame {
	uint64_t begin, end; /* its code */
	uint64_t table;	     /* its LSDA; 0 if none */
};

struct unwind_frames {
	VECTOR(struct unwind_frame) items;
};
/* Append all of .eh_frame, as they come. 0, or -1 without memory. */
int unwind_frames_list(const struct binary *b, struct unwind_frames *out);

/* Calls in [begin,end) unwind to pad. */
struct landing_site {
	uint64_t begin, end, pad;
};

struct landing_pads {
	VECTOR(struct landing_site) sites; /* only those with a pad; ascending */
};

/* Append the function's sites: none if it has no table, or one in a form that no linker makes.
 * 0, or -1 without memory. */
int unwind_landing_pads_find(const struct binary *b, const struct binary_function *f,
			     struct landing_pads *out);
/* The pad of the call instruction at @va; 0 if none. */
uint64_t unwind_landing_pad_of_call(const struct landing_pads *p, uint64_t va);
