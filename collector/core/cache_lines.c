/* SPDX-License-Identifier: MIT */
#include "collector/core/cache_lines.h"

#include <stdbool.h>
#include <string.h>

#include "isa/line.h"

#define PROBES 4u

void cache_lines_begin(struct cache_lines *l)
{
	l->slow = 0;
	l->listed = 0;
	l->crowded = false;
	if (++l->look_ahead == 0) { /* wrapped: forget what looks like this one's */
		memset(l->met, 0, sizeof(l->met));
		l->look_ahead = 1;
	}
}

static size_t first_place(uint64_t number)
{
	_Static_assert(LINES_MET == 1u << (64 - 51), "the shift must match the table");
	return number * 0x9e3779b97f4a7c15u >> 51;
}

/* Where the line is noted; *known: it was met before. Where there is no room, the first place is
 * taken. */
static size_t meet(struct cache_lines *l, uint64_t number, bool *known)
{
	uint64_t key = number << 16 | l->look_ahead;
	size_t first = first_place(number), at = first;

	for (size_t i = 0; i < PROBES; i++) {
		at = (first + i) % LINES_MET;
		*known = l->met[at] == key;
		if (*known)
			return at;
		if ((uint16_t)l->met[at] != l->look_ahead)
			break;
	}
	if ((uint16_t)l->met[at] == l->look_ahead) {
		l->crowded = true;
		at = first;
	}
	l->met[at] = key;
	l->words[at] = 0;
	return at;
}

static void load_line(struct cache_lines *l, const uint8_t *line)
{
	if (isa_line_load_ticks(line) <= l->slow_ticks)
		return;
	l->slow++;
	if (l->listed < LINES_SLOW)
		l->list[l->listed++] = line;
}

static void touch(struct cache_lines *l, uint64_t address, size_t size, bool in_place)
{
	uint64_t word = address / 8, last = (address + size - 1) / 8;

	while (word <= last) {
		uint64_t number = word * 8 / ISA_LINE_BYTES;
		bool known;
		size_t at = meet(l, number, &known);

		if (!known && in_place)
			load_line(l, (const uint8_t *)(uintptr_t)(number * ISA_LINE_BYTES));
		for (; word <= last && word * 8 / ISA_LINE_BYTES == number; word++) {
			uint8_t bit = (uint8_t)(1u << word % 8);

			if (!(l->words[at] & bit) && !l->crowded)
				l->fresh_word = word * 8;
			l->words[at] |= bit;
		}
	}
}

void cache_lines_load(struct cache_lines *l, const uint8_t *bytes, size_t size)
{
	touch(l, (uintptr_t)bytes, size, true);
}

void cache_lines_note(struct cache_lines *l, uint64_t address, size_t size)
{
	touch(l, address, size, false);
}

uint8_t cache_lines_words(const struct cache_lines *l, uint64_t address)
{
	uint64_t number = address / ISA_LINE_BYTES, key = number << 16 | l->look_ahead;
	size_t first = first_place(number);

	for (size_t i = 0; i < PROBES; i++)
		if (l->met[(first + i) % LINES_MET] == key)
			return l->words[(first + i) % LINES_MET];
	return 0;
}

void cache_lines_restore(struct cache_lines *l)
{
	for (unsigned i = 0; i < l->listed; i++)
		isa_line_flush(l->list[i]);
	l->listed = 0;
}
