/* SPDX-License-Identifier: MIT */
/* A look at the chunks of a process's file: which hold records, in the order in which they were
 * written. */
#ifndef COLLECTOR_RECORDER_CHUNK_WALK_H
#define COLLECTOR_RECORDER_CHUNK_WALK_H

#include <stdint.h>

#include "base/vector.h"
#include "softlbr/error.h"

/* A chunk in use, as it was looked at. */
struct chunk_walk_stop {
	uint32_t index;
	uint32_t state, used;
	int32_t age; /* of its taking, against the newest: negative */
};

struct chunk_walk {
	const uint8_t *chunks; /* shared memory (shared_bytes.h) */
	uint32_t chunk_bytes;
	const uint32_t *indices; /* of the chunks to look at; NULL: all */
	uint32_t count;		 /* of them */
	uint32_t taken;		 /* chunks, when the walk begins */
	/* Found by it; what it made room for stays. */
	VECTOR(uint32_t) in_use;	      /* indices */
	VECTOR(struct chunk_walk_stop) stops; /* of them, those that may hold something */
};

int chunk_walk_find(struct chunk_walk *w, struct softlbr_error *e);
void chunk_walk_deinit(struct chunk_walk *w);

#endif
