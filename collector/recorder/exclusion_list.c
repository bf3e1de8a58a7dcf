/* SPDX-License-Identifier: MIT */
#include "collector/recorder/exclusion_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"
#include "base/order.h"
#include "collector/shared/trusted.h"

static void add_program(struct exclusion_list *l, const struct exclusion_program *p)
{
	for (unsigned i = 0; i < l->count; i++) {
		struct exclusion_program *known = &l->programs[i];

		if (known->reason != p->reason || strcmp(known->path, p->path))
			continue;
		if (known->count <= INT32_MAX)
			known->count += p->count;
		return;
	}
	if (l->count < EXCLUSION_LIST_MOST)
		l->programs[l->count++] = *p;
	else
		l->more += p->count;
}

void exclusion_list_add(struct exclusion_list *l, const struct exclusions *shared)
{
	uint32_t more = atomic_read_relaxed(&shared->more);
	struct exclusion_program p;

	for (unsigned i = 0; i < EXCLUSION_PROGRAMS; i++)
		if (trusted_exclusion(&shared->programs[i], &p))
			add_program(l, &p);
	if (more <= INT32_MAX)
		l->more += more;
}

void exclusion_list_add_program(struct exclusion_list *l, enum exclusion reason, const char *path)
{
	struct exclusions one = {0};

	exclusion_note(&one, reason, path);
	exclusion_list_add(l, &one);
}

ORDER_BY(by_count, struct exclusion_program, ORDER_DOWN(count) ?: strcmp(a->path, b->path));

void exclusion_list_sort(struct exclusion_list *l)
{
	qsort(l->programs, l->count, sizeof(l->programs[0]), by_count);
}

uint64_t exclusion_list_starts(const struct exclusion_list *l)
{
	uint64_t starts = l->more;

	for (unsigned i = 0; i < l->count; i++)
		starts += l->programs[i].count;
	return starts;
}
