/* SPDX-License-Identifier: MIT */
#include "collector/lines.h"

#include <stdbool.h>
#include <string.h>

#include "isa/line.h"

#define PROBES 4u

void lines_begin(struct lines *l)
{
	l->slow = 0;
	l->listed = 0;
	if (++l->look_ahead == 0) { /* wrapped: forget what looks like this one's */
		memset(l->met, 0, sizeof(l->met));
		l->look_ahead = 1;
	}
}

/* Was the line met before in this look-ahead? Where there is no room, the first place is taken. */
static bool meet(struct lines *l, uint64_t number)
{
	uint64_t key = number << 16 | l->look_ahead;
	size_t first = number * 0x9e3779b97f4a7c15u >> 51;

	_Static_assert(LINES_MET == 1u << (64 - 51), "the shift must match the table");
	for (size_t i = 0; i < PROBES; i++) {
		uint64_t *at = &l->met[(first + i) % LINES_MET];

		if (*at == key)
			return true;
		if ((uint16_t)*at != l->look_ahead) {
			*at = key;
			return false;
		}
	}
	l->met[first] = key;
	return false;
}

void lines_load(struct lines *l, const uint8_t *bytes, size_t size)
{
	uint64_t number = (uintptr_t)bytes / ISA_LINE_BYTES;
	uint64_t last = ((uintptr_t)bytes + size - 1) / ISA_LINE_BYTES;

	for (; number <= last; number++) {
		const uint8_t *line = (const uint8_t *)(uintptr_t)(number * ISA_LINE_BYTES);

		if (meet(l, number) || isa_line_load_ticks(line) <= l->slow_ticks)
			continue;
		l->slow++;
		if (l->listed < LINES_SLOW)
			l->list[l->listed++] = line;
	}
}

void lines_restore(struct lines *l)
{
	for (unsigned i = 0; i < l->listed; i++)
		isa_line_flush(l->list[i]);
	l->listed = 0;
}
