/* SPDX-License-Identifier: MIT */
/* A trace: consecutive taken branches of one thread, oldest first. */
#ifndef COLLECTOR_ENGINE_TRACE_H
#define COLLECTOR_ENGINE_TRACE_H

#include <stdint.h>

#define TRACE_DEPTH_MAX 4096u

struct trace_entry {
	uint64_t from, to;
};

struct trace {
	uint64_t start; /* the pc where the sample found the thread */
	unsigned count;
	struct trace_entry *entries; /* room for the depth; borrowed */
	uint8_t *kinds;		     /* enum isa_kind of each; the same */
};

#endif
