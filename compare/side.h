/* SPDX-License-Identifier: MIT */
/* One side of a comparison: a recording or branch profile as its binary can have done it, or a
 * source profile. */
#pragma once

#include "base/file.h"
#include "converter/binary/binary.h"
#include "converter/pipeline/conversion.h"
#include "formats/profile_kind.h"
#include "softlbr/error.h"

struct side {
	const char *path;		    /* borrowed */
	enum frequencies frequencies;	    /* as branches are read: what convert would write */
	struct aggregate_progress progress; /* of reading it; set before it is opened */
	struct file_view view;
	enum profile_kind kind;
	bool exact; /* counts of a whole run, not samples */
	struct conversion_counts counts;
	struct validate_stats valid;
	uint64_t unknown; /* fdata: counts of records at symbols that the binary does not have */
	uint64_t samples;
	struct funnel funnel;		   /* of a recording */
	struct evidence evidence;	   /* of recordings whose traces tell */
	char copied[MODULES_COPIED_BYTES]; /* whose code was copied, or "" */
	struct aggregate_damage damage;	   /* of text of perf script */
};

/* Open the file and see what it is; zeroed before, ended by side_deinit also on failure. */
int side_open(struct side *c, const char *path, enum frequencies frequencies,
	      struct softlbr_error *e);
void side_deinit(struct side *c);
/* Open the binary that @sides are of: the file @binary, or the recorded program or module that it
 * stands for (converter/pipeline/recorded_program.h). NULL without a recording that tells. */
struct binary *side_open_binary(const struct side *sides, size_t count, const char *binary,
				const struct debug_search *search, struct softlbr_error *e);
/*
 * Read its branches, at addresses of @b. Errors: another binary (SOFTLBR_E_BINARY); no branches
 * (SOFTLBR_E_EMPTY); what can't be read (SOFTLBR_E_INPUT).
 */
int side_read_branches(struct side *c, struct binary *b, struct softlbr_error *e);
/* Is it of samples, which can be cut into parts? */
bool side_is_sampled(const struct side *c);
/* Read into @out (zeroed) what side_read_branches reads, but only part @part of @parts. */
int side_read_part(const struct side *c, struct binary *b, unsigned parts, unsigned part,
		   struct branch_profile *out, struct softlbr_error *e);
/*
 * Get its source profile: read it, or make it of the branches that were read, by the debug
 * information of @b. If there is none, c->counts.has_source stays false, which is no error.
 */
int side_read_source(struct side *c, struct binary *b, struct softlbr_error *e);
/* Make the source profile of its branches as side_read_source does; c->counts also says what could
 * not be attributed. */
int side_attribute(struct side *c, struct binary *b, struct softlbr_error *e);
/* If one has names and the other MD5 numbers for them (LLVM), let both have names; 0 or a negative
 * code. */
int side_name_alike(struct side sides[2], struct softlbr_error *e);
/* If one is for a gcc that takes one count for a line (gcov, up to gcc 12), and the other has
 * discriminators, let both have one, as convert makes it; 0 or a negative code. */
int side_lines_alike(struct side sides[2], struct softlbr_error *e);
/* As if nothing had been inlined; 0 or a negative code. */
int side_flatten(struct side *c, struct softlbr_error *e);
