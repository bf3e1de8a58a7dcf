/* SPDX-License-Identifier: MIT */
/*
 * Writing perf.data: one event, records as they come, header and features around them. Layout:
 * tools/perf/Documentation/perf.data-file-format.txt; records: include/uapi/linux/perf_event.h.
 *
 * To a pipe goes perf's other format, which has no offsets: the event, all that comes later, and
 * the features are records among the others.
 *
 * The file is a valid recording at every moment after perfdata_writer_sync: if the writer is
 * killed, perf and softlbr read what is there.
 */
#ifndef FORMATS_PERFDATA_WRITE_H
#define FORMATS_PERFDATA_WRITE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"
#include "formats/model/branch_profile.h"
#include "softlbr/error.h"

/* A record's size is 16 bits: no more branches fit in one. */
#define PERFDATA_SAMPLE_BRANCHES_MAX 2048u

/* The samples that softlbr writes carry these. */
#define PERFDATA_SAMPLE_TYPE                                                        \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | \
	 PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_WEIGHT)

/* A PERF_RECORD_SAMPLE up to its branch stack; the weight, 8 bytes, comes behind it. */
struct perfdata_sample_head {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t period;
	uint64_t branch_count;
};

/* The trailer of all other records (sample_id_all), by PERFDATA_SAMPLE_TYPE. */
struct perfdata_sample_id {
	uint32_t pid, tid;
	uint64_t time;
};

struct perfdata_module {
	char *path;
	struct build_id build_id;
	uint32_t pid;
};

struct perfdata_writer {
	int fd;
	bool pipe; /* standard output: perf's format of pipes */
	char *path;
	char *temporary; /* its name until the header is written */
	uint64_t data_bytes;
	struct perf_event_attr attr;
	VECTOR(struct perfdata_module) modules; /* for the build-id table */
};

struct perfdata_features {
	const char *version;	/* "softlbr 0.1.0; ..." */
	const char *event_name; /* as perf prints it */
	char *const *command;	/* NULL-terminated */
};

static inline size_t perfdata_sample_bytes(size_t branches)
{
	return sizeof(struct perfdata_sample_head) + branches * sizeof(struct perf_branch_entry) +
	       sizeof(uint64_t);
}

/* Create @path (base/file_growing.h: an existing one becomes @path.old), or take standard output
 * for
 * "-", for samples of the event @attr (its sample_type and trailers are set here). */
int perfdata_writer_open(struct perfdata_writer *w, const char *path,
			 const struct perf_event_attr *attr, struct softlbr_error *e);
/* Append whole records; MMAP2 records with build-ids are noted for the build-id table. */
int perfdata_writer_append(struct perfdata_writer *w, const void *records, size_t bytes,
			   struct softlbr_error *e);
/* Bring the header's data size up to date. */
int perfdata_writer_sync(struct perfdata_writer *w, struct softlbr_error *e);
/* Write the features and close. */
int perfdata_writer_close(struct perfdata_writer *w, const struct perfdata_features *features,
			  struct softlbr_error *e);
/* Close as it is. Fine after perfdata_writer_close. */
void perfdata_writer_abandon(struct perfdata_writer *w);

#endif
