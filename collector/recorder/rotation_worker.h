/* SPDX-License-Identifier: MIT */
/*
 * Recordings that are not kept: the file is cut every so many bytes, and each part is given to a
 * worker thread that makes something smaller of it, while the recorder writes the next.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "softlbr/error.h"

struct rotation_options {
	uint64_t bytes; /* of a part; 0 = the recording is kept whole */
	/* Take the part at @path, a whole perf.data, and remove it. @rotate: what follows is for
	 * new files. Called in a thread, one at a time. */
	int (*take)(void *context, const char *path, bool rotate, struct softlbr_error *e);
	void *context;
};

struct rotation_worker {
	struct rotation_options options;
	pthread_t worker;
	bool running, rotate;
	char *path; /* the worker's */
	struct softlbr_error error;
};

/* Is it time for a new part, with so many bytes in this one? */
bool rotation_worker_due(const struct rotation_worker *s, uint64_t bytes);
/* OUTPUT.number is a part: give it to the worker, when that has done the one before. An error that
 * is its, or ours. */
int rotation_worker_hand_over(struct rotation_worker *s, const char *output, unsigned number,
			      bool rotate, struct softlbr_error *e);
/* Wait for the worker; fine without one. */
int rotation_worker_wait(struct rotation_worker *s, struct softlbr_error *e);
/* The end: wait, and take @output, the last part. */
int rotation_worker_finish(struct rotation_worker *s, const char *output, struct softlbr_error *e);
