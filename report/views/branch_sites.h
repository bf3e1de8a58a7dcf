/* SPDX-License-Identifier: MIT */
/* The branch instructions of a binary that ran: how often each was taken, and how often it was run
 * past. */
#pragma once

#include "base/vector.h"
#include "converter/binary/binary.h"
#include "formats/model/branch_profile.h"

struct branch_site {
	uint64_t va;
	uint8_t kind;	/* enum isa_kind */
	uint64_t taken; /* as the profile counts branches */
	/*
	 * Of a conditional branch whose code before it was seen to run: the ranges that ended here,
	 * and those that ran on. A trace's first branch has no range before it: counted with
	 * `taken`, it would make each branch look more often taken, by 1 in 16 of an LBR's.
	 */
	uint64_t ended, passed;
	uint64_t predicted, mispredicted;
};

struct branch_sites {
	VECTOR(struct branch_site) items; /* ascending */
};

/* @b may be NULL: then all are ISA_UNKNOWN, and nothing is known of those that were run past.
 * @sites starts zeroed; 0, or -1 without memory. */
int branch_sites_make(struct branch_sites *sites, struct binary *b,
		      const struct branch_profile *profile, const struct branch_details *details);
void branch_sites_deinit(struct branch_sites *s);
/* The one at @va, or NULL. */
const struct branch_site *branch_sites_at(const struct branch_sites *s, uint64_t va);
