/* SPDX-License-Identifier: MIT */
/* How long code took: blocks by the cycles of hardware or the times of loads, and traces. */
#include <math.h>
#include <stdio.h>

#include "base/order.h"
#include "report/views/distribution.h"
#include "report/views/view.h"

/* How long traces take by the model and by the program, by where they begin (record --times). */

/* Where traces begin: an instruction, a line or a function. */
struct start {
	size_t part;
	uint64_t group, va;
	uint64_t traces, model_ps;		  /* of all */
	uint64_t timed, timed_ps, timed_model_ps; /* of those that the program was timed on */
};

struct starts {
	VECTOR(struct start) items;
	uint64_t model_ps;
};

static int add_start(struct starts *s, struct view *v, size_t part, const struct map_entry *all)
{
	struct view_part *p = &v->parts.items[part];
	const struct map_entry *timed = map_find(&p->details->timed, all->a, 0),
			       *model = map_find(&p->details->timed_model, all->a, 0);

	if (vector_add(&s->items, (struct start){
					  .part = part,
					  .group = v->options->group == REPORT_BY_BRANCH
							   ? all->a
							   : view_group_key(v, p, all->a),
					  .va = all->a,
					  .traces = all->n,
					  .model_ps = all->m,
					  .timed = timed ? timed->n : 0,
					  .timed_ps = timed ? timed->m : 0,
					  .timed_model_ps = model ? model->m : 0,
				  }))
		return -1;
	s->model_ps += all->m;
	return 0;
}

ORDER_BY(by_group, struct start, ORDER_UP(part) ?: ORDER_UP(group) ?: ORDER_UP(va));

ORDER_BY(by_time, struct start, ORDER_DOWN(model_ps) ?: by_group(x, y));

/* The starts of a group become one. */
static void sum_up(struct starts *s)
{
	struct start *to = s->items.items, *from;

	vector_sort(&s->items, by_group);
	vector_each (&s->items, from) {
		if (from == s->items.items)
			continue;
		if (from->part != to->part || from->group != to->group) {
			*++to = *from;
			continue;
		}
		to->traces += from->traces;
		to->model_ps += from->model_ps;
		to->timed += from->timed;
		to->timed_ps += from->timed_ps;
		to->timed_model_ps += from->timed_model_ps;
	}
	s->items.count = (size_t)(to - s->items.items) + 1;
	vector_sort(&s->items, by_time);
}

static void put_mean_ns(struct document *s, uint64_t ps, uint64_t traces)
{
	document_put_real(s, traces ? (double)ps / 1000 / (double)traces : NAN);
}

static void put_start(struct view *v, const struct start *s, uint64_t all_ps)
{
	struct view_part *p = &v->parts.items[s->part];

	document_put_number(v->out, s->traces);
	put_mean_ns(v->out, s->model_ps, s->traces);
	document_put_share(v->out, s->model_ps, all_ps);
	document_put_number(v->out, s->timed);
	put_mean_ns(v->out, s->timed_ps, s->timed);
	document_put_real(
		v->out, s->timed_model_ps ? (double)s->timed_ps / (double)s->timed_model_ps : NAN);
	view_put_group(v, p, s->va);
	if (v->options->group == REPORT_BY_BRANCH)
		view_put_source(v, p, s->va);
}

#define PATH_COLUMNS                                                     \
	"traces, model_ns: model ns, share, timed, timed_ns: timed ns, " \
	"timed_by_model: timed / model, begin: begins at"

static void put_all(struct view *v, const struct starts *s)
{
	const struct start *start;

	document_table(v->out, "path_times",
		       "Times of traces on average, by the model and timed on a part of their path",
		       v->options->group == REPORT_BY_BRANCH ? PATH_COLUMNS ", source"
							     : PATH_COLUMNS);
	view_each_shown (v, &s->items, start)
		put_start(v, start, s->model_ps);
	document_end(v->out, s->items.count);
}

