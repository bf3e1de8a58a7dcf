/* SPDX-License-Identifier: MIT */
/* The loops that traces show, with how often they turn each time. */
#include <math.h>

#include "base/memory.h"
#include "base/order.h"
#include "report/views/distribution.h"
#include "report/views/loop_trips.h"
#include "report/views/view.h"

/* So many of the loops with the most branches have a histogram. */
#define HISTOGRAMS 3
/* if they were entered, and left, so often: a few entries have no shape. */
#define HISTOGRAM_ENTRIES 20

struct loop_row {
	const struct traced_function *function;
	uint32_t loop;	   /* in it */
	uint64_t taken;	   /* branches in it, those of its calls left out */
	struct map *turns; /* NULL: no way in was seen */
};

struct loop_rows {
	VECTOR(struct loop_row) items;
};

ORDER_BY(by_taken, struct loop_row,
	 ORDER_DOWN(taken) ?: ORDER_UP(function->part) ?: ORDER_UP(function->function->begin)
	 ?: ORDER_UP(loop));

/* What the profile counts in each loop of all functions, by its number. */
static void count_taken(const struct view *v, const struct loop_trips *t, uint64_t *taken)
{
	for (size_t i = 0; i < t->code.functions.count; i++) {
		const struct traced_function *f = &t->code.functions.items[i];
		const struct branch_sites *sites = &v->parts.items[f->part].sites;
		const struct branch_site *s;
		size_t n = vector_count_while(&sites->items, s, s->va < f->function->begin);

		for (; n < sites->items.count && sites->items.items[n].va < f->function->end; n++) {
			size_t block = block_list_find(f->blocks, sites->items.items[n].va);
			uint32_t loop = block == CODE_NONE ? LOOPS_NONE : f->loops.of_block[block];

			for (; loop != LOOPS_NONE; loop = f->loops.items.items[loop].parent)
				taken[f->first_loop + loop] += sites->items.items[n].taken;
		}
	}
}

static int make_rows(struct loop_rows *rows, const struct loop_trips *t, const uint64_t *taken)
{
	const struct traced_function *f;

	vector_each (&t->code.functions, f)
		for (uint32_t i = 0; i < f->loops.items.count; i++) {
			uint32_t number = f->first_loop + i;
			struct loop_row *row = taken[number] ? vector_push(&rows->items) : NULL;

			if (!taken[number])
				continue;
			if (!row)
				return -1;
			*row = (struct loop_row){f, i, taken[number], NULL};
			if (number < t->turns.count && t->turns.items[number].count)
				row->turns = &t->turns.items[number];
		}
	vector_sort(&rows->items, by_taken);
	return 0;
}

static struct followed_place head_of(const struct loop_row *row)
{
	const struct loop *l = &row->function->loops.items.items[row->loop];

	return (struct followed_place){row->function->part,
				       row->function->blocks->items.items[l->head].begin};
}

/* Quantiles of the entries that ended in a trace. */
static int distribute(const struct map *turns, struct distribution *d)
{
	struct map_entry **sorted = map_sorted(turns);
	int rc = sorted ? 0 : -1;

	for (size_t i = 0; !rc && i < turns->count; i++)
		if (sorted[i]->n)
			rc = distribution_add(d, sorted[i]->a, sorted[i]->n);
	memory_free(sorted);
	return rc;
}

static int put_turns(struct document *s, const struct loop_row *row)
{
	static const struct map nothing;
	const struct map *turns = row->turns ? row->turns : &nothing;
	struct distribution d = {0};
	struct loop_summary sum;
	char peaks[DISTRIBUTION_PEAKS_BYTES];
	int rc = loop_trips_summarize(turns, &sum) || distribute(turns, &d) ? -1 : 0;

	document_put_number(s, sum.entries);
	document_put_number(s, sum.cut);
	document_put_number_if(s, sum.has_median, sum.median);
	document_put_real(s, sum.has_mean ? sum.mean : NAN);
	document_put_number_if(s, sum.has_p90, sum.p90);
	document_put_number_if(s, sum.entries, sum.most);
	distribution_peaks_text(&d, peaks, sizeof(peaks));
	document_put_text(s, peaks);
	distribution_deinit(&d);
	return rc;
}

static int put_row(struct view *v, const struct loop_row *row, uint64_t all)
{
	struct followed_place head = head_of(row);

	document_put_number(v->out, row->taken);
	document_put_share(v->out, row->taken, all);
	if (put_turns(v->out, row))
		return -1;
	document_put_number(v->out, row->function->loops.items.items[row->loop].depth);
	view_put_place(v, head.part, head.va);
	view_put_source(v, &v->parts.items[head.part], head.va);
	return 0;
}

/* *put counts those that there are. */
static int put_histogram(struct view *v, const struct loop_row *row, unsigned *put)
{
	struct followed_place head = head_of(row);
	struct distribution_histogram h;
	struct distribution d = {0};
	int rc = distribute(row->turns, &d);
	const bool shown = d.count >= HISTOGRAM_ENTRIES;

	*put += shown;
	distribution_bin(&d, &h);
	for (unsigned i = 0; i < DISTRIBUTION_BINS && shown; i++) {
		if (!h.bins[i])
			continue;
		view_put_place(v, head.part, head.va);
		document_put_number(v->out, i ? UINT64_C(1) << i : 0);
		document_put_number(v->out, (UINT64_C(2) << i) - 1);
		document_put_number(v->out, h.bins[i]);
		document_put_share(v->out, h.bins[i], d.count);
		document_put_number_if(v->out, h.peaks[i], h.peaks[i]);
	}
	distribution_deinit(&d);
	return rc;
}

static int put_histograms(struct view *v, const struct loop_rows *rows)
{
	const struct loop_row *row;
	unsigned put = 0;
	int rc = 0;

	document_table(
		v->out, "loop_histograms",
		"Turns of the loops with the most branches (histograms of entries that ended)",
		"head, low: turns, high: to, count, share, peak: peak at");
	document_draw(v->out, DOCUMENT_HISTOGRAM);
	vector_each (&rows->items, row)
		if (!rc && row->turns && put < HISTOGRAMS)
			rc = put_histogram(v, row, &put);
	return rc;
}

static int put_rows(struct view *v, const struct loop_rows *rows)
{
	const uint64_t all = view_branches_taken(v);
	const struct loop_row *row;
	int rc = 0;

	document_table(v->out, "loops", "Loops, and how often they turn when they are entered",
		       "taken: branches, share, entries, cut: cut off, median, mean, p90, "
		       "most, peaks, depth, head, source");
	view_each_shown (v, &rows->items, row)
		rc = rc ?: put_row(v, row, all);
	document_end(v->out, rows->items.count);
	return rc;
}

int view_loops_put(struct view *v, struct loop_trips *t)
{
	uint64_t *taken = memory_alloc_array((size_t)t->code.loop_count + 1, sizeof(*taken));
	struct loop_rows rows = {0};
	int rc = -1;

	if (taken) {
		count_taken(v, t, taken);
		rc = make_rows(&rows, t, taken);
	}
	if (!rc)
		rc = put_rows(v, &rows);
	if (!rc && v->options->views)
		rc = put_histograms(v, &rows);
	vector_deinit(&rows.items);
	memory_free(taken);
	return rc;
}
