/* SPDX-License-Identifier: MIT */
#include "collector/engine/cache_lines.h"

#include <string.h>

#include "isa/host.h"

#define PROBES 4u

void cache_lines_begin(struct cache_lines *l)
{
	l->slow = l->wait_ticks = l->copied = 0;
	l->listed = l->pages = 0;
	l->crowded = false;
	if (l->times)
		reservoir_begin(&l->times->kept);
	if (++l->look_ahead == 0) { /* wrapped: forget what looks like this one's */
		memset(l->met, 0, sizeof(l->met));
		l->look_ahead = 1;
	}
}

static size_t first_place(uint64_t number)
{
	_Static_assert(LINES_PAGES == 1u << (64 - 54), "the shift must match the table");
	return number * 0x9e3779b97f4a7c15u >> 54;
}

/* The words of a page that was met before, or NULL. */
static const uint8_t *cache_lines_find(const struct cache_lines *l, uint64_t number)
{
	uint64_t key = number << 16 | l->look_ahead;
	size_t first = first_place(number);

	for (size_t i = 0; i < PROBES; i++)
		if (l->met[(first + i) % LINES_PAGES] == key)
			return l->words[l->rows[(first + i) % LINES_PAGES]];
	return NULL;
}

/* The words of the page, met now if not before. */
static uint8_t *meet(struct cache_lines *l, uint64_t number)
{
	uint8_t *words = (uint8_t *)cache_lines_find(l, number);
	size_t first = first_place(number);

	for (size_t i = 0; i < PROBES && !words; i++) {
		size_t at = (first + i) % LINES_PAGES;

		if ((uint16_t)l->met[at] != l->look_ahead) {
			l->met[at] = number << 16 | l->look_ahead;
			l->rows[at] = l->pages;
			words = l->words[l->pages++];
			memset(words, 0, sizeof(l->words[0]));
		}
	}
	if (!words) {
		l->crowded = true;
		words = l->words[LINES_PAGES];
		memset(words, 0, sizeof(l->words[LINES_PAGES]));
	}
	return words;
}

static void load_line(struct cache_lines *l, const uint8_t *line)
{
	uint64_t ticks = isa_line_load_ticks(line);

	if (l->times)
		load_times_add(l->times, line, ticks);
	if (ticks <= l->slow_ticks) {
		if (ticks > l->farther_ticks)
			l->wait_ticks += ticks - l->near_ticks;
		return;
	}
	l->slow++;
	if (l->listed < LINES_SLOW)
		l->list[l->listed++] = line;
}

void cache_lines_meet(struct cache_lines *l, uint64_t line, bool in_place)
{
	if (in_place)
		load_line(l, (const uint8_t *)(uintptr_t)line);
	else
		l->copied++;
}

void cache_lines_touch(struct cache_lines *l, const uint8_t *words, uint64_t address, size_t size,
		       bool in_place)
{
	uint64_t word = address / 8, last = (address + size - 1) / 8;

	do
		cache_lines_touch_word(l, words, word, in_place);
	while (word++ < last);
}

static void touch_pages(struct cache_lines *l, uint64_t address, size_t size, bool in_place)
{
	while (size) {
		size_t room = LINES_PAGE_BYTES - address % LINES_PAGE_BYTES;
		size_t part = size < room ? size : room;
		const uint8_t *words = meet(l, address / LINES_PAGE_BYTES);
		uint64_t fresh = l->fresh_word;

		cache_lines_touch(l, words, address, part, in_place);
		if (words == l->words[LINES_PAGES]) /* it may have been met before */
			l->fresh_word = fresh;
		address += part;
		size -= part;
	}
}

void cache_lines_load(struct cache_lines *l, const uint8_t *bytes, size_t size)
{
	touch_pages(l, (uintptr_t)bytes, size, true);
}

void cache_lines_note(struct cache_lines *l, uint64_t address, size_t size)
{
	touch_pages(l, address, size, false);
}

const uint8_t *cache_lines_page(const struct cache_lines *l, uint64_t address)
{
	return cache_lines_find(l, address / LINES_PAGE_BYTES);
}

bool cache_lines_is_fresh(const struct cache_lines *l, uint64_t address)
{
	const uint8_t *words = cache_lines_page(l, address);

	if (!words)
		return !l->crowded;
	return !(words[address % LINES_PAGE_BYTES / ISA_LINE_BYTES] >> address / 8 % 8 & 1);
}

void cache_lines_restore(struct cache_lines *l)
{
	for (unsigned i = 0; i < l->listed; i++)
		isa_line_flush(l->list[i]);
	l->listed = 0;
}
