/* SPDX-License-Identifier: MIT */
/*
 * BOLT's records back to the branch profile that they came from, as far as they go: returns and
 * what ran inside of blocks are not in them.
 */
#ifndef CONVERTER_BOLT_FROM_FDATA_H
#define CONVERTER_BOLT_FROM_FDATA_H

#include "converter/binary/binary.h"
#include "formats/model/bolt_profile.h"
#include "formats/model/branch_profile.h"

/*
 * Add the records of @p to @out. A record from a conditional jump to what follows it, or from what
 * is no branch, becomes a range over that one instruction. *unknown: the sum of the counts of
 * records whose symbols are not in @b. 0, or -1 without memory.
 */
int from_fdata_add(struct binary *b, const struct bolt_profile *p, struct branch_profile *out,
		   uint64_t *unknown);

#endif
