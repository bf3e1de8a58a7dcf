/* SPDX-License-Identifier: MIT */
#include "collector/core/landmarks.h"

#include <string.h>

#define PROBES 4u

void landmarks_begin(struct landmarks *l, unsigned depth)
{
	l->half = depth / 2;
	l->first.kind = l->second.kind = l->last.kind = LANDMARK_NONE;
	if (++l->look_ahead == 0) { /* wrapped: forget what looks like this one's */
		memset(l->blocks, 0, sizeof(l->blocks));
		l->look_ahead = 1;
	}
}

/* Did the path run the block before? If there is no room to remember it, it did. */
static bool ran(struct landmarks *l, uint64_t address)
{
	uint64_t key = address << 16 | l->look_ahead;
	size_t first = address * 0x9e3779b97f4a7c15u >> 52;

	_Static_assert(LANDMARKS_BLOCKS == 1u << (64 - 52), "the shift must match the table");
	for (size_t i = 0; i < PROBES; i++) {
		uint64_t *at = &l->blocks[(first + i) % LANDMARKS_BLOCKS];

		if (*at == key)
			return true;
		if ((uint16_t)*at != l->look_ahead) {
			*at = key;
			return false;
		}
	}
	return true;
}

static void note(struct landmarks *l, const struct landmark *met)
{
	if (met->work.branches < l->half)
		return;
	if (!l->first.kind) {
		l->first = *met;
		return;
	}
	if (!l->second.kind && met->work.branches > l->first.work.branches)
		l->second = *met;
	l->last = *met;
}

void landmarks_enter(struct landmarks *l, uint64_t address, uint32_t bytes,
		     const struct rate_work *work)
{
	l->at = (struct landmark){.kind = LANDMARK_CODE,
				  .address = address,
				  .begin = address,
				  .end = address + bytes,
				  .work = *work};
	l->lines->fresh_word = 0;
	if (!ran(l, address))
		note(l, &l->at);
}

void landmarks_leave(struct landmarks *l, uint64_t next, bool written)
{
	if (!l->lines->fresh_word || written)
		return;
	l->at.kind = LANDMARK_WORD;
	l->at.address = l->lines->fresh_word;
	l->at.next = next;
	note(l, &l->at);
}
