/* SPDX-License-Identifier: MIT */
#include "collector/inside/handler/arena.h"

#include <sys/mman.h>

#include "base/atomics.h"
#include "collector/kernel/syscall.h"

/* From this size on the kernel may give a large page for the first byte that is touched. */
#define LARGE_PAGE_BYTES (2u << 20)

void *arena_map(size_t bytes)
{
	void *fresh = syscall_map(bytes, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (fresh && bytes >= LARGE_PAGE_BYTES)
		syscall_3(SYS_madvise, (uintptr_t)fresh, bytes, MADV_NOHUGEPAGE);
	return fresh;
}

void arena_init(struct arena *a, size_t item_bytes, uint32_t segment_items)
{
	a->item_bytes = item_bytes;
	a->segment_items = segment_items;
}

static size_t segment_bytes(const struct arena *a)
{
	return a->item_bytes * a->segment_items;
}

void *arena_at(const struct arena *a, uint32_t i)
{
	uint32_t segment = a->segment_items ? i / a->segment_items : ARENA_SEGMENTS;
	/* acquires the swap in arena_make */
	uintptr_t begin = segment < ARENA_SEGMENTS ? atomic_read_acquire(&a->segments[segment]) : 0;

	return begin ? (void *)(begin + i % a->segment_items * a->item_bytes) : NULL;
}

void *arena_make(struct arena *a, uint32_t i)
{
	void *item = arena_at(a, i), *fresh;

	if (item || !a->segment_items || i / a->segment_items >= ARENA_SEGMENTS)
		return item;
	fresh = arena_map(segment_bytes(a));
	if (!fresh)
		return NULL;
	if (a->wiped && syscall_3(SYS_madvise, (uintptr_t)fresh, segment_bytes(a), MADV_WIPEONFORK))
		a->wiped = false;
	/* another thread may have been faster */
	if (!atomic_swap_if(&a->segments[i / a->segment_items], 0, (uintptr_t)fresh))
		syscall_unmap(fresh, segment_bytes(a));
	return arena_at(a, i);
}

void arena_unmap(struct arena *a)
{
	for (uint32_t s = 0; s < ARENA_SEGMENTS && a->segments[s]; s++) {
		syscall_unmap((void *)a->segments[s], segment_bytes(a));
		a->segments[s] = 0;
	}
}

uint32_t arena_find(const struct arena *a, uintptr_t address)
{
	size_t bytes = segment_bytes(a);

	for (uint32_t s = 0; s < ARENA_SEGMENTS; s++) {
		uintptr_t begin = atomic_read_acquire(&a->segments[s]); /* as in arena_at */

		if (!begin)
			break;
		if (address - begin < bytes)
			return s * a->segment_items + (uint32_t)((address - begin) / a->item_bytes);
	}
	return ARENA_NONE;
}
