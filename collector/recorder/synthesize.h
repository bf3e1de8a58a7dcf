/* SPDX-License-Identifier: MIT */
/*
 * What /proc tells of a process and its threads, as the records that the kernel would have written:
 * for recordings that begin in the middle of a process's life, and where perf events are refused.
 */
#pragma once

#include "base/vector.h"
#include "formats/perfdata_write.h"
#include "softlbr/error.h"

struct synthesize_task {
	uint32_t pid, tid;
};

int synthesize_comm(struct perfdata_writer *w, struct synthesize_task task, bool exec,
		    struct softlbr_error *e);
int synthesize_fork(struct perfdata_writer *w, struct synthesize_task child,
		    struct synthesize_task parent, struct softlbr_error *e);
int synthesize_exit(struct perfdata_writer *w, struct synthesize_task task,
		    struct softlbr_error *e);

/* An executable mapping. */
struct synthesize_mapping {
	uint64_t begin, end;
	uint64_t identity; /* of its place in its file */
	uint64_t inode, offset;
	bool writable;
	bool served;	  /* its file is not read: whoever serves it may wait for us */
	unsigned looks;	  /* the owner's; kept as long as the mapping is there */
	uint64_t checked; /* the owner's as well */
};

/* A file whose build-id was read. */
struct synthesize_file {
	uint64_t identity; /* as /proc/PID/maps tells of it */
	struct build_id build_id;
};

struct synthesize_files {
	VECTOR(struct synthesize_file) list;
};

/* The executable mappings of a process, as last read; zeroed at first, but for `files`. */
struct synthesize_maps {
	struct synthesize_files *files; /* of all processes of a recording; NULL: each is read */
	VECTOR(struct synthesize_mapping) mappings; /* ascending */
	bool writes_code; /* some of it is of no file, or can be written: code may change any time
			   */
	struct {
		uint32_t major, minor;
		bool is_known, is_served;
	} device; /* that was asked about last */
};

/* Read process @task.pid's executable mappings, of which its thread @task.tid tells, and append
 * what is new of them. *changed: anything is other than before. A thread that has ended tells of
 * none. */
int synthesize_maps(struct perfdata_writer *w, struct synthesize_task task,
		    struct synthesize_maps *maps, bool *changed, struct softlbr_error *e);
/* The mapping at @address, or NULL. */
struct synthesize_mapping *synthesize_maps_at(const struct synthesize_maps *maps, uint64_t address);
void synthesize_maps_deinit(struct synthesize_maps *maps);

/* Fill @id, of size 0, with the build-id of the ELF file @fd, if it has one. */
void synthesize_build_id(int fd, struct build_id *id);

/* Has process @pid mapped a file whose path ends in @path? */
bool synthesize_has_mapped(uint32_t pid, const char *path);

/* A file to ask for single mappings of process @pid, until it executes another program; or -1. */
int synthesize_open_maps(uint32_t pid);
/* 1 if @m is as it was read, 0 if something else is there now, -1 if this kernel can't be asked
 * (before Linux 6.11). */
int synthesize_is_unchanged(int file, const struct synthesize_mapping *m);

/* Open the file of @m, which process @pid has mapped, as that process sees it; *offset: where in
 * the file it begins. -1 if it is of no file, gone, or served. */
int synthesize_open_mapped(uint32_t pid, const struct synthesize_mapping *m, uint64_t *offset);

/* ---- the kernel's own records (sideband.c) -------------------------------------------------- */

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
/* Bytes that came in so far; 0 before it is open. */
uint64_t sideband_written(const struct sideband *s);
/* Is a quarter of a ring full? Asked where nobody polls. */
bool sideband_is_filling(const struct sideband *s);
void sideband_close(struct sideband *s);
