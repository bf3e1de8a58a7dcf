/* SPDX-License-Identifier: MIT */
/*
 * Do a profile's ranges and branches tell the same story? What runs into a jump or a call
 * leaves by it, so that no such instruction ends more ranges than it was taken times. Where the two
 * come from different places, or one of them is shifted or incomplete, it does. Conditional
 * branches don't tell: exact counts of instructions come as ranges that end there taken or not.
 */
#ifndef CONVERTER_SOURCE_RANGE_ENDS_H
#define CONVERTER_SOURCE_RANGE_ENDS_H

#include "converter/source/attribute.h"

/* Set the fields of @stats on ends of ranges. 0, or -1 without memory. */
int range_ends_count(struct binary *b, const struct branch_profile *clean,
		     struct attribute_stats *stats);

#endif
