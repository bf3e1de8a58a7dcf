/* SPDX-License-Identifier: MIT */
/* Hot paths, and the loops that they run in. */
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/vector.h"
#include "report/views/followed_traces.h"
#include "report/views/loop_trips.h"

/*
 * Which branch follows the last four, and how often: what hot paths are made of. Only branches that
 * are hot themselves have numbers here, so that memory stays small whatever was recorded.
 */

#define PATH_MEMORY 4 /* branches that are remembered */

/* A hot branch; number 0 is all others. */
struct path_branch {
	uint32_t branch; /* among the followed ones */
	uint64_t count;	 /* as the profile has it */
};

/* What followed a history of a certain length. */
struct path_successor {
	uint64_t history; /* up to four numbers, the newest in the lowest 16 bits */
	uint16_t next;
	uint64_t times;
};

/* A branch that followed four others. */
struct path_edge {
	uint64_t history, times;
	uint32_t last; /* the edge that came behind it last + 1; 0 = none */
	uint16_t next;
};

struct path_counts {
	VECTOR(struct path_branch) hot;
	uint64_t sum;		  /* of the profile's branches */
	VECTOR(uint16_t) numbers; /* by followed branch */
	VECTOR(struct path_edge) edges;
	struct map edge_numbers; /* (history, next) -> n = index of the edge + 1 */
	/* by history, then by falling times: of one to four branches */
	VECTOR(struct path_successor) successors[PATH_MEMORY];
};

/* Hot: one in so many of all taken branches, or more. Numbers have 16 bits. */
#define HOT_SHARE   20000
#define NUMBER_BITS 16

static uint64_t profile_count(const struct followed_traces *all, uint32_t branch)
{
	const struct followed_place *from = followed_traces_from(all, branch),
				    *to = followed_traces_to(all, branch);
	const struct map_entry *e;

	if (from->part == VIEW_NO_PART)
		return 0;
	e = map_find(&all->view->parts.items[from->part].profile->branches, from->va,
		     to->part == from->part ? to->va : BRANCH_OUTSIDE);
	return e ? e->n : 0;
}

/* Number the branches that were met since. */
static int number_branches(struct path_counts *c, const struct followed_traces *all)
{
	if (!c->hot.count && !vector_push(&c->hot))
		return -1;
	while (c->numbers.count < all->branches.count) {
		uint32_t branch = (uint32_t)c->numbers.count;
		uint64_t count = profile_count(all, branch);
		uint16_t *number = vector_push(&c->numbers);

		if (!number)
			return -1;
		if (!count || count < c->sum / HOT_SHARE || c->hot.count > UINT16_MAX)
			continue;
		*number = (uint16_t)c->hot.count;
		if (vector_add(&c->hot, (struct path_branch){branch, count}))
			return -1;
	}
	return 0;
}

/* The number + 1 of the context, or 0 without memory. */
static uint32_t find_edge(struct path_counts *c, uint64_t history, uint16_t next)
{
	struct map_entry *number = map_at(&c->edge_numbers, history, next);
	struct path_edge *edge;

	if (!number || number->n)
		return number ? (uint32_t)number->n : 0;
	edge = c->edges.count < UINT32_MAX ? vector_push(&c->edges) : NULL;
	if (!edge)
		return 0;
	*edge = (struct path_edge){.history = history, .next = next};
	number->n = c->edges.count;
	return (uint32_t)number->n;
}

/* The edge to @next: behind @before, if there is one, mostly that which came last. */
static uint32_t edge_behind(struct path_counts *c, uint32_t before, uint64_t history, uint16_t next)
{
	uint32_t edge = before ? c->edges.items[before - 1].last : 0;

	if (edge && c->edges.items[edge - 1].next == next)
		return edge;
	edge = find_edge(c, history, next);
	if (before && edge)
		c->edges.items[before - 1].last = edge;
	return edge;
}

/* Start zeroed, but for the sum. Each 0, or -1 without memory. */
static int path_counts_add(struct path_counts *c, const struct followed_traces *all,
			   const struct followed_trace *t)
{
	uint64_t history = 0;
	uint32_t edge = 0;
	unsigned length = 0;

	if (number_branches(c, all))
		return -1;
	for (size_t i = 0; i < t->count; i++) {
		uint16_t number = c->numbers.items[t->branches[i]];

		if (number && length == PATH_MEMORY) {
			edge = edge_behind(c, edge, history, number);
			if (!edge)
				return -1;
			c->edges.items[edge - 1].times += t->times;
		} else {
			edge = 0;
		}
		length = !number ? 0 : length < PATH_MEMORY ? length + 1 : length;
		history = history << NUMBER_BITS | number;
	}
	return 0;
}

