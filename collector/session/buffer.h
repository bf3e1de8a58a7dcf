/* SPDX-License-Identifier: MIT */
/* A thread's side of the trace buffers (collector/session/session.h): used in signal handlers. */
#ifndef COLLECTOR_SESSION_BUFFER_H
#define COLLECTOR_SESSION_BUFFER_H

#include <stddef.h>

#include "collector/session/session.h"

struct buffer {
	const struct session_file *file;
	struct chunk_header *chunk; /* owned, or NULL */
	uint32_t hint;		    /* where to look for a free one */
};

/* Room for @bytes, or NULL if no chunk is free. Nothing is seen by the recorder until published. */
void *buffer_reserve(struct buffer *b, size_t bytes);
void buffer_publish(struct buffer *b, size_t bytes);
/* Give the chunk back, with what it holds. */
void buffer_release(struct buffer *b);

#endif
