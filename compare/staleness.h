/* SPDX-License-Identifier: MIT */
/*
 * How much of a binary's hot code is still the same in another build of it: per function, found by
 * name, by its instructions and by the shape of its control flow.
 */
#pragma once

#include "base/vector.h"
#include "converter/binary/binary.h"
#include "formats/model/branch_profile.h"
#include "softlbr/error.h"

enum stale_kind {
	STALE_SAME,  /* the same instructions, though elsewhere and with other distances */
	STALE_SHAPE, /* other instructions, the same blocks and edges */
	STALE_CHANGED,
	STALE_GONE, /* no function of its name */
	STALE_KINDS
};

struct stale_function {
	const struct binary_function *function; /* of the recorded build */
	double weight;				/* instructions run, as bytes of ranges */
	enum stale_kind kind;
};

struct staleness {
	VECTOR(struct stale_function) functions; /* that ran, by falling weight */
	double weight[STALE_KINDS], total;
};

/* @clean is of @recorded. @out is zeroed, ended with staleness_deinit also on failure. */
int staleness_find(struct staleness *out, struct binary *recorded, struct binary *now,
		   const struct branch_profile *clean, struct softlbr_error *e);
void staleness_deinit(struct staleness *s);
const char *staleness_kind_name(enum stale_kind kind);
