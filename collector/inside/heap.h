/* SPDX-License-Identifier: MIT */
/* The memory that heap.c cuts blocks from. */
#ifndef COLLECTOR_INSIDE_HEAP_H
#define COLLECTOR_INSIDE_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct heap {
	uintptr_t start; /* 0: not mapped yet; atomic */
	size_t used;	 /* atomic */
};

#endif
