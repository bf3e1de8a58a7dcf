/* SPDX-License-Identifier: MIT */
/* A thread's side of the trace buffers (collector/shared/session.h): used in signal handlers. */
#pragma once

#include "collector/shared/session.h"

#define BUFFER_PIECES	    128u
#define BUFFER_PIECE_CHUNKS 64u

/*
 * How a process has its own file mapped: a mapping that becomes longer may have to move, which it
 * can't where handlers are. The chunks that are added follow in pieces.
 */
struct buffer_pieces {
	uint32_t first; /* chunks that stand behind the header */
	bool populates; /* they get memory as they are needed (Linux 5.14) */
	struct chunk_header *more[BUFFER_PIECES]; /* atomic */
};

struct buffer {
	const struct session_file *file;
	const struct buffer_pieces *pieces; /* NULL: the file is mapped whole, and has its memory */
	struct chunk_header *chunk;	    /* owned, or NULL */
	uint32_t used; /* of it: bytes; what stands there is for the recorder */
	uint32_t hint; /* where to look for a free one */
};

/* Room for @bytes, or NULL if no chunk is free. Nothing is seen by the recorder until published. */
void *buffer_reserve(struct buffer *b, size_t bytes);
void buffer_publish(struct buffer *b, size_t bytes);
/* Memory for @bytes at @address of a file that is mapped: 0 or a negative errno, instead of SIGBUS
 * at the first use. */
long buffer_populate(void *address, size_t bytes);
/* Give the chunk back, with what it holds. */
void buffer_release(struct buffer *b);
