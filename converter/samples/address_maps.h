/* SPDX-License-Identifier: MIT */
/*
 * What is mapped in an address space: ascending, not overlapping. A process has other maps at other
 * times, and a forked one those of its parent, so maps are kept once for all who have them: as a
 * balanced tree whose parts are shared, and copied along one path when they change. A change takes
 * memory by the logarithm of how many there are.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct address_map {
	uint64_t start, end; /* end exclusive */
	uint64_t file_offset;
	uint32_t module;
	bool at_va; /* see struct perfdata_mmap */
	/* The number + 1 of the anonymous module whose memory it is, which is taken as a copy of
	 * the module's code; 0 = no such */
	uint32_t copied_to;
};

struct address_node;

struct address_maps {
	struct address_node *root; /* NULL = nothing is mapped */
};

/* Start zeroed; gives up what nobody else has. */
void address_maps_deinit(struct address_maps *m);
/* The same maps once more: either can change without the other. */
struct address_maps address_maps_share(const struct address_maps *m);
/* Lay @map, which is not empty, over what is there: overlapped parts of older maps go. 0, or -1
 * without memory: then nothing is known of the maps any more. */
int address_maps_put(struct address_maps *m, const struct address_map *map);
/* The first that ends behind @address, or NULL; valid until the maps change. */
const struct address_map *address_maps_behind(const struct address_maps *m, uint64_t address);
/* The last that begins before @address, or NULL; valid until the maps change. */
const struct address_map *address_maps_before(const struct address_maps *m, uint64_t address);
