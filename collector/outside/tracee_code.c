/* SPDX-License-Identifier: MIT */
/* The decoded code of traced processes: those that have mapped the same files at the same places,
 * as the workers of a server have, share it. */
#include <sys/mman.h>

#include "base/error.h"
#include "base/memory.h"
#include "collector/outside/tracer.h"

#define CACHE_BYTES (64u << 20)

static struct tracee_code *new_code(void)
{
	struct tracee_code *c = memory_alloc(sizeof(*c));

	if (!c)
		return NULL;
	c->memory = mmap(NULL, CACHE_BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (c->memory == MAP_FAILED) {
		memory_free(c);
		return NULL;
	}
	decode_cache_init(&c->cache, c->memory, CACHE_BYTES);
	c->users = 1;
	return c;
}

static void release(struct tracee_code *c)
{
	if (!c || --c->users)
		return;
	munmap(c->memory, CACHE_BYTES);
	memory_free(c);
}

/* The same for the same code: files' that no process has written to since it mapped them. 0: it may
 * be another one in each process. */
static uint64_t identity_of(const struct tracee_process *process)
{
	const struct synthesize_mapping *m;
	uint64_t hash = 1;

	if (process->maps.writes_code)
		return 0;
	vector_each (&process->maps.mappings, m) {
		const uint64_t values[] = {m->identity, m->begin, m->end};

		if (m->inode && !tracee_pages_are_of_files(&process->pages, m->begin, m->end))
			return 0;
		for (unsigned i = 0; i < 3; i++) {
			hash = (hash ^ values[i]) * 0x9e3779b97f4a7c15u;
			hash ^= hash >> 32;
		}
	}
	return hash;
}

bool tracee_code_begin(struct tracee_process *process)
{
	tracee_code_end(process);
	process->code = new_code();
	return process->code;
}

void tracee_code_end(struct tracee_process *process)
{
	release(process->code);
	release(process->left);
	process->code = process->left = NULL;
}

/* The process has other code than it had: from now on for itself. What it left its traces may still
 * use. */
static int leave(struct tracer *t, struct tracee_process *process)
{
	struct tracee_code *own;

	if (process->code->users == 1) {
		process->code->identity = 0;
		decode_cache_forget(&process->code->cache);
		return 0;
	}
	own = new_code();
	if (!own)
		return error_set_nomem(t->error);
	own->looked = true;
	process->left = process->code;
	process->code = own;
	return 0;
}

int tracee_code_mapped(struct tracer *t, struct tracee_process *process)
{
	bool alone = process->code->looked && !process->code->identity; /* for good */
	uint64_t identity = alone ? 0 : identity_of(process);
	struct tracee_process **at;

	if (process->code->looked)
		return identity && identity == process->code->identity ? 0 : leave(t, process);
	process->code->looked = true;
	process->code->identity = identity;
	vector_each (&t->processes, at) {
		struct tracee_code *other = (*at)->code;

		if (!identity || !other || other == process->code || other->identity != identity)
			continue;
		release(process->code);
		process->code = other;
		other->users++;
		break;
	}
	return 0;
}
