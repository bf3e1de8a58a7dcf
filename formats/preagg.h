/* SPDX-License-Identifier: MIT */
/*
 * BOLT's pre-aggregated text (perf2bolt --pa), one record per line:
 *
 *	B FROM TO COUNT MISPREDICTED	a taken branch
 *	F BEGIN END COUNT		a range; its beginning was entered from the same function
 *	f BEGIN END COUNT		the same, entered from outside: by a call or a return
 *
 * Addresses are hexadecimal ELF virtual addresses without 0x; END is the start of the branch that
 * ended the range; "X:0" is a place outside of the binary; "BUILDID:" before an address says which
 * file it is in. (DataAggregator.h of llvm-bolt 16 and 19.) Later versions (bolt/docs/profiles.md)
 * have these as well:
 *
 *	T FROM TO END COUNT [MISPREDICTED]	a branch and the range [TO,END]
 *	R FROM TO END COUNT [MISPREDICTED]	the same, of a return
 *	r BEGIN END COUNT			a range that a return from outside began
 *	S ADDRESS COUNT				samples
 *	E EVENT					the event's name, passed over
 *
 * A T without branch has FROM -1, -2 or -3, one without range END -1, all ones to versions before
 * 23; those know no MISPREDICTED either. Written are T, and for branches from outside B and f: so
 * llvm-bolt finds out by itself which of them are returns. R, r, S and E are read alone.
 */
#pragma once

#include <stdio.h>

#include "formats/build_tags.h"
#include "softlbr/error.h"

/* Are @from and @to in one function? */
typedef bool preagg_same_function(void *context, uint64_t from, uint64_t to);

/*
 * Write branches and ranges, sorted. Ranges are F or f by the branches that lead to their
 * beginnings, which @same (may be NULL: all but BRANCH_OUTSIDE) tells apart; mixed ones are split
 * in proportion. To what no branch led was come to from outside.
 */
int preagg_write(const struct branch_profile *p, preagg_same_function *same, void *context,
		 const char *path, struct softlbr_error *e);
/*
 * Write for a major version of llvm-bolt, or for all (0), to a stream, whose own errors are the
 * caller's to look for. From 21 on branches and ranges become traces: what begins at a branch's
 * target is its own in proportion to all that lead there.
 */
int preagg_write_to(const struct branch_profile *p, preagg_same_function *same, void *context,
		    unsigned bolt, FILE *out, struct softlbr_error *e);
/* Write what was read so: addresses of files with the build-ids that @tags has of them. */
int preagg_write_tagged(const struct branch_profile *p, const struct build_tags *tags,
			const char *path, struct softlbr_error *e);
/* Does the first line look like a record? */
bool preagg_is(const uint8_t *data, size_t size);
/* Add a file's records, of any files, which @tags is told, to @p. */
int preagg_read_bytes(struct branch_profile *p, const uint8_t *data, size_t size, const char *name,
		      struct build_tags *tags, struct softlbr_error *e);

/*
 * The same for files that are added up, each count times @weight: all of one binary, as far as
 * @tags, which is theirs together, tells.
 */
int preagg_read_weighed(struct branch_profile *p, struct build_tags *tags, const uint8_t *data,
			size_t size, const char *name, uint64_t weight, struct softlbr_error *e);
