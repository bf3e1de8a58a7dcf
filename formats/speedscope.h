/* SPDX-License-Identifier: MIT */
/* Call trees for speedscope.app, and other viewers of its file format: a sampled profile, as
 * github.com/jlfwong/speedscope, src/lib/file-format-spec.ts has it. */
#ifndef FORMATS_SPEEDSCOPE_H
#define FORMATS_SPEEDSCOPE_H

#include <stdio.h>

#include "formats/model/call_tree.h"
#include "softlbr/error.h"

/* @name is what the profile is called. @t has been summed. 0 or a negative code. */
int speedscope_write(const struct call_tree *t, const char *name, FILE *stream,
		     struct softlbr_error *e);

#endif