/* Add the table, if the recording has such times. 0, or -1 without memory. */
static int view_path_times(struct view *v)
{
	struct starts starts = {0};
	int rc = 0;

	for (size_t part = 0; !rc && part < v->parts.count; part++) {
		const struct map_entry *i = NULL;

		while (!rc &&
		       (i = map_next(&v->parts.items[part].details->model, (struct map_entry *)i)))
			rc = add_start(&starts, v, part, i);
	}
	if (!rc && starts.items.count) {
		sum_up(&starts);
		put_all(v, &starts);
	}
	vector_deinit(&starts.items);
	return rc;
}

/*
 * How many cycles blocks of straight-line code and iterations of loops take, where hardware counts
 * them. A block is from one taken branch to the next; its cycles are those between the two, and are
 * told apart by whether the CPU had mispredicted the first.
 */

/* So many of the blocks with the most cycles have a histogram. */
#define HISTOGRAMS 3

enum what { BLOCKS, ITERATIONS, LOADS };

struct table_head {
	const char *key, *title, *columns;
};

static const struct {
	struct table_head times;
	const char *more; /* columns of tables that are not grouped */
	struct table_head histograms;
} heads[] = {
	[BLOCKS] = {.times = {"latencies",
			      "Cycles of blocks, by how the branch into them was predicted",
			      "cycles, share, count, median, mean, p90, peaks, predicted, "
			      "predicted_median: median, mispredicted, "
			      "mispredicted_median: median, penalty, ipc: IPC, begin"},
		    .more = ", end, source",
		    .histograms = {"latency_histograms",
				   "Cycles of the blocks with the most (histograms)",
				   "begin, end, low: cycles, high: to, count, share, "
				   "peak: peak at"}},
	[ITERATIONS] = {.times = {"iterations", "Cycles of loop iterations",
				  "cycles, share, count, median, mean, p90, peaks, head"},
			.more = ", back_edge: back edge, source"},
	[LOADS] = {.times = {"loads",
			     "Ticks of first loads of cache lines (measured by look-ahead, not by "
			     "the program)",
			     "ticks, share, count: loads, median, mean, p90, peaks, load"},
		   .more = ", source",
		   .histograms = {"load_histograms",
				  "Ticks of the loads with the most (histograms; by look-ahead)",
				  "begin: load, low: ticks, high: to, count: loads, share, "
				  "peak: peak at"}},
};

/* The times of one block, one loop or one load: cycles, or ticks of loads. */
struct point {
	size_t part;
	uint64_t group[2]; /* what is one row */
	struct branch_latency latency;
	uint64_t n;
};

/* A row: consecutive points. */
struct row {
	const struct point *points;
	size_t count;
	uint64_t cycles;
};

struct table {
	VECTOR(struct point) points;
	VECTOR(struct row) rows;
	uint64_t cycles; /* of all rows */
};

/* ---- from points to rows ------------------------------------------------------------------- */

static int add_point(struct table *t, struct view *v, size_t part, const struct map_entry *entry)
{
	struct view_part *p = &v->parts.items[part];
	struct point *point = vector_push(&t->points);

	if (!point)
		return -1;
	*point = (struct point){
		.part = part, .latency = branch_details_latency(entry), .n = entry->n};
	if (v->options->group == REPORT_BY_BRANCH) {
		point->group[0] = point->latency.begin;
		point->group[1] = point->latency.end;
	} else {
		point->group[0] = view_group_key(v, p, point->latency.begin);
	}
	return 0;
}

static int by_row(const void *x, const void *y)
{
	const struct point *a = x, *b = y;

	for (unsigned i = 0; i < 2; i++)
		if (a->group[i] != b->group[i])
			return a->group[i] < b->group[i] ? -1 : 1;
	return order_numbers(a->part, b->part)
	       ?: order_numbers(a->latency.cycles, b->latency.cycles)
	       ?: order_numbers(a->latency.begin, b->latency.begin)
	       ?: order_numbers(a->latency.before, b->latency.before);
}

