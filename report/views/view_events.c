/* SPDX-License-Identifier: MIT */
/*
 * The events of a recording, and where the samples of each were taken, side by side: shares of one
 * row that differ say what is special about it, as many cache misses for its cycles.
 */
#include <stdlib.h>

#include "base/order.h"
#include "report/recorded_modules.h"
#include "report/views/view.h"

struct event_row {
	size_t part;
	uint64_t va; /* of one of its samples */
	uint64_t samples[IP_EVENTS];
};

struct event_rows {
	VECTOR(struct event_row) items;
	struct map groups; /* (key, part) -> n = index + 1 */
	uint64_t sums[IP_EVENTS];
	unsigned first; /* the event that rows are ranked by: that with the most samples */
};

static int add_sample(struct event_rows *rows, struct view *v, size_t part,
		      const struct map_entry *sample)
{
	const unsigned event = sample->b < IP_EVENTS ? (unsigned)sample->b : IP_OTHER;
	uint32_t key = view_group_key(v, &v->parts.items[part], sample->a);
	struct event_row *row = map_item(&rows->groups, key, part, &rows->items,
					 (struct event_row){.part = part, .va = sample->a});

	if (key == STRINGS_NONE || !row)
		return -1;
	row->samples[event] += sample->n;
	row->va = sample->a < row->va ? sample->a : row->va;
	rows->sums[event] += sample->n;
	return 0;
}

static int make_rows(struct event_rows *rows, struct view *v)
{
	for (size_t part = 0; part < v->parts.count; part++) {
		const struct map_entry *i;

		map_each (&v->parts.items[part].profile->samples, i)
			if (add_sample(rows, v, part, i))
				return -1;
	}
	for (unsigned i = 0; i < IP_EVENTS; i++)
		if (rows->sums[i] > rows->sums[rows->first])
			rows->first = i;
	return 0;
}

static int by_samples(const void *x, const void *y, void *context)
{
	const struct event_rows *rows = context;
	const struct event_row *a = x, *b = y;

	return order_numbers(b->samples[rows->first], a->samples[rows->first])
	       ?: order_numbers(a->part, b->part)
	       ?: order_numbers(a->va, b->va);
}

static void put_row(struct view *v, const struct event_rows *rows, const struct event_row *row)
{
	static const enum sample_event order[] = {
		IP_CYCLES,	 IP_CLOCK,	 IP_INSTRUCTIONS, IP_BRANCH_MISSES,
		IP_CACHE_MISSES, IP_DTLB_MISSES, IP_OTHER,
	};

	document_put_number(v->out, row->samples[rows->first]);
	for (unsigned i = 0; i < sizeof(order) / sizeof(*order); i++)
		document_put_share(v->out, row->samples[order[i]], rows->sums[order[i]]);
	view_put_group(v, &v->parts.items[row->part], row->va);
}

static void put_rows(struct view *v, struct event_rows *rows)
{
	const struct event_row *row;

	if (rows->items.count > 1)
		qsort_r(rows->items.items, rows->items.count, sizeof(*row), by_samples, rows);
	document_table(v->out, "event_samples", "Samples of each event (shares)",
		       "samples, cycles, clock, instructions, "
		       "branch_misses: branch misses, cache_misses: cache misses, "
		       "dtlb_misses: dTLB misses, other: other events, place");
	view_each_shown (v, &rows->items, row)
		put_row(v, rows, row);
	document_end(v->out, rows->items.count);
}

int view_events(struct view *v)
{
	struct event_rows rows = {0};
	int rc = make_rows(&rows, v);

	recording_facts_put_events(v->out, v->result, v->options->top);
	if (!rc)
		put_rows(v, &rows);
	vector_deinit(&rows.items);
	map_deinit(&rows.groups);
	return rc;
}
