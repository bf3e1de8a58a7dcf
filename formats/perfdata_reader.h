/* SPDX-License-Identifier: MIT */
/*
 * What the files of the perf.data reader share: perfdata_read.c (records), perfdata_header.c (file
 * header, attributes, features) and perfdata_sample.c (samples).
 */
#pragma once

#include "base/compress.h"
#include "base/cursor.h"
#include "base/file.h"
#include "base/map.h"
#include "base/strings.h"
#include "base/vector.h"
#include "formats/perfdata.h"

/* Records that perf itself adds (tools/lib/perf/include/perf/event.h); must match the kernel's. */
enum {
	PERFDATA_HEADER_ATTR = 64,
	PERFDATA_HEADER_TRACING_DATA = 66,
	PERFDATA_HEADER_BUILD_ID = 67,
	PERFDATA_FINISHED_ROUND = 68,
	PERFDATA_AUXTRACE_INFO = 70,
	PERFDATA_AUXTRACE = 71,
	PERFDATA_EVENT_UPDATE = 78,
	PERFDATA_HEADER_FEATURE = 80,
	PERFDATA_COMPRESSED = 81,
	PERFDATA_COMPRESSED2 = 83,
};

/* Header features, tools/perf/util/header.h. */
enum {
	PERFDATA_FEATURE_BUILD_ID = 2,
	PERFDATA_FEATURE_HOSTNAME = 3,
	PERFDATA_FEATURE_VERSION = 5,
	PERFDATA_FEATURE_CPUID = 9,
	PERFDATA_FEATURE_CMDLINE = 11,
	PERFDATA_FEATURE_EVENT_DESC = 12,
	PERFDATA_FEATURE_LAST = 255,
};

/* A record's size is 16 bits and a branch takes 24 bytes. */
#define PERFDATA_STACK_MAX (65536 / 24)

struct perfdata_reader {
	struct file_view view;
	const uint8_t *data; /* of the file */
	size_t size;
	char *name;
	bool big_endian;
	bool pipe;		     /* recorded to a pipe: everything is in the records */
	size_t data_begin, data_end; /* the record section, inside the file */
	struct perfdata_info info;
	VECTOR(struct perfdata_event) events;
	struct map event_of_id;		/* (id,0) -> n = event */
	struct strings *build_id_paths; /* number n has build_ids.items[n] */
	VECTOR(struct build_id) build_ids;
	char *comment, *command, *cpu, *host;
	uint64_t registers[64];				  /* of the sample */
	struct perfdata_branch stack[PERFDATA_STACK_MAX]; /* where the file's own can't be used */
};

/* A cursor over @size bytes at @begin of the file. */
static inline struct cursor perfdata_cursor(const struct perfdata_reader *r, const void *bytes,
					    size_t size)
{
	struct cursor c;

	cursor_init(&c, bytes, size, r->big_endian);
	return c;
}

/* ---- perfdata_header.c */

/* Everything before and after the record section. */
int perfdata_read_header(struct perfdata_reader *r, struct softlbr_error *e);
/* One attribute with @size bytes at most; false if they are no attribute. */
bool perfdata_parse_attr(struct cursor *c, size_t size, struct perf_event_attr *attr);
/* An event with its ids. 0 or a negative code. */
int perfdata_add_event(struct perfdata_reader *r, const struct perf_event_attr *attr,
		       struct cursor *ids, struct softlbr_error *e);
/* One record of the build-id table. */
int perfdata_add_build_id(struct perfdata_reader *r, uint16_t misc, struct cursor *body,
			  struct softlbr_error *e);
int perfdata_add_feature(struct perfdata_reader *r, unsigned feature, struct cursor *c,
			 struct softlbr_error *e);
/* When all events are known. */
int perfdata_finish_header(struct perfdata_reader *r, struct softlbr_error *e);
/* The build-id of @path by the header's table; size 0 if unknown. */
struct build_id perfdata_build_id_of(const struct perfdata_reader *r, const char *path);

/* ---- perfdata_sample.c */

/* Decode the body of a PERF_RECORD_SAMPLE; false if its fields do not fit into it. */
bool perfdata_parse_sample(struct perfdata_reader *r, struct cursor *body,
			   struct perfdata_record *record);
/* Time from the sample-id trailer of any other record; @size is what the trailer takes. */
uint64_t perfdata_trailer_time(const struct perfdata_reader *r, const struct cursor *body,
			       size_t *size);

/*
 * Like compress_view_open; but of such a directory all files are viewed as the one perf.data that
 * they would have been without --threads, which is spooled to an unnamed file.
 */
int perfdata_view_open(struct file_view *v, const char *path, struct softlbr_error *e);
