/* SPDX-License-Identifier: MIT */
/*
 * malloc for this library alone (the symbols are hidden): the profiled program's heap stays as it
 * would be. What we need is made once and kept (Capstone's tables, a decoder per thread slot), so
 * blocks are cut from the front of mapped memory and never given back.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "base/atomics.h"
#include "collector/inside/handler_state.h"
#include "collector/session/syscall.h"

#define HIDDEN __attribute__((visibility("hidden"), used))

#define HEAP_BYTES (256u << 20) /* of addresses; pages come as they are touched */

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

static uintptr_t heap_start(void)
{
	struct heap *heap = &handler_state.heap;
	uintptr_t start = atomic_read_acquire(&heap->start);
	long fresh;

	if (start)
		return start;
	fresh = syscall_6(SYS_mmap, 0, HEAP_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, (uint64_t)-1, 0);
	if (fresh < 0 && fresh > -4096)
		return 0;
	if (!atomic_swap_if(&heap->start, 0, (uintptr_t)fresh))
		syscall_3(SYS_munmap, (uint64_t)fresh, HEAP_BYTES, 0);
	return atomic_read_acquire(&heap->start);
}

void *malloc(size_t bytes)
{
	uintptr_t start = heap_start();
	size_t whole = (bytes + sizeof(struct block) + 15) & ~(size_t)15, at;
	struct block *b;

	if (!start || bytes > HEAP_BYTES / 2)
		return NULL;
	at = atomic_add_relaxed(&handler_state.heap.used, whole);
	if (at + whole > HEAP_BYTES)
		return NULL;
	b = (struct block *)(start + at);
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
