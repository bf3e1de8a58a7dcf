/* SPDX-License-Identifier: MIT */
/*
 * For record --aggregate: counts of branches and ranges per module instead of traces. The
 * recorder's parts are counted as convert does, added up, and written as DIR/MODULE.preagg after
 * each part, so that a recorder that is killed loses one part at most, which is still there as
 * DIR/traces.
 */
#pragma once

#include "base/vector.h"
#include "converter/binary/binary.h"
#include "formats/model/branch_profile.h"
#include "softlbr/error.h"

struct accumulate_module {
	char *path;
	struct binary *binary; /* NULL: it can't be read */
	char *output;	       /* DIR/MODULE.preagg; NULL with that */
	struct branch_profile sum;
	unsigned part; /* the last one that was added; 0 = none */
};

struct accumulate {
	const char *directory;
	uint64_t entries_most; /* distinct branches and ranges that are kept */
	bool force;	       /* replace a MODULE.preagg that is none */
	VECTOR(struct accumulate_module) modules;
	char *traces; /* DIR/traces, what the recorder writes */
	unsigned rotations;
	/* all counted since the beginning */
	uint64_t entries, branches, branches_elsewhere, dropped, traces_counted;
	unsigned parts, files;
};

/* Make the directory. 0 or a negative code. */
int accumulate_open(struct accumulate *a, struct softlbr_error *e);
/* Take a part, as the recorder hands it over: count it, write what was counted, remove it; with
 * @rotate, begin anew. */
int accumulate_take(void *accumulate, const char *path, bool rotate, struct softlbr_error *e);
void accumulate_close(struct accumulate *a);
