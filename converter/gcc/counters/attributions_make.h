/* SPDX-License-Identifier: MIT */
/* From a program's code and a branch profile to attributions. */
#ifndef CONVERTER_GCC_COUNTERS_ATTRIBUTIONS_MAKE_H
#define CONVERTER_GCC_COUNTERS_ATTRIBUTIONS_MAKE_H

#include "converter/binary/binary.h"
#include "converter/gcc/counters/attributions.h"
#include "formats/model/branch_profile.h"
#include "softlbr/error.h"

/* All of a program; @p conserves flow, or is exact; each count is taken @scale times. 0 or a
 * negative code. */
int attributions_make(struct binary *b, const struct branch_profile *p, uint64_t scale,
		      struct notes_index *keys, struct attributions *out, struct softlbr_error *e);

#endif
