/* SPDX-License-Identifier: MIT */
/* Folded stacks: a line per call path, "main;compress;deflate 12034", as flamegraph.pl and most
 * viewers of flame graphs read them. */
#ifndef FORMATS_FOLDED_H
#define FORMATS_FOLDED_H

#include <stdio.h>

#include "formats/model/call_tree.h"
#include "softlbr/error.h"

/* Sorted by path. @t has been summed. 0 or a negative code. */
int folded_write(const struct call_tree *t, FILE *stream, struct softlbr_error *e);

#endif
