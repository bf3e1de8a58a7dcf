/* SPDX-License-Identifier: MIT */
/*
 * A process of the session, by its file, as the recorder sees it: bytes from outside. The process
 * can write anything into it at any moment, make it longer or shorter, rename or replace it. It is
 * mapped for reading and read by trusted.h alone; what is needed twice is a copy; how long a
 * chunk is, how many there can be and what was read of them is ours.
 */
#pragma once

#include <sys/types.h>

#include "base/vector.h"
#include "collector/shared/session.h"
#include "softlbr/error.h"

/* A chunk in use, as it was looked at. */
struct process_buffer_walk_stop {
	uint32_t index;
	uint32_t state, used;
	int32_t age; /* the number of its taking, less that of the newest: negative */
};

/* A look at the chunks of a process's file: which hold records, in the order in which they were
 * written. */
struct process_buffer_walk {
	const uint8_t *chunks; /* shared memory (trusted.h) */
	uint32_t chunk_bytes;
	const uint32_t *indices; /* of the chunks to look at; NULL: all */
	uint32_t count;		 /* of them */
	uint32_t taken;		 /* chunks, when the walk begins */
	/* Found by it; what it made room for stays. */
	VECTOR(uint32_t) in_use;		       /* indices */
	VECTOR(struct process_buffer_walk_stop) stops; /* of them, those that may hold something */
};

/* "PID.NUMBER", and what is of no process. */
#define PROCESS_BUFFER_NAME_BYTES 24u

struct process_buffer {
	char name[PROCESS_BUFFER_NAME_BYTES]; /* of its file */
	uint32_t pid;
	dev_t device; /* of the file */
	ino_t inode;
	const uint8_t *mapping;
	size_t bytes; /* mapped */
	uint32_t chunk_bytes, chunks_most;
	VECTOR(uint32_t) drained; /* bytes of each chunk that is mapped */
	/* While the process has taken no other, chunks that were free are. */
	VECTOR(uint32_t) in_use; /* as they were last looked at */
	uint32_t count, taken;	 /* the same */
	unsigned quiet;		 /* looks since it last wrote */
	bool first;		 /* the cost of its first trace is known */
	/* a debugger sees its signals: it is to stop sampling, which it is told when it is
	 * drained, and does at its next sample, for good */
	bool traced, told;
};

/* Who wants to see what is written, record by record; take is NULL: nobody. */
struct process_buffer_listener {
	void (*take)(void *context, const void *records, size_t bytes);
	void *context;
};

/* What all processes of a session have in common. */
struct process_buffer_session {
	int directory; /* open, or -1 */
	const struct session_options *options;
	uint64_t since_ns;		 /* its begin, CLOCK_MONOTONIC */
	struct process_buffer_walk walk; /* memory for it */
	uint8_t *records;		 /* a chunk's; from the first on */
	uint64_t refused;		 /* records that the collector has not written */
	struct perfdata_writer *writer;
	struct process_buffer_listener listener; /* to what is written */
};

/* The process whose file is called @name; 0: it is no process's. */
uint32_t process_buffer_pid(const char *name);
/* Open @name. 1 if it is whole, 0 if it is not, or not yet; negative: @e. */
int process_buffer_open(struct process_buffer *m, const struct process_buffer_session *s,
			const char *name, struct softlbr_error *e);
/* A copy of its header; false if it is not there any more. */
bool process_buffer_header(const struct process_buffer *m, struct process_header *header);
/* Take what it has published; @wrote: whether there was anything. @header: as it was read first. */
int process_buffer_drain(struct process_buffer *m, struct process_buffer_session *s, bool *wrote,
			 struct process_header *header, struct softlbr_error *e);
/* Has no process the file mapped any more? */
bool process_buffer_has_ended(const struct process_buffer *m,
			      const struct process_buffer_session *s);
/* Remove its file. */
void process_buffer_remove(const struct process_buffer *m, const struct process_buffer_session *s);
void process_buffer_close(struct process_buffer *m);
/* Free what walks made room for. */
void process_buffer_walk_deinit(struct process_buffer_walk *w);
