/* SPDX-License-Identifier: MIT */
/* What the views of report/views/report.h share. */
#ifndef REPORT_VIEWS_VIEW_H
#define REPORT_VIEWS_VIEW_H

#include "report/views/branch_sites.h"
#include "report/views/report.h"
#include "report/views/source_places.h"

#define COLUMNS(array) (array), sizeof(array) / sizeof(*(array))

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
	struct sheet *sheet;
	VECTOR(struct view_part) parts;
};

/* Each adds its tables; 0, or -1 without memory. */
int view_branches(struct view *v);
int view_probability(struct view *v);
int view_misprediction(struct view *v);
int view_latency(struct view *v);

#endif
