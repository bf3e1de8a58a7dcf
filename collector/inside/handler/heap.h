/* SPDX-License-Identifier: MIT */
/* The memory that heap.c cuts blocks from. */
#ifndef COLLECTOR_INSIDE_HEAP_H
#define COLLECTOR_INSIDE_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct heap_segment {
	struct heap_segment *older;
	size_t bytes, used; /* used: atomic, with this header */
};

struct heap {
	struct heap_segment
		*newest; /* NULL: none yet; atomic. What is left of others is not used */
};

#endif
