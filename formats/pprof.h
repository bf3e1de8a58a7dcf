/* SPDX-License-Identifier: MIT */
/* Call trees for `go tool pprof` and the viewers that read its profiles: pprof.proto, packed by
 * gzip. */
#ifndef FORMATS_PPROF_H
#define FORMATS_PPROF_H

#include <stdio.h>

#include "formats/model/call_tree.h"
#include "softlbr/error.h"

/* @t has been summed. 0 or a negative code. */
int pprof_write(const struct call_tree *t, FILE *stream, struct softlbr_error *e);

#endif
