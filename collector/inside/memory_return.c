/* SPDX-License-Identifier: MIT */
#include "collector/inside/memory_return.h"

#include "collector/inside/process.h"
#include "collector/inside/process_file.h"
#include "collector/kernel/syscall.h"

static void unmap(void *memory, size_t bytes)
{
	syscall_3(SYS_munmap, (uintptr_t)memory, bytes, 0);
}

/* Later pieces are mappings of their own. */
static void return_cache(struct decode_cache *c)
{
	uintptr_t first = (uintptr_t)c->slots;

	for (unsigned i = 0; i < DECODE_CACHE_PIECES; i++) {
		uint8_t *piece = c->pieces[i];

		if (piece && (uintptr_t)piece - first >= PROCESS_CACHE_BYTES)
			unmap(piece, DECODE_CACHE_PIECE);
		c->pieces[i] = NULL;
	}
	unmap(c->slots, PROCESS_CACHE_BYTES);
	c->slots = NULL;
}

void memory_return(struct process *p)
{
	if (!p->made)
		return;
	p->made = false;
	return_cache(&p->cache);
	arena_unmap(&p->workspaces);
	process_file_return_chunks(p);
}
