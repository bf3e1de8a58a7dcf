/* SPDX-License-Identifier: MIT */
/* What the views of report/views/report.h share. */
#ifndef REPORT_VIEWS_VIEW_H
#define REPORT_VIEWS_VIEW_H

#include "report/views/branch_sites.h"
#include "report/views/report.h"
#include "report/views/source_places.h"

/* What a recording says of one module. */
struct view_part {
	struct binary *binary; /* NULL: addresses are offsets in the module */
	const char *module;    /* its path; NULL: the one that is reported */
	const struct branch_profile *profile;
	const struct branch_details *details;
	struct branch_sites sites;
	struct source_places places;
};

struct view {
	const struct report_options *options;
	struct document *out;
	VECTOR(struct view_part) parts;
	/* to read the recording again: its bytes and what they are; the part of each of its
	 * modules, by number, or VIEW_NO_PART */
	const struct file_view *file;
	const struct aggregate_result *result; /* of the recording as a whole */
	enum profile_kind kind;
	struct binary *binary; /* that was asked for; NULL = all modules */
	VECTOR(size_t) part_of_module;
};

#define VIEW_NO_PART SIZE_MAX

/* All that were taken in the parts, as the profile counts them. */
uint64_t view_branches_taken(const struct view *v);
/* So many of @count rows are shown. */
size_t view_shown(const struct view *v, size_t count);
/* Instructions of the straight-line code from @begin to the one at @end; 0 if not known. */
uint64_t view_instructions(struct view *v, size_t part, uint64_t begin, uint64_t end);
/* Put a place as function and offset, however rows are grouped. Without a part, none. */
void view_put_place(struct view *v, size_t part, uint64_t va);

/* Each adds its tables; 0, or -1 without memory. */
int view_branches(struct view *v);
int view_probability(struct view *v);
int view_misprediction(struct view *v);
int view_latency(struct view *v);
int view_paths(struct view *v);
int view_stacks(struct view *v);
int view_source(struct view *v);
int view_assembly(struct view *v);
int view_events(struct view *v);
int view_around(struct view *v); /* options.before, options.after */
int view_trace(struct view *v);	 /* options.trace */
int view_graph(struct view *v);

#endif