static bool is_same_row(const struct point *a, const struct point *b)
{
	return a->group[0] == b->group[0] && a->group[1] == b->group[1] && a->part == b->part;
}

ORDER_BY(by_cycles, struct row, ORDER_DOWN(cycles) ?: ORDER_UP(points));

static int make_rows(struct table *t)
{
	const struct point *p;

	vector_sort(&t->points, by_row);
	vector_each (&t->points, p) {
		struct row *row = t->rows.count ? &t->rows.items[t->rows.count - 1] : NULL;

		if (!row || !is_same_row(row->points, p)) {
			row = vector_push(&t->rows);
			if (!row)
				return -1;
			*row = (struct row){.points = p};
		}
		row->count++;
		row->cycles += p->n * p->latency.cycles;
		t->cycles += p->n * p->latency.cycles;
	}
	vector_sort(&t->rows, by_cycles);
	return 0;
}

static int make_table(struct table *t, struct view *v, enum what what)
{
	for (size_t part = 0; part < v->parts.count; part++) {
		const struct branch_details *d = v->parts.items[part].details;
		const struct map *from = what == BLOCKS	      ? &d->latencies
					 : what == ITERATIONS ? &d->iterations
							      : &d->loads;
		const struct map_entry *i;

		map_each (from, i)
			if (add_point(t, v, part, i))
				return -1;
	}
	return make_rows(t);
}

static void free_table(struct table *t)
{
	vector_deinit(&t->points);
	vector_deinit(&t->rows);
}

/* The row's cycles, of the blocks that were entered as @before says; BRANCH_UNTOLD: of all. */
static int distribute(const struct row *row, enum branch_prediction before, struct distribution *d)
{
	for (size_t i = 0; i < row->count; i++) {
		const struct point *p = &row->points[i];

		if ((before == BRANCH_UNTOLD || p->latency.before == before) &&
		    distribution_add(d, p->latency.cycles, p->n))
			return -1;
	}
	return 0;
}

/* ---- what is put --------------------------------------------------------------------------- */

static void put_median(struct document *s, const struct distribution *d)
{
	document_put_number_if(s, d->count, distribution_quantile(d, 0.5));
}

/* How much longer a block takes when the branch into it was mispredicted. */
static void put_penalty(struct document *s, const struct distribution *predicted,
			const struct distribution *mispredicted)
{
	uint64_t good = distribution_quantile(predicted, 0.5),
		 bad = distribution_quantile(mispredicted, 0.5);

	document_put_number_if(s, predicted->count && mispredicted->count && bad >= good,
			       bad - good);
}

static void put_rate(struct view *v, const struct row *row, const struct distribution *all)
{
	const struct point *p = row->points;
	uint64_t instructions = v->options->group == REPORT_BY_BRANCH
					? view_instructions(v, p->part, p->latency.begin,
							    p->latency.end)
					: 0;

	document_put_real(v->out, instructions && all->sum
					  ? (double)(instructions * all->count) / (double)all->sum
					  : NAN);
}

static void put_summary(struct view *v, const struct row *row, const struct distribution *all,
			uint64_t cycles)
{
	char peaks[DISTRIBUTION_PEAKS_BYTES];

	document_put_number(v->out, row->cycles);
	document_put_share(v->out, row->cycles, cycles);
	document_put_number(v->out, all->count);
	put_median(v->out, all);
	document_put_real(v->out, distribution_mean(all));
	document_put_number(v->out, distribution_quantile(all, 0.9));
	distribution_peaks_text(all, peaks, sizeof(peaks));
	document_put_text(v->out, peaks);
}

/* By how the branch into the block was predicted. */
static int put_predictions(struct view *v, const struct row *row)
{
	struct distribution predicted = {0}, mispredicted = {0};
	int rc = distribute(row, BRANCH_PREDICTED, &predicted)
			 ?: distribute(row, BRANCH_MISPREDICTED, &mispredicted);

	document_put_number(v->out, predicted.count);
	put_median(v->out, &predicted);
	document_put_number(v->out, mispredicted.count);
	put_median(v->out, &mispredicted);
	put_penalty(v->out, &predicted, &mispredicted);
	distribution_deinit(&predicted);
	distribution_deinit(&mispredicted);
	return rc;
}