/* ---- what follows -------------------------------------------------------------------------- */

static uint64_t last_of(uint64_t history, unsigned length)
{
	return length == PATH_MEMORY ? history
				     : history & ((UINT64_C(1) << NUMBER_BITS * length) - 1);
}

ORDER_BY(by_history, struct path_successor,
	 ORDER_UP(history) ?: ORDER_DOWN(times) ?: ORDER_UP(next));

static int list(struct path_counts *c, unsigned length)
{
	const struct map_entry *i = NULL;
	const struct path_edge *edge;
	struct map sums = {0};
	int rc = 0;

	vector_each (&c->edges, edge) {
		if (map_add(&sums, last_of(edge->history, length), edge->next, edge->times, 0))
			rc = -1;
	}
	for (i = NULL; !rc && (i = map_next(&sums, (struct map_entry *)i));) {
		if (vector_add(&c->successors[length - 1],
			       (struct path_successor){i->a, (uint16_t)i->b, i->n}))
			rc = -1;
	}
	vector_sort(&c->successors[length - 1], by_history);
	map_deinit(&sums);
	return rc;
}

/* When all were added. */
static int path_counts_finish(struct path_counts *c)
{
	int rc = 0;

	for (unsigned length = 1; !rc && length <= PATH_MEMORY; length++)
		rc = list(c, length);
	vector_deinit(&c->edges);
	map_deinit(&c->edge_numbers);
	return rc;
}

static void path_counts_deinit(struct path_counts *c)
{
	vector_deinit(&c->hot);
	vector_deinit(&c->numbers);
	vector_deinit(&c->edges);
	map_deinit(&c->edge_numbers);
	for (unsigned i = 0; i < PATH_MEMORY; i++)
		vector_deinit(&c->successors[i]);
}

/* What followed @history of the last @length branches, as much of it as was seen; *count of them,
 * by falling times, *all times together. None: NULL. */
static const struct path_successor *path_counts_next(const struct path_counts *c, uint64_t history,
						     unsigned length, size_t *count, uint64_t *all)
{
	for (length = length < PATH_MEMORY ? length : PATH_MEMORY; length; length--) {
		const uint64_t last = last_of(history, length);
		const struct path_successor *s, *first;
		size_t at = vector_count_while(&c->successors[length - 1], s, s->history < last);
		const size_t end = c->successors[length - 1].count;

		first = c->successors[length - 1].items + at;
		*count = 0;
		*all = 0;
		for (s = first; at + *count < end && s->history == last; s++) {
			*all += s->times;
			++*count;
		}
		if (*count)
			return first;
	}
	return NULL;
}

/*
 * Hot paths: blocks that mostly run one after the other, wherever they lie. A path begins at a hot
 * branch's target and goes on along the likeliest branch, given the last four, until none is likely
 * enough, or it comes back to where it was or to a path that begins hotter. With the loops that the
 * traces show, and with what is asked of one place or one trace.
 */

/* A path goes on along what is at least so likely, for so many branches at most. */
#define LIKELY	     0.6
#define STEPS_MOST   64
#define SOURCE_BYTES 300

struct path_step {
	uint16_t number;			   /* the branch, and the block that it leads to */
	double reached;				   /* of those that begin the path */
	const struct path_successor *next, *other; /* the likeliest, and the one after; or NULL */
	uint64_t all;				   /* that followed */
};

struct path {
	struct path_step *steps; /* STEPS_MOST at most */
	size_t count;
	const char *end;
	size_t made, joined; /* its number as they are made, from 1 on, and that of the path that
			      * it ends in; 0 = none */
	double share;	     /* of all taken branches: those of the path */
	uint16_t start;
};

struct paths {
	struct view *view;
	struct followed_traces all;
	struct path_counts counts;
	struct loop_trips trips;
	VECTOR(struct path) items;
};

/* ---- paths --------------------------------------------------------------------------------- */

static bool is_on(const struct path *p, uint16_t number)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->steps[i].number == number)
			return true;
	return false;
}

