/* SPDX-License-Identifier: MIT */
/* One side of a comparison: a recording or branch profile as its binary can have done it, or a
 * source profile. */
#ifndef COMPARE_COMPARAND_H
#define COMPARE_COMPARAND_H

#include <stdbool.h>

#include "base/file.h"
#include "converter/binary/binary.h"
#include "converter/pipeline/conversion.h"
#include "formats/profile_kind.h"
#include "softlbr/error.h"

struct comparand {
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
	struct funnel funnel;		/* of a recording */
	struct aggregate_damage damage; /* of text of perf script */
};

/* Open the file and see what it is; zeroed before, ended by comparand_deinit also on failure. */
int comparand_open(struct comparand *c, const char *path, enum frequencies frequencies,
		   struct softlbr_error *e);
void comparand_deinit(struct comparand *c);
/* Open the binary that @sides are of: the file @binary, or the recorded program or module that it
 * stands for (converter/pipeline/recorded_program.h). NULL without a recording that tells. */
struct binary *comparand_open_binary(const struct comparand *sides, size_t count,
				     const char *binary, const struct debug_search *search,
				     struct softlbr_error *e);
/*
 * Read its branches, at addresses of @b. Errors: another binary (SOFTLBR_E_BINARY); no branches
 * (SOFTLBR_E_EMPTY); what can't be read (SOFTLBR_E_INPUT).
 */
int comparand_read_branches(struct comparand *c, struct binary *b, struct softlbr_error *e);
/* Is it of samples, which can be cut into parts? */
bool comparand_is_sampled(const struct comparand *c);
/* What comparand_read_branches reads, of part @part of @parts alone: into @out (zeroed). */
int comparand_read_part(const struct comparand *c, struct binary *b, unsigned parts, unsigned part,
			struct branch_profile *out, struct softlbr_error *e);
/*
 * Come by its source profile: read it, or make it of the branches that were read, by the debug
 * information of @b. If there is none, c->counts.has_source stays false, which is no error.
 */
int comparand_read_source(struct comparand *c, struct binary *b, struct softlbr_error *e);
/* That of its branches, and what could not be attributed, in c->counts; read as
 * comparand_read_source does. */
int comparand_attribute(struct comparand *c, struct binary *b, struct softlbr_error *e);
/* As if nothing had been inlined; 0 or a negative code. */
int comparand_flatten(struct comparand *c, struct softlbr_error *e);

#endif
