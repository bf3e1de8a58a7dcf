/* SPDX-License-Identifier: MIT */
/* What the files of the conversion library share. */
#pragma once

#include "converter/elf/debug_search.h"
#include "converter/pipeline/conversion.h"
#include "formats/model/source_profile.h"
#include "softlbr/profile.h"

struct softlbr_branches {
	struct binary *binary;
	struct debug_search search;
	char *symfs, *event;
	struct conversion conversion;
	bool checked; /* are its branches those of all that was added? */
	bool broken;  /* reading failed half-way */
};

struct softlbr_profile {
	struct source_profile source; /* sorted */
	unsigned gcc; /* made what ran, or reads the file that it was read from; 0 = not known */
	/* The counts that are written for clang, where they differ: see CONVERSION_CLANG. */
	bool has_clang;
	struct source_profile clang;
};

/* The caller's error, or one for the calls below, which look at its code. */
#define library_error(e) ((e) ? (e) : &(struct softlbr_error){0})

/* Let the branches be those of all that was added; @e is not NULL. 0 or a negative code. */
int branches_check(struct softlbr_branches *b, struct softlbr_error *e);