static int put_row(struct view *v, enum what what, const struct row *row, uint64_t cycles)
{
	struct view_part *p = &v->parts.items[row->points->part];
	const struct branch_latency *l = &row->points->latency;
	const bool each = v->options->group == REPORT_BY_BRANCH;
	struct distribution all = {0};
	int rc = distribute(row, BRANCH_UNTOLD, &all);

	put_summary(v, row, &all, cycles);
	if (what == BLOCKS) {
		rc = rc ?: put_predictions(v, row);
		put_rate(v, row, &all);
	}
	view_put_group(v, p, l->begin);
	if (each && what != LOADS)
		view_put_group(v, p, l->end);
	if (each)
		view_put_source(v, p, l->begin);
	distribution_deinit(&all);
	return rc;
}

static int put_rows(struct view *v, enum what what, const struct table *t)
{
	const struct table_head *head = &heads[what].times;
	const struct row *row;
	char columns[300];
	int rc = 0;

	snprintf(columns, sizeof(columns), "%s%s", head->columns,
		 v->options->group == REPORT_BY_BRANCH ? heads[what].more : "");
	document_table(v->out, head->key, head->title, columns);
	view_each_shown (v, &t->rows, row)
		rc = rc ?: put_row(v, what, row, t->cycles);
	document_end(v->out, t->rows.count);
	return rc;
}

static int put_histogram(struct view *v, const struct row *row, bool is_block)
{
	struct view_part *p = &v->parts.items[row->points->part];
	struct distribution_histogram h;
	struct distribution all = {0};
	int rc = distribute(row, BRANCH_UNTOLD, &all);

	distribution_bin(&all, &h);
	for (unsigned i = 0; i < DISTRIBUTION_BINS; i++) {
		if (!h.bins[i])
			continue;
		view_put_group(v, p, row->points->latency.begin);
		if (is_block)
			view_put_group(v, p, row->points->latency.end);
		document_put_number(v->out, UINT64_C(1) << i);
		document_put_number(v->out, (UINT64_C(2) << i) - 1);
		document_put_number(v->out, h.bins[i]);
		document_put_share(v->out, h.bins[i], all.count);
		document_put_number_if(v->out, h.peaks[i], h.peaks[i]);
	}
	distribution_deinit(&all);
	return rc;
}

static int put_histograms(struct view *v, enum what what, const struct table *t)
{
	const struct table_head *head = &heads[what].histograms;
	int rc = 0;

	document_table(v->out, head->key, head->title, head->columns);
	document_draw(v->out, DOCUMENT_HISTOGRAM);
	for (size_t i = 0; !rc && i < HISTOGRAMS && i < t->rows.count; i++)
		rc = put_histogram(v, &t->rows.items[i], what == BLOCKS);
	return rc;
}

int view_latency(struct view *v)
{
	struct table blocks = {0}, iterations = {0}, loads = {0};
	int rc = make_table(&blocks, v, BLOCKS)
	       ?: make_table(&iterations, v, ITERATIONS)
	       ?: make_table(&loads, v, LOADS);

	if (!blocks.cycles)
		document_fact_text(v->out, "latency_note", "latency",
				   "- (no cycles in this recording: only hardware counts them)");
	rc = rc ?: put_rows(v, BLOCKS, &blocks)
		?: put_rows(v, ITERATIONS, &iterations)
		?: put_histograms(v, BLOCKS, &blocks);
	/* of recordings without them nothing is said: hardware has none */
	if (!rc && loads.cycles)
		rc = put_rows(v, LOADS, &loads) ?: put_histograms(v, LOADS, &loads);
	rc = rc ?: view_path_times(v);
	free_table(&blocks);
	free_table(&iterations);
	free_table(&loads);
	return rc;
}
