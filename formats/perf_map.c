/* SPDX-License-Identifier: MIT */
#include "formats/perf_map.h"

#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "base/text.h"

/* How many entries before the nearest one are looked at for one that is long enough to hold an
 * address; a map of overlapping places beyond that is no map. */
#define ENTRIES_TRIED 64

static bool take_hex(struct text *l, uint64_t *out)
{
	text_skip(l, " \t");
	if (text_length(*l) > 2 && !text_take(l, "0x"))
		text_take(l, "0X");
	return text_take_number(l, 16, out) && text_length(*l) && (*l->at == ' ' || *l->at == '\t');
}

/* 0, or a negative code without memory. */
static int add_line(struct perf_map *m, struct text l, uint64_t line, struct softlbr_error *e)
{
	struct perf_map_entry value = {.line = line};
	uint64_t size;

	while (text_length(l) && (l.end[-1] == '\r' || l.end[-1] == ' '))
		l.end--;
	if (!text_length(l))
		return 0;
	if (!take_hex(&l, &value.begin) || !take_hex(&l, &size) || !size ||
	    __builtin_add_overflow(value.begin, size, &value.end)) {
		m->lines_bad++;
		return 0;
	}
	text_skip(&l, " \t");
	value.name = strings_add(m->strings, l.at, text_length(l));
	if (value.name == STRINGS_NONE || vector_add(&m->entries, value))
		return error_set_nomem(e);
	m->longest = size > m->longest ? size : m->longest;
	return 0;
}

ORDER_BY(by_begin, struct perf_map_entry, ORDER_UP(begin) ?: ORDER_UP(line));

int perf_map_read_bytes(struct perf_map *m, const uint8_t *data, size_t size,
			struct softlbr_error *e)
{
	struct text rest = {(const char *)data, (const char *)data + size}, l;
	int rc = 0;

	m->strings = strings_new();
	if (!m->strings)
		return error_set_nomem(e);
	for (uint64_t line = 1; !rc && text_take_line(&rest, &l); line++) {
		if (text_is_cut(rest, l))
			m->lines_bad++;
		else
			rc = add_line(m, l, line, e);
	}
	vector_sort(&m->entries, by_begin);
	return rc;
}

void perf_map_deinit(struct perf_map *m)
{
	strings_free(m->strings);
	m->strings = NULL;
	vector_deinit(&m->entries);
}

const char *perf_map_find(const struct perf_map *m, uint64_t address)
{
	const struct perf_map_entry *best = NULL, *entry;
	size_t low = vector_count_while(&m->entries, entry, entry->begin <= address);

	for (size_t tried = 0; low-- > 0 && tried < ENTRIES_TRIED; tried++) {
		const struct perf_map_entry *i = &m->entries.items[low];

		if (address - i->begin >= m->longest)
			break;
		if (address < i->end && (!best || i->line > best->line))
			best = i;
	}
	return best ? strings_text(m->strings, best->name) : NULL;
}
