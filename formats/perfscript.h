/* SPDX-License-Identifier: MIT */
/*
 * Branch stacks as perf script -F PERFSCRIPT_FIELDS prints them, of which llvm-profgen reads some,
 * as a sequence of the records of perfdata.h:
 *
 *	PERF_RECORD_MMAP2 PID/TID: [0xSTART(0xLENGTH) @ 0xOFFSET DEV INODE ...]: r-xp PATH
 *	PERF_RECORD_FORK(PID:TID):(PARENT:TID)      PERF_RECORD_COMM exec: NAME:PID/TID
 *	3                              (how many times the next sample was seen; optional)
 *	 [PID] [EVENT:] [IP] 0xFROM/0xTO/P/-/-/CYCLES ...   (newest first; PN, MN: not taken)
 *
 * and as it prints them with more fields before: command, process, time, symbol. Addresses may be
 * virtual ones of a file: BUILDID:0xADDRESS (formats/build_tags.h).
 *
 * Lines of a call stack (hybrid samples: one address each) and other fields are passed over; what
 * is damaged is counted. Whose a sample is: formats/perfscript_processes.c.
 */
#pragma once

#include "formats/perfdata.h"

/* What tells all that is needed, of one process or many. */
#define PERFSCRIPT_FIELDS "pid,ip,brstack --show-mmap-events --show-task-events"

struct perfscript_stats {
	uint64_t lines, samples;
	uint64_t lines_damaged; /* of branches or mappings, and what perf script never prints */
	uint64_t first_damaged; /* number of the first of them; 0 = none */
	bool cut;		/* the last line has no end, and is left out */
	bool has_maps;
	/* of no process that is known, where processes had different files at one place: counted
	 * by perfscript_each */
	uint64_t samples_unnamed;
};

/* Is it such text? Looks at the first lines. */
bool perfscript_is(const uint8_t *data, size_t size);

/*
 * Hand every record to @handler, as perfdata_each does; a sample that was seen n times
 * comes once, with n - 1 repeats. Events are found in a first walk. Without a line of branches it
 * is an error (SOFTLBR_E_INPUT). A text that is cut off, or more than 1 % of whose lines are
 * damaged, is an error too, after all that is whole was delivered.
 */
struct perfscript;

struct perfscript *perfscript_open(const uint8_t *data, size_t size, const char *name,
				   struct softlbr_error *e);
void perfscript_close(struct perfscript *s);
const struct perfdata_info *perfscript_info(const struct perfscript *s);
const struct perfscript_stats *perfscript_stats(const struct perfscript *s);
int perfscript_each(struct perfscript *s, perfdata_handler *handler, void *context,
		    struct softlbr_error *e);
