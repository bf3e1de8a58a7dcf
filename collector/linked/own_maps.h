/* SPDX-License-Identifier: MIT */
/*
 * A process's own mappings as MMAP2 records, for a recording that begins in the middle of its life.
 */
#pragma once

#include "collector/recorder/synthesize.h"

struct own_maps {
	uint64_t loads; /* dl_iterate_phdr's count of loaded objects, when last read */
	struct synthesize_maps known;
};

/* Append COMM and the executable mappings; afterwards only when an object was loaded or unloaded
 * since the last call. */
int own_maps_append(struct own_maps *m, struct perfdata_writer *w, struct softlbr_error *e);
void own_maps_deinit(struct own_maps *m);
