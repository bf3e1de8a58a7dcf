/* SPDX-License-Identifier: MIT */
/*
 * .gcno: gcc's control-flow graphs, written by -ftest-coverage. The layout is that of
 * gcc/gcov-io.h, of gcc 11 to 16:
 *
 *	u32 "gcno", version, stamp, [gcc 12 on: checksum]
 *	string: working directory; u32: unexecuted blocks are supported
 *	FUNCTION: ident, lineno_checksum, cfg_checksum, name, artificial, file, line, column, end
 * line, end column BLOCKS: their number ARCS: block, then (block, flags) LINES: block, then line
 * numbers; 0 and a file's name in between, 0 and an empty one at the end
 *
 * Records are as in .gcda (converter/gcc/files/gcda.h). A string is its length with the NUL, in
 * bytes (gcc 11: in words of 4 bytes), then so much text.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "converter/gcc/files/gcc_graph.h"
#include "softlbr/error.h"

/* @g is initialised by the call, also when it fails. */
int gcno_read_bytes(const uint8_t *data, size_t size, const char *name, struct gcc_graph *g,
		    struct softlbr_error *e);
/* Read the .gcno that stands beside the .gcda file @path ("x.gcda", "x.gcno"), if it is of the same
 * build, which @stamp names. Without one @g is empty. 0, or -1 without memory. */
int gcno_read_beside(const char *path, uint32_t stamp, struct gcc_graph *g);
