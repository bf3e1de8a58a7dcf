/* SPDX-License-Identifier: MIT */
#include "collector/session/buffer.h"

#include "base/atomics.h"

static struct chunk_header *take_free(struct buffer *b)
{
	uint32_t count = session_count_chunks(b->file->header);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = (b->hint + i) % count;
		struct chunk_header *c = session_chunk(b->file, at);

		/* acquires the recorder's release of the chunk (member.c: free_chunk) */
		if (atomic_read_relaxed(&c->state) == CHUNK_FREE &&
		    atomic_swap_if(&c->state, CHUNK_FREE, CHUNK_OWNED)) {
			/* who sees that it is taken also sees what this thread wrote before;
			 * the number is published with the first record, in buffer_publish */
			atomic_write_relaxed(&c->number,
					     atomic_add_release(&b->file->header->chunks_taken, 1));
			b->hint = at + 1;
			return c;
		}
	}
	return NULL;
}

void *buffer_reserve(struct buffer *b, size_t bytes)
{
	size_t room = b->file->header->chunk_bytes - sizeof(struct chunk_header);

	if (bytes > room)
		return NULL;
	if (b->chunk && b->chunk->used + bytes > room)
		buffer_release(b);
	if (!b->chunk)
		b->chunk = take_free(b);
	return b->chunk ? b->chunk->records + b->chunk->used : NULL;
}

void buffer_publish(struct buffer *b, size_t bytes)
{
	/* acquired by chunk_walk.c: look_at */
	atomic_write_release(&b->chunk->used, b->chunk->used + (uint32_t)bytes);
}

void buffer_release(struct buffer *b)
{
	if (b->chunk)
		atomic_write_release(&b->chunk->state, CHUNK_FULL);
	b->chunk = NULL;
}
