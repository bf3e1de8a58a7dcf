/* SPDX-License-Identifier: MIT */
/*
 * Calls as a profile of pprof, for `go build -pgo`: what Go's compiler takes from such a file are
 * the edges of its call graph, each a caller, the line of the call relative to the function's, and
 * a callee (cmd/internal/pgo). So a sample here is a call, which ran or was inlined, of two
 * locations; its value, samples/count, is how often it ran. Lines count from 1, the function's own:
 * absolute ones are not in a source profile.
 */
#pragma once

#include <stdio.h>

#include "formats/model/source_profile.h"
#include "softlbr/error.h"

/*
 * Write the calls of @p, compressed; the stream's own errors are the caller's to look for. Calls of
 * pkg.(*T).m, if that has no lines, are of pkg.T.m: Go made the former itself, to call the latter
 * by an interface. SOFTLBR_E_EMPTY if there are no calls.
 */
int pprof_calls_write_to(const struct source_profile *p, FILE *out, struct softlbr_error *e);
