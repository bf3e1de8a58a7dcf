/* SPDX-License-Identifier: MIT */
/*
 * malloc for this library alone (the symbols are hidden): the profiled program's heap stays as it
 * would be. What we need is made once and kept (Capstone's tables, a decoder per thread slot), so
 * blocks are cut from the front of mapped memory and not given back one by one.
 */
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/atomics.h"
#include "collector/inside/handler/arena.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/kernel/syscall.h"

#define HIDDEN __attribute__((visibility("hidden"), used))

#define SEGMENT_BYTES (256u << 10) /* and more for a larger block */
#define BLOCK_MOST    (128u << 20)

HIDDEN void *malloc(size_t bytes);
HIDDEN void *calloc(size_t count, size_t bytes);
HIDDEN void *realloc(void *old, size_t bytes);
HIDDEN void free(void *p);
void *memcpy(void *restrict to, const void *restrict from, size_t n);

/* Before each block, so that realloc knows what to copy. */
struct block {
	size_t bytes;
	size_t padding; /* blocks are aligned to 16 */
};

/* A place in the newest segment; NULL if it is full, or if there is none. */
static struct block *cut(struct heap_segment *s, size_t whole)
{
	size_t at;

	if (!s || atomic_read_relaxed(&s->used) + whole > s->bytes)
		return NULL;
	at = atomic_add_relaxed(&s->used, whole);
	return at + whole > s->bytes ? NULL : (struct block *)((uint8_t *)s + at);
}

/* A segment with room for @whole becomes the newest, unless another thread's did. */
static bool add_segment(struct heap_segment *newest, size_t whole)
{
	size_t bytes = sizeof(*newest) + whole;
	struct heap_segment *fresh;

	bytes = (bytes + SEGMENT_BYTES - 1) / SEGMENT_BYTES * SEGMENT_BYTES;
	fresh = arena_map(bytes);
	if (!fresh)
		return false;
	fresh->older = newest;
	fresh->bytes = bytes;
	fresh->used = sizeof(*fresh);
	if (!atomic_swap_if(&handler_state.heap.newest, newest, fresh))
		syscall_3(SYS_munmap, (uintptr_t)fresh, bytes, 0);
	return true;
}

void *malloc(size_t bytes)
{
	size_t whole = (bytes + sizeof(struct block) + 15) & ~(size_t)15;
	struct heap_segment *newest;
	struct block *b = NULL;

	while (bytes < BLOCK_MOST && !b) {
		newest = atomic_read_acquire(&handler_state.heap.newest); /* of add_segment */
		b = cut(newest, whole);
		if (!b && !add_segment(newest, whole))
			return NULL;
	}
	if (!b)
		return NULL;
	b->bytes = bytes;
	return b + 1;
}

void *calloc(size_t count, size_t bytes)
{
	size_t whole;

	/* fresh pages are zero, and no block is used twice */
	return __builtin_mul_overflow(count, bytes, &whole) ? NULL : malloc(whole);
}

void *realloc(void *old, size_t bytes)
{
	const struct block *b = old;
	void *new = malloc(bytes);

	if (old && new)
		memcpy(new, old, b[-1].bytes < bytes ? b[-1].bytes : bytes);
	return new;
}

void free(void *p)
{
	(void)p;
}
