/* SPDX-License-Identifier: MIT */
#include "formats/perf_map.h"

#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "formats/text_number.h"

/* How many entries before the nearest one are looked at for one that is long enough to hold an
 * address; a map of overlapping places beyond that is no map. */
#define ENTRIES_TRIED 64

static int take_hex(const char **at, const char *end, uint64_t *out)
{
	while (*at < end && (**at == ' ' || **at == '\t'))
		(*at)++;
	if (end - *at > 2 && (*at)[0] == '0' && ((*at)[1] | 32) == 'x')
		*at += 2;
	return text_number_read(at, end, 16, out) && *at < end && (**at == ' ' || **at == '\t')
		       ? 0
		       : -1;
}

/* 0, or a negative code without memory. */
static int add_line(struct perf_map *m, const char *at, const char *end, uint64_t line,
		    struct softlbr_error *e)
{
	struct perf_map_entry *entry, value = {.line = line};
	uint64_t size;

	while (end > at && (end[-1] == '\r' || end[-1] == ' '))
		end--;
	if (at == end)
		return 0;
	if (take_hex(&at, end, &value.begin) || take_hex(&at, end, &size) || !size ||
	    __builtin_add_overflow(value.begin, size, &value.end)) {
		m->lines_bad++;
		return 0;
	}
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	value.name = strings_add(m->strings, at, (size_t)(end - at));
	entry = value.name == STRINGS_NONE ? NULL : vector_push(&m->entries);
	if (!entry)
		return error_set_nomem(e);
	*entry = value;
	m->longest = size > m->longest ? size : m->longest;
	return 0;
}

ORDER_BY(by_begin, struct perf_map_entry, ORDER_UP(begin) ?: ORDER_UP(line));

int perf_map_read_bytes(struct perf_map *m, const uint8_t *data, size_t size,
			struct softlbr_error *e)
{
	const char *at = (const char *)data, *end = at + size;
	int rc = 0;

	m->strings = strings_new();
	if (!m->strings)
		return error_set_nomem(e);
	for (uint64_t line = 1; !rc && at < end; line++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		if (!newline) {
			m->lines_bad++;
			break;
		}
		rc = add_line(m, at, newline, line, e);
		at = newline + 1;
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
