/* SPDX-License-Identifier: MIT */
/*
 * A word in shared memory that the kernel marks when the thread that holds it ends, however that
 * comes: a robust futex (set_robust_list(2)). The list that the kernel follows is in memory of ours
 * alone: libc's robust mutexes have theirs inside the mutex, where others could bend it.
 */
#ifndef COLLECTOR_RECORDER_LIVENESS_H
#define COLLECTOR_RECORDER_LIVENESS_H

#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>

#include "softlbr/error.h"

/* Stays where it is as long as it is held. */
struct liveness {
	struct robust_list_head list;
	struct robust_list entry;
	struct robust_list_head *before; /* libc's */
	size_t before_bytes;
	uint32_t tid; /* that holds it; 0: none */
};

/* For the calling thread, which has no robust mutex and will not have one. */
int liveness_hold(struct liveness *l, uint32_t *word, struct softlbr_error *e);
/* Fine where nothing is held. */
void liveness_end(struct liveness *l);

#endif
