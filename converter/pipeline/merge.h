/* SPDX-License-Identifier: MIT */
/*
 * Files of one kind to one: profiles of source, fdata and pre-aggregated records as they are;
 * recordings and other texts of addresses with their binary, to pre-aggregated records; directories
 * of counters to a directory. The result does not depend on the order.
 */
#pragma once

#include "converter/pipeline/recorded_program.h"
#include "converter/samples/aggregate.h"
#include "formats/profile_kind.h"
#include "softlbr/error.h"

struct merge_input {
	const char *path;
	uint64_t weight; /* not 0 */
	bool subtracted; /* of recordings and branches alone */
};

struct merge_options {
	/* of recordings; NULL or a module's name: what the first one that tells says */
	const char *binary_path;
	const struct debug_search *search; /* may be NULL */
	const char *keys_path;		   /* of counters: for names; may be NULL */
	/* Called with the binary that was found for recordings, and may refuse it; or NULL. */
	int (*found)(void *context, const struct recorded_program *program,
		     struct softlbr_error *e);
	void *found_context;
	enum profile_kind kind; /* of the files; PROFILE_UNKNOWN = by content */
	/* of the sum of LLVM profiles; PROFILE_UNKNOWN = the one form that all have, else text */
	enum profile_kind to;
	struct aggregate_progress progress;
	bool keep_others; /* write over no file of another kind than the result's */
	/* Called for each file, with what was left out of it; may be NULL. */
	void (*tell)(const char *path, const struct aggregate_damage *damage);
	struct branch_profile_clamped *clamped; /* what subtraction was short of; may be NULL */
};

int merge_files(const struct merge_input *inputs, size_t count, const struct merge_options *options,
		const char *output, struct softlbr_error *e);
