/* SPDX-License-Identifier: MIT */
/*
 * Frame descriptions of .eh_frame: of which code unwinding knows how, which linked programs have of
 * nearly all of it. Linux Standard Base 5.0, "Exception Frames". Not read: entries of 64-bit
 * length, big-endian ones, and those of objects, which are not relocated.
 */
#ifndef CONVERTER_BINARY_UNWIND_FRAMES_H
#define CONVERTER_BINARY_UNWIND_FRAMES_H

#include "base/vector.h"
#include "converter/binary/binary.h"

struct unwind_frame {
	uint64_t begin, end; /* its code */
	uint64_t table;	     /* its LSDA; 0 if none */
};

struct unwind_frames {
	VECTOR(struct unwind_frame) items;
};

/* Read the description at @va; false if there is none that can be read. */
bool unwind_frame_read(const struct binary *b, uint64_t va, struct unwind_frame *out);
/* The description of the function that holds @va, by .eh_frame_hdr: where it is; 0 if unknown. */
uint64_t unwind_frame_find(const struct binary *b, uint64_t va);
/* Append all of .eh_frame, as they come. 0, or -1 without memory. */
int unwind_frames_list(const struct binary *b, struct unwind_frames *out);

#endif
