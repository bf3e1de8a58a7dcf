/* SPDX-License-Identifier: MIT */
/* A look at the chunks of a process's file: which hold records, in the order in which they were
 * written. */
#ifndef COLLECTOR_SESSION_CHUNK_WALK_H
#define COLLECTOR_SESSION_CHUNK_WALK_H

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
	uint32_t chunk_bytes, count;
	uint32_t taken;			      /* chunks, when the walk begins */
	uint32_t in_use;		      /* found by it */
	VECTOR(struct chunk_walk_stop) stops; /* found by it; what it made room for stays */
};

int chunk_walk_find(struct chunk_walk *w, struct softlbr_error *e);
void chunk_walk_deinit(struct chunk_walk *w);

#endif