/* Why the path ends here; NULL: it goes on. */
static const char *end_of(const struct path *p, const struct path_step *step, const size_t *used)
{
	if (!step->next)
		return "unknown";
	if ((double)step->next->times < LIKELY * (double)step->all)
		return "splits";
	if (step->next->next == p->start)
		return "closes";
	if (is_on(p, step->next->next))
		return "joins itself";
	if (used[step->next->next])
		return "joins";
	return p->count == STEPS_MOST ? "long" : NULL;
}

/* @used: by branch, the path that it is on. */
static void follow(const struct path_counts *c, struct path *p, const size_t *used)
{
	uint16_t number = p->start;
	uint64_t history = 0;
	double reached = 1;

	do {
		struct path_step *step = &p->steps[p->count++];
		size_t count = 0;

		history = history << 16 | number;
		*step = (struct path_step){.number = number, .reached = reached};
		step->next = path_counts_next(c, history, (unsigned)p->count, &count, &step->all);
		step->other = count > 1 ? step->next + 1 : NULL;
		p->share += reached * (double)c->hot.items[number].count / (double)c->sum;
		p->end = end_of(p, step, used);
		if (!p->end) {
			number = step->next->next;
			reached *= (double)step->next->times / (double)step->all;
		}
	} while (!p->end);
	if (!strcmp(p->end, "joins"))
		p->joined = used[p->steps[p->count - 1].next->next];
}

static int by_count(const void *x, const void *y, void *context)
{
	const struct path_counts *c = context;
	uint16_t a = *(const uint16_t *)x, b = *(const uint16_t *)y;

	return order_numbers(c->hot.items[b].count, c->hot.items[a].count) ?: order_numbers(a, b);
}

ORDER_BY(by_share, struct path, ORDER_DOWN(share) ?: ORDER_UP(start));

static int add_path(struct paths *p, uint16_t start, size_t *used)
{
	struct path_step steps[STEPS_MOST];
	struct path path = {.steps = steps, .start = start};

	path.made = p->items.count + 1;
	follow(&p->counts, &path, used);
	for (size_t i = 0; i < path.count; i++)
		used[steps[i].number] = path.made;
	path.steps = memory_alloc_array(path.count, sizeof(*steps));
	if (!path.steps || vector_add(&p->items, path)) {
		memory_free(path.steps);
		return -1;
	}
	memcpy(path.steps, steps, path.count * sizeof(*steps));
	return 0;
}

/* From each hot branch, the hottest first, that is on no path yet. */
static int make_paths(struct paths *p)
{
	const size_t count = p->counts.hot.count;
	uint16_t *order = memory_alloc_array(count + 1, sizeof(*order));
	size_t *used = memory_alloc_array(count + 1, sizeof(*used));
	int rc = order && used ? 0 : -1;

	for (size_t i = 1; !rc && i < count; i++)
		order[i - 1] = (uint16_t)i;
	if (!rc && count > 2)
		qsort_r(order, count - 1, sizeof(*order), by_count, &p->counts);
	for (size_t i = 0; !rc && i + 1 < count; i++)
		if (!used[order[i]])
			rc = add_path(p, order[i], used);
	vector_sort(&p->items, by_share);
	memory_free(order);
	memory_free(used);
	return rc;
}

/* ---- what is put --------------------------------------------------------------------------- */

/* "joins 2": by the numbers that are shown. */
static void put_end(const struct paths *p, const struct path *path)
{
	size_t rank = 0;
	char text[64];

	while (path->joined && p->items.items[rank].made != path->joined)
		rank++;
	if (path->joined)
		snprintf(text, sizeof(text), "%s %zu", path->end, rank + 1);
	else
		snprintf(text, sizeof(text), "%s", path->end);
	document_put_text(p->view->out, text);
}

static uint32_t followed(const struct paths *p, uint16_t number)
{
	return p->counts.hot.items[number].branch;
}

/* The code that runs behind a branch before the next: false if that is not known. */
static bool range_behind(const struct paths *p, const struct path_step *step,
			 struct followed_range *out)
{
	return step->next && followed_traces_range(&p->all, followed(p, step->number),
						   followed(p, step->next->next), out);
}

static void put_target(struct paths *p, uint16_t number)
{
	const struct followed_place *to = followed_traces_to(&p->all, followed(p, number));

	view_put_place(p->view, to->part, to->va);
}

/* 0 if not known. */
static uint64_t instructions_of(const struct paths *p, const struct path *path, size_t count)
{
	struct followed_range range;
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		if (range_behind(p, &path->steps[i], &range))
			sum += view_instructions(p->view, range.part, range.begin, range.end);
	return sum;
}

