/* SPDX-License-Identifier: MIT */
#include "report/views/view_path_times.h"

#include "base/memory.h"
#include "report/views/code_group.h"

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
	struct start *slot = vector_push(&s->items);

	if (!slot)
		return -1;
	*slot = (struct start){
		.part = part,
		.group = v->options->group == REPORT_BY_BRANCH ? all->a
							       : code_group_key(v, p, all->a),
		.va = all->a,
		.traces = all->n,
		.model_ps = all->m,
		.timed = timed ? timed->n : 0,
		.timed_ps = timed ? timed->m : 0,
		.timed_model_ps = model ? model->m : 0,
	};
	s->model_ps += all->m;
	return 0;
}

static int by_group(const void *x, const void *y)
{
	const struct start *a = x, *b = y;

	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return (a->va > b->va) - (a->va < b->va);
}

static int by_time(const void *x, const void *y)
{
	const struct start *a = x, *b = y;

	return a->model_ps != b->model_ps ? (a->model_ps < b->model_ps ? 1 : -1) : by_group(x, y);
}

/* Those of a group become one. */
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
	if (traces)
		document_put_real(s, (double)ps / 1000 / (double)traces);
	else
		document_put_none(s);
}

static void put_start(struct view *v, const struct start *s, uint64_t all_ps)
{
	struct view_part *p = &v->parts.items[s->part];

	document_put_number(v->out, s->traces);
	put_mean_ns(v->out, s->model_ps, s->traces);
	document_put_share(v->out, s->model_ps, all_ps);
	document_put_number(v->out, s->timed);
	put_mean_ns(v->out, s->timed_ps, s->timed);
	if (s->timed_model_ps)
		document_put_real(v->out, (double)s->timed_ps / (double)s->timed_model_ps);
	else
		document_put_none(v->out);
	code_group_put(v, p, s->va);
	if (v->options->group == REPORT_BY_BRANCH)
		code_group_put_source(v, p, s->va);
}

static void put_all(struct view *v, const struct starts *s)
{
	static const struct document_column columns[] = {
		{"traces", "traces"},	  {"model_ns", "model ns"},
		{"share", "share"},	  {"timed", "timed"},
		{"timed_ns", "timed ns"}, {"timed_by_model", "timed / model"},
		{"begin", "begins at"},	  {"source", "source"},
	};
	bool each = v->options->group == REPORT_BY_BRANCH;
	const size_t shown = view_shown(v, s->items.count);

	document_table(v->out, "path_times",
		       "Times of traces on average, by the model and timed on a part of their path",
		       columns, sizeof(columns) / sizeof(*columns) - (each ? 0 : 1));
	for (size_t i = 0; i < shown; i++)
		put_start(v, &s->items.items[i], s->model_ps);
	document_end(v->out, s->items.count);
}

int view_path_times(struct view *v)
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
