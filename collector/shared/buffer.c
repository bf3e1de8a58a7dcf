/* SPDX-License-Identifier: MIT */
#include "collector/shared/buffer.h"

#include "base/atomics.h"
#include "collector/kernel/syscall.h"

/* Since Linux 5.14; not in Debian 12's header of libc. */
#define POPULATE_WRITE 23
/* Chunks that get memory at a time, where each is a trace or two. */
#define STEP 4u

long buffer_populate(void *address, size_t bytes)
{
	return syscall_3(SYS_madvise, (uintptr_t)address, bytes, POPULATE_WRITE);
}

/* NULL where the process has nothing mapped: the count is in memory that others write too. */
static struct chunk_header *chunk_at(const struct buffer *b, uint32_t i)
{
	const struct buffer_pieces *p = b->pieces;
	struct chunk_header *piece;

	if (!p || i < p->first)
		return session_chunk(b->file, i);
	i -= p->first;
	/* acquires the release in process_file.c: add_pieces */
	piece = i / BUFFER_PIECE_CHUNKS < BUFFER_PIECES
			? atomic_read_acquire(&p->more[i / BUFFER_PIECE_CHUNKS])
			: NULL;
	return piece ? (void *)((char *)piece +
				(size_t)(i % BUFFER_PIECE_CHUNKS) * b->file->chunk_bytes)
		     : NULL;
}

static bool take(struct buffer *b, struct chunk_header *c)
{
	/* acquires the recorder's release of the chunk (process_buffer.c: free_chunk) */
	if (!c || atomic_read_relaxed(&c->state) != CHUNK_FREE ||
	    !atomic_swap_if(&c->state, CHUNK_FREE, CHUNK_OWNED))
		return false;
	/* who sees that it is taken also sees what this thread wrote before; the number is
	 * published with the first record, in buffer_publish */
	atomic_write_relaxed(&c->number, atomic_add_release(&b->file->header->chunks_taken, 1));
	return true;
}

/* More chunks get memory, if there are such. */
static bool raise_count(const struct buffer *b, uint32_t count)
{
	uint32_t wanted = count + STEP;

	if (!b->pieces || !b->pieces->populates || count >= b->pieces->first)
		return false;
	if (wanted > b->pieces->first)
		wanted = b->pieces->first;
	if (buffer_populate(session_chunk(b->file, count),
			    (size_t)(wanted - count) * b->file->chunk_bytes))
		return false;
	session_raise_chunks(b->file->header, wanted);
	return true;
}

/* Chunks with memory; no more than can be mapped, whatever the program wrote there. */
static uint32_t count_chunks(const struct buffer *b)
{
	const struct buffer_pieces *p = b->pieces;
	uint32_t count = session_count_chunks(b->file->header);
	size_t most = p ? p->first + BUFFER_PIECES * BUFFER_PIECE_CHUNKS
			: (b->file->bytes - SESSION_PAGE) / b->file->chunk_bytes;

	return count < most ? count : (uint32_t)most;
}

static struct chunk_header *take_free(struct buffer *b)
{
	uint32_t count;

	do {
		count = count_chunks(b);
		for (uint32_t i = 0; i < count; i++) {
			uint32_t at = (b->hint + i) % count;
			struct chunk_header *c = chunk_at(b, at);

			if (take(b, c)) {
				b->hint = at + 1;
				b->used = 0;
				return c;
			}
		}
	} while (raise_count(b, count));
	return NULL;
}

void *buffer_reserve(struct buffer *b, size_t bytes)
{
	size_t room = b->file->chunk_bytes - sizeof(struct chunk_header);

	if (bytes > room)
		return NULL;
	if (b->chunk && b->used + bytes > room)
		buffer_release(b);
	if (!b->chunk)
		b->chunk = take_free(b);
	return b->chunk ? b->chunk->records + b->used : NULL;
}

void buffer_publish(struct buffer *b, size_t bytes)
{
	b->used += (uint32_t)bytes;
	/* acquired by process_buffer.c: look_at */
	atomic_write_release(&b->chunk->used, b->used);
}

void buffer_release(struct buffer *b)
{
	if (b->chunk)
		atomic_write_release(&b->chunk->state, CHUNK_FULL);
	b->chunk = NULL;
}
