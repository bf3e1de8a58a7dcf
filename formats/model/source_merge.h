/* SPDX-License-Identifier: MIT */
/* Adding source profiles up. */
#ifndef FORMATS_MODEL_SOURCE_MERGE_H
#define FORMATS_MODEL_SOURCE_MERGE_H

#include "formats/model/source_profile.h"

/* May they be added? Not if one has names and the other numbers instead (md5_names). */
bool source_profiles_agree(const struct source_profile *a, const struct source_profile *b);

/* Add @from into @to, each count times @weight; sums saturate. Sort @to when all are added: then
 * the result does not depend on the order. 0, or -1 without memory. */
int source_profile_add(struct source_profile *to, const struct source_profile *from,
		       uint64_t weight);

#endif
