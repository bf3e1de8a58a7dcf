/* SPDX-License-Identifier: MIT */
/* Call trees as other tools read them, a file for each format; the tree has been summed. Each call
 * returns 0 or a negative code. */
#pragma once

#include <stdio.h>

#include "base/file_guard.h"
#include "formats/model/call_tree.h"
#include "softlbr/error.h"

/* Folded stacks (flamegraph.pl), sorted by path. */
int folded_write(const struct call_tree *t, FILE *stream, struct softlbr_error *e);
/* speedscope's JSON; @name is what the profile is called. */
int speedscope_write(const struct call_tree *t, const char *name, FILE *stream,
		     struct softlbr_error *e);
/* pprof's compressed protobuf. */
int pprof_write(const struct call_tree *t, FILE *stream, struct softlbr_error *e);
/* Of a file_guard_kind: may it be such a file? */
bool pprof_is_file(const struct file_guard_kind *kind, const uint8_t *data, size_t size);
