/* SPDX-License-Identifier: MIT */
/*
 * The summary that GCC 16 and LLVM read: how many of the hottest counts make up which share of the
 * total. Cutoffs and rule are LLVM's (ProfileSummaryBuilder), which GCC 16 took over.
 */
#ifndef FORMATS_MODEL_PROFILE_SUMMARY_H
#define FORMATS_MODEL_PROFILE_SUMMARY_H

#include <stdint.h>

#include "formats/model/source_profile.h"

#define PROFILE_SUMMARY_CUTOFFS 16

struct profile_summary {
	uint64_t total;		/* of all body counts, nested ones included */
	uint64_t greatest;	/* body count */
	uint64_t greatest_head; /* of the top-level functions */
	uint64_t counts;	/* body counts, zeros included */
	uint64_t functions;	/* top level */
	struct {
		uint32_t cutoff; /* per million of the total */
		uint64_t least;	 /* the smallest count needed to reach it */
		uint64_t counts; /* how many counts were needed */
	} entries[PROFILE_SUMMARY_CUTOFFS];
};

/* 0, or -1 without memory. */
int profile_summary_make(const struct source_profile *p, struct profile_summary *out);

#endif
