/* SPDX-License-Identifier: MIT */
/*
 * Validation: what of a branch profile can the code of this binary have done? Counts are weighed:
 * a branch seen n times counts n.
 */
#pragma once

#include "converter/binary/binary.h"
#include "formats/model/branch_profile.h"
#include "softlbr/error.h"

struct validate_stats {
	/* in = valid + system_calls + the four causes */
	struct {
		uint64_t in;
		uint64_t valid; /* kept */
		/* Dropped, though true: a system call is no branch of the program's code. */
		uint64_t system_calls;
		uint64_t from_no_code; /* `from` holds no instruction */
		uint64_t
			from_no_branch; /* an instruction, but no branch: skid, interrupt, signal */
		uint64_t wrong_target;	/* direct branch that goes elsewhere */
		uint64_t to_no_code;	/* `to` is no start of an instruction */
	} branches;
	/* in = whole + cut + the four causes */
	struct {
		uint64_t in;
		uint64_t whole;
		uint64_t cut;		/* kept up to the first transfer that it claims to pass */
		uint64_t begin_nowhere; /* begins at no start of an instruction */
		uint64_t backwards;  /* end before begin, or more than RANGE_BYTES_MAX behind it */
		uint64_t no_code;    /* runs into bytes that are no instruction */
		uint64_t end_inside; /* ends inside an instruction */
		uint64_t split; /* of whole and cut: those that ran over a function's boundary */
	} ranges;
	/* in = kept + outside */
	struct {
		uint64_t in, kept, outside;
	} samples;
};

/* Shares in [0,1], 1 where nothing was: branches that the code can have done, and ranges that it
 * can run through whole. Below 0.95 of either a profile is called poor (docs/design.md). */
double validate_branch_share(const struct validate_stats *s);
double validate_range_share(const struct validate_stats *s);

/*
 * Copy into @clean (zeroed, or to be added to) what of @raw the code of @b can have done: path,
 * build-id, branches, samples, and ranges, which are split at function boundaries and cut at the
 * first control transfer that they claim to pass. 0 or a negative code.
 */
int validate_profile(struct binary *b, const struct branch_profile *raw,
		     struct branch_profile *clean, struct validate_stats *stats,
		     struct softlbr_error *e);