static int put_source(struct paths *p, const struct path_step *steps, size_t count)
{
	struct place_lines lines = {0};
	struct followed_range range;
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++)
		if (range_behind(p, &steps[i], &range))
			rc = source_places_lines(&p->view->parts.items[range.part].places,
						 range.begin, range.end, &lines);
	view_put_lines(p->view, &lines, SOURCE_BYTES);
	return rc;
}

static int put_path(struct paths *p, const struct path *path, size_t number)
{
	struct document *s = p->view->out;
	uint64_t instructions;

	document_put_number(s, number);
	document_put_fraction(s, path->share);
	document_put_number(s, p->counts.hot.items[path->start].count);
	document_put_fraction(s, path->steps[path->count - 1].reached);
	document_put_number(s, path->count);
	instructions = instructions_of(p, path, path->count);
	document_put_number_if(s, instructions, instructions);
	put_end(p, path);
	put_target(p, path->start);
	return put_source(p, path->steps, path->count);
}

static int put_paths(struct paths *p)
{
	int rc = 0;

	document_table(p->view->out, "paths",
		       "Hot paths: blocks that mostly run one after the other",
		       "path, share, count, to_end: to end, branches, instructions, end, "
		       "start, source");
	for (size_t i = 0; !rc && i < view_shown(p->view, p->items.count); i++)
		rc = put_path(p, &p->items.items[i], i + 1);
	document_end(p->view->out, p->items.count);
	return rc;
}

static void put_exit(struct paths *p, const struct path_step *step)
{
	struct document *s = p->view->out;

	if (step->other) {
		document_put_share(s, step->other->times, step->all);
		put_target(p, step->other->next);
	} else {
		document_put_none(s);
		document_put_none(s);
	}
}

static int put_step(struct paths *p, const struct path_step *step, size_t path, size_t number)
{
	struct document *s = p->view->out;
	struct followed_range range;
	uint64_t instructions;

	document_put_number(s, path);
	document_put_number(s, number);
	document_put_fraction(s, step->reached);
	put_target(p, step->number);
	if (range_behind(p, step, &range)) {
		instructions = view_instructions(p->view, range.part, range.begin, range.end);
		document_put_number_if(s, instructions, instructions);
		view_put_place(p->view, range.part, range.end);
	} else {
		document_put_none(s);
		document_put_none(s);
	}
	document_put_share(s, step->next ? step->next->times : 0, step->all);
	put_exit(p, step);
	return put_source(p, step, 1);
}

static int put_steps(struct paths *p)
{
	int rc = 0;

	document_table(p->view->out, "path_steps", "Blocks of these paths, and the likeliest exits",
		       "path, step, reached, begin, instructions, end, next: goes on, "
		       "exit_share: exit, exit: to, source");
	for (size_t i = 0; !rc && i < view_shown(p->view, p->items.count); i++) {
		const struct path *path = &p->items.items[i];

		for (size_t k = 0; !rc && k < path->count; k++)
			rc = put_step(p, &path->steps[k], i + 1, k + 1);
	}
	return rc;
}

/* ---- all ----------------------------------------------------------------------------------- */

static int take_trace(void *context, const struct followed_traces *all,
		      const struct followed_trace *t)
{
	struct paths *p = context;

	return path_counts_add(&p->counts, all, t) || loop_trips_add(&p->trips, all, t) ? -1 : 0;
}

static void free_paths(struct paths *p)
{
	struct path *path;

	vector_each (&p->items, path)
		memory_free(path->steps);
	vector_deinit(&p->items);
	path_counts_deinit(&p->counts);
	loop_trips_deinit(&p->trips);
	followed_traces_deinit(&p->all);
}

int view_paths(struct view *v)
{
	struct paths p = {.view = v, .counts.sum = view_branches_taken(v), .trips.code.view = v};
	int rc = followed_traces_each(&p.all, v, take_trace, &p)
	       ?: path_counts_finish(&p.counts)
	       ?: make_paths(&p);

	if (!rc && !p.all.branches.count)
		document_fact_text(v->out, "paths_note", "paths",
				   "- (no whole branch stacks in this file)");
	if (!rc)
		rc = put_paths(&p);
	if (!rc && v->options->views)
		rc = put_steps(&p);
	if (!rc)
		rc = view_loops_put(v, &p.trips);
	free_paths(&p);
	return rc;
}
