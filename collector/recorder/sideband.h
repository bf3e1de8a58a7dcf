/* SPDX-License-Identifier: MIT */
/*
 * What the kernel tells of the profiled processes beside the samples: MMAP2 (with build-ids), COMM,
 * FORK and EXIT records, of the command and all its descendants, by a dummy perf event per CPU.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vector.h"
#include "formats/perfdata_write.h"
#include "softlbr/error.h"

struct sideband_ring {
	int fd;
	struct perf_event_mmap_page *page;
};

struct sideband {
	VECTOR(struct sideband_ring) rings;
	int filling;		 /* polls as readable once there is much to drain; ours */
	VECTOR(uint8_t) wrapped; /* for a record that wraps around its ring */
};

/* Watch what this process starts, from its first exec on. @data: mappings of data, too, in which
 * who unwinds stacks may look for the tables. */
int sideband_open(struct sideband *s, bool data, struct softlbr_error *e);
/* Append what has come in to the recording. */
int sideband_drain(struct sideband *s, struct perfdata_writer *w, struct softlbr_error *e);
void sideband_close(struct sideband *s);
