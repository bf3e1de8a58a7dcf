/* SPDX-License-Identifier: MIT */
/*
 * What gcc prints of its control-flow graphs when it instruments a file:
 * -fdump-ipa-profile-blocks-lineno-details-asmname. There is no description but gcc's source
 * (tree-cfg.cc: dump_function_to_file; gimple-pretty-print.cc; cfg.cc: dump_edge_info). Dumps of
 * gcc 11 and 12 were read; those of gcc 13 to 16 have the same lines, but for the discriminator,
 * which stands at each statement instead of the block.
 *
 *	;; Function NAME (LINKAGE-NAME, funcdef_no=...)
 *	type name (parameters)
 *	{
 *	;;   basic block 2, loop depth 0, ...
 *	;;   starting at line 3, discriminator 1
 *	  [a.c:3:5] if (x_2 != 0)
 *	;;    succ:       3 [35.0% (guessed)]  ... (TRUE_VALUE,...)
 *	}
 *
 * The print below such a head is of the state before instrumentation. Its blocks are numbered as in
 * the .gcno file. Behind all functions they are printed once more, instrumented, where the
 * counters of values are seen (gcc_dump_parts.h).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "converter/gcc/files/gcc_graph.h"
#include "softlbr/error.h"

/*
 * Add to the functions of @g, which are those of the .gcno file, what the dump says of them. One
 * that the dump lacks, or whose blocks or edges are others than the .gcno file's, is left without;
 * where that is every function, the dump is of another build, or of a form that is not known: an
 * error. What was added stays on any error, and is of whole functions.
 */
int gcc_dump_read_bytes(const uint8_t *data, size_t size, const char *name, struct gcc_graph *g,
			struct softlbr_error *e);

/* Errors of the stream are the caller's to look for. */
void gcc_dump_short_write(const uint8_t *data, size_t size, FILE *out);
