/* SPDX-License-Identifier: MIT */
#include "collector/recorder/refusal_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"
#include "base/order.h"
#include "collector/shared/trusted.h"

static void add_program(struct refusal_list *l, const struct refusal_program *p)
{
	for (unsigned i = 0; i < l->count; i++) {
		struct refusal_program *known = &l->programs[i];

		if (known->reason != p->reason || strcmp(known->path, p->path))
			continue;
		if (known->count <= INT32_MAX)
			known->count += p->count;
		return;
	}
	if (l->count < REFUSAL_LIST_MOST)
		l->programs[l->count++] = *p;
	else
		l->more += p->count;
}

void refusal_list_add(struct refusal_list *l, const struct refusals *shared)
{
	uint32_t more = atomic_read_relaxed(&shared->more);
	struct refusal_program p;

	for (unsigned i = 0; i < REFUSAL_PROGRAMS; i++)
		if (trusted_refusal(&shared->programs[i], &p))
			add_program(l, &p);
	if (more <= INT32_MAX)
		l->more += more;
}

void refusal_list_add_program(struct refusal_list *l, enum refusal reason, const char *path)
{
	struct refusals one = {0};

	refusal_note(&one, reason, path);
	refusal_list_add(l, &one);
}

ORDER_BY(by_count, struct refusal_program, ORDER_DOWN(count) ?: strcmp(a->path, b->path));

void refusal_list_sort(struct refusal_list *l)
{
	qsort(l->programs, l->count, sizeof(l->programs[0]), by_count);
}

uint64_t refusal_list_starts(const struct refusal_list *l)
{
	uint64_t starts = l->more;

	for (unsigned i = 0; i < l->count; i++)
		starts += l->programs[i].count;
	return starts;
}
