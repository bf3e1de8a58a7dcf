/* SPDX-License-Identifier: MIT */
#include "collector/shared/refusal.h"

#include <string.h>

#include "base/atomics.h"

const char *refusal_text(uint32_t reason)
{
	static const char *const texts[REFUSAL_COUNT] = {
		[REFUSAL_STATIC] = "it is statically linked",
		[REFUSAL_32_BIT] = "it is a 32-bit program",
		[REFUSAL_LIBC] = "its libc is not glibc",
		[REFUSAL_GO] = "it has a Go runtime",
		[REFUSAL_SANITIZER] = "it is built with a sanitizer",
		[REFUSAL_PRIVILEGED] = "it is setuid, setgid or has file capabilities",
		[REFUSAL_SECCOMP] = "it runs under a seccomp filter",
		[REFUSAL_TRACED] = "a debugger or tracer is attached to it",
		[REFUSAL_EMULATED] = "it runs in valgrind or its like",
		[REFUSAL_TRAP] = "it waits for SIGTRAP itself",
		[REFUSAL_USER] = "it runs as another user",
		[REFUSAL_UNREACHABLE] = "the collector can't be loaded from its root directory",
		[REFUSAL_MEMORY] = "its memory or file limits leave no room",
		[REFUSAL_MACHINE] = "it is for another processor",
		[REFUSAL_DISPATCH] = "it has its system calls dispatched to itself",
		[REFUSAL_WATCHED] = "it watches what reads its memory",
		[REFUSAL_CLOCK] = "it forbids itself to read the time stamp counter",
		[REFUSAL_LOCKED] = "it locks its memory, and its limit leaves no room",
	};

	return reason < REFUSAL_COUNT ? texts[reason] : NULL;
}

/* What fits: the end tells programs apart better than the beginning. */
static const char *path_end(const char *path)
{
	size_t length = strlen(path);

	return length < REFUSAL_PATH_BYTES ? path : path + length + 1 - REFUSAL_PATH_BYTES;
}

/* Where it is noted already; NULL: nowhere. */
static struct refusal_program *refusal_find(struct refusals *r, enum refusal reason,
					    const char *end)
{
	uint32_t used = atomic_read_relaxed(&r->used);

	for (uint32_t i = 0; i < used && i < REFUSAL_PROGRAMS; i++) {
		struct refusal_program *p = &r->programs[i];

		/* acquires the release in refusal_note */
		if (atomic_read_acquire(&p->reason) == (uint32_t)reason && !strcmp(p->path, end))
			return p;
	}
	return NULL;
}

void refusal_note(struct refusals *r, enum refusal reason, const char *path)
{
	const char *end = path_end(path);
	struct refusal_program *p = refusal_find(r, reason, end);
	uint32_t at;

	if (p) {
		atomic_add_release(&p->count, 1);
		return;
	}
	at = atomic_add_release(&r->used, 1);
	if (at >= REFUSAL_PROGRAMS) {
		atomic_add_release(&r->more, 1);
		return;
	}
	strcpy(r->programs[at].path, end);
	r->programs[at].count = 1;
	/* acquired in find, and by the recorder */
	atomic_write_release(&r->programs[at].reason, (uint32_t)reason);
}

void refusal_take_back(struct refusals *r, enum refusal reason, const char *path)
{
	struct refusal_program *p = refusal_find(r, reason, path_end(path));

	atomic_add_release(p ? &p->count : &r->more, (uint32_t)-1);
}
