/* SPDX-License-Identifier: MIT */
#include "collector/shared/exclusion.h"

#include <string.h>

#include "base/atomics.h"

const char *exclusion_text(uint32_t reason)
{
	static const char *const texts[] = {
#define X(reason, text) text,
		EXCLUSIONS(X)
#undef X
	};

	return reason && reason < EXCLUSION_COUNT ? texts[reason - 1] : NULL;
}

/* What fits: the end tells programs apart better than the beginning. */
static const char *path_end(const char *path)
{
	size_t length = strlen(path);

	return length < EXCLUSION_PATH_BYTES ? path : path + length + 1 - EXCLUSION_PATH_BYTES;
}

/* Where it is noted already; NULL: nowhere. */
static struct exclusion_program *exclusion_find(struct exclusions *r, enum exclusion reason,
						const char *end)
{
	uint32_t used = atomic_read_relaxed(&r->used);

	for (uint32_t i = 0; i < used && i < EXCLUSION_PROGRAMS; i++) {
		struct exclusion_program *p = &r->programs[i];

		/* acquires the release in exclusion_note */
		if (atomic_read_acquire(&p->reason) == (uint32_t)reason && !strcmp(p->path, end))
			return p;
	}
	return NULL;
}

void exclusion_note(struct exclusions *r, enum exclusion reason, const char *path)
{
	const char *end = path_end(path);
	struct exclusion_program *p = exclusion_find(r, reason, end);
	uint32_t at;

	if (p) {
		atomic_add_release(&p->count, 1);
		return;
	}
	at = atomic_add_release(&r->used, 1);
	if (at >= EXCLUSION_PROGRAMS) {
		atomic_add_release(&r->more, 1);
		return;
	}
	strcpy(r->programs[at].path, end);
	r->programs[at].count = 1;
	/* acquired in find, and by the recorder */
	atomic_write_release(&r->programs[at].reason, (uint32_t)reason);
}

void exclusion_take_back(struct exclusions *r, enum exclusion reason, const char *path)
{
	struct exclusion_program *p = exclusion_find(r, reason, path_end(path));

	atomic_add_release(p ? &p->count : &r->more, (uint32_t)-1);
}
