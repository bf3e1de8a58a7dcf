/* SPDX-License-Identifier: MIT */
/* From a program's code and a branch profile to observations. */
#ifndef CONVERTER_GCC_COUNTERS_OBSERVER_H
#define CONVERTER_GCC_COUNTERS_OBSERVER_H

#include "converter/binary/binary.h"
#include "converter/gcc/counters/observations.h"
#include "formats/model/branch_profile.h"
#include "softlbr/error.h"

/* All of a program; @p conserves flow, or is exact; each count is taken @scale times. 0 or a
 * negative code. */
int observer_make(struct binary *b, const struct branch_profile *p, uint64_t scale,
		  struct key_index *keys, struct observations *out, struct softlbr_error *e);

#endif
