/* SPDX-License-Identifier: MIT */
#include "collector/engine/first_touch.h"

#include <string.h>

#define PROBES 4u
/* Behind the sample, caches and predictors are the collector's. */
#define SKIPPED_PART 8u

void first_touch_begin(struct first_touches *l, unsigned depth)
{
	l->skipped = depth / SKIPPED_PART;
	l->met = 0;
	l->first.kind = l->second.kind = l->last.kind = FIRST_TOUCH_NONE;
	/* At first the kernel gives each of its pages, which are written sooner or later, once and
	 * not twice, for reading first. Wrapped: forget what looks like this one's. */
	if (++l->look_ahead <= 1) {
		memset(l->blocks, 0, sizeof(l->blocks));
		l->look_ahead = 1;
	}
}

bool first_touch_look_up(struct first_touches *l, uint64_t address)
{
	uint64_t key = address << 16 | l->look_ahead;
	size_t first = first_touch_place(address);

	for (size_t i = 0; i < PROBES; i++) {
		uint64_t *at = &l->blocks[(first + i) % FIRST_TOUCH_BLOCKS];

		if (*at == key)
			return true;
		if ((uint16_t)*at != l->look_ahead) {
			*at = key;
			l->met++;
			return false;
		}
	}
	return true;
}

void first_touch_note(struct first_touches *l, const struct first_touch *met)
{
	if (met->work.branches < l->skipped)
		return;
	if (!l->first.kind) {
		l->first = *met;
		return;
	}
	if (!l->second.kind && met->work.branches > l->first.work.branches)
		l->second = *met;
	l->last = *met;
}
