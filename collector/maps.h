/* SPDX-License-Identifier: MIT */
/*
 * A process's own mappings as MMAP2 records, for a recording that begins in the middle of its life:
 * read from /proc/self/maps, with build-ids from the mapped files' notes.
 */
#ifndef COLLECTOR_MAPS_H
#define COLLECTOR_MAPS_H

#include "formats/perfdata_write.h"
#include "softlbr/error.h"

struct maps {
	uint64_t loads; /* dl_iterate_phdr's count of loaded objects, when last read */
};

/* Append COMM and the executable mappings; afterwards only when an object was loaded or unloaded
 * since the last call. */
int maps_append(struct maps *m, struct perfdata_writer *w, struct softlbr_error *e);

#endif
