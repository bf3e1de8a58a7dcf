/* SPDX-License-Identifier: MIT */
/*
 * record --aggregate: counts of branches and ranges per module instead of traces. The recorder's
 * parts are counted as convert does, added up, and written as DIR/MODULE.preagg after each part, so
 * that a recorder that is killed loses one part at most, which is still there as DIR/traces.
 */
#ifndef CLI_RECORD_AGGREGATE_H
#define CLI_RECORD_AGGREGATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "collector/recorder/rotation_worker.h"
#include "converter/binary/binary.h"
#include "formats/model/branch_profile.h"

struct record_module {
	char *path;
	struct binary *binary; /* NULL: it can't be read */
	struct branch_profile sum;
};

struct record_aggregate {
	const char *directory;
	uint64_t entries_most; /* distinct branches and ranges that are kept */
	VECTOR(struct record_module) modules;
	char *traces; /* DIR/traces, what the recorder writes */
	unsigned rotations;
	/* all counted since the beginning */
	uint64_t entries, branches, branches_elsewhere, dropped, traces_counted;
	unsigned parts, files;
};

/* Make the directory. 0 or a negative code. */
int record_aggregate_open(struct record_aggregate *a, struct softlbr_error *e);
/* Take a part: struct rotation_options. */
int record_aggregate_take(void *aggregate, const char *path, bool rotate, struct softlbr_error *e);
void record_aggregate_print(const struct record_aggregate *a);
void record_aggregate_close(struct record_aggregate *a);

#endif
