/* SPDX-License-Identifier: MIT */
/*
 * What gcc's value sites saw, from the program's own code: the targets of its calls by pointers,
 * which traces have, and the divisors and sizes that a recording with values tells. A site's
 * statement may be many instructions, of several instances: they add up.
 *
 * Not looked for: quotients and addresses (gcc's interval and ior). Nothing of them is claimed.
 */
#include "converter/gcc/counters/arc_counters.h"

#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "converter/cfg/cfg.h"
#include "converter/gcc/counters/rounds.h"
#include "converter/gcc/files/counter_profile.h"

#define NO_VALUE VALUE_KINDS

struct maker {
	struct value_sets *out;
	const struct notes_index *keys;
	const struct attributions *all;
	uint64_t scale;
	struct cfg_branches branches;
	const struct value_profile *values;
	struct value_table table; /* of `values` */

	/* of the function and place at hand */
	const struct notes_function *f;
	VECTOR(uint32_t) inner;	 /* calls that it was inlined through early, in order */
	VECTOR(uint32_t) wanted; /* sites of one kind, by block */
};

void value_sets_deinit(struct value_sets *v)
{
	vector_deinit(&v->first);
	vector_deinit(&v->kinds);
	value_profile_deinit(&v->seen);
	value_profile_table_deinit(&v->table);
}

/* The kind of value that a site's counters are made of: gcc counts the mean size where it counts
 * sizes. */
static enum value_kind kind_of(const struct gcc_function *g, size_t site)
{
	const struct gcc_value_site *of = &g->values.items[site], *s;

	switch (of->kind) {
	case COUNTER_KIND_INDIRECT:
		return VALUE_TARGET;
	case COUNTER_KIND_POW2:
		return VALUE_DIVISOR;
	case COUNTER_KIND_AVERAGE:
		return VALUE_SIZE;
	case COUNTER_KIND_TOPN:
		vector_each (&g->values, s)
			if (s->kind == COUNTER_KIND_AVERAGE && s->block == of->block &&
			    s->at.line == of->at.line && s->at.column == of->at.column)
				return VALUE_SIZE;
		return VALUE_DIVISOR;
	default:
		return NO_VALUE;
	}
}

/* ---- one instruction's values -------------------------------------------------------------- */

static struct value_site *find_site(struct value_sets *v, uint64_t number, enum value_kind kind)
{
	const struct value_site *s = value_profile_find(&v->seen, number, kind);

	return s ? &v->seen.sites.items[s - v->seen.sites.items] : NULL;
}

static int give_target(struct maker *m, uint64_t number, uint32_t function, uint64_t runs)
{
	struct value_site *site;

	if (runs < m->scale)
		return 0;
	if (value_profile_add(&m->out->seen, number, VALUE_TARGET,
			      function == NOTES_NONE ? 0 : (uint64_t)function + 1, runs, true))
		return -1;
	site = find_site(m->out, number, VALUE_TARGET);
	site->samples += runs / m->scale - 1;
	return 0;
}

static int give_targets(struct maker *m, const struct attributed_site *s, uint64_t number)
{
	const struct cfg_branch *b,
		*end = vector_at(&m->branches.by_from, m->branches.by_from.count);

	for (b = vector_at(&m->branches.by_from, cfg_branches_from(&m->branches, s->address));
	     b < end && b->from == s->address; b++) {
		const struct map_entry *to = map_find(&m->all->symbols, b->to, 0);

		/* what is jumped to inside of a function was not called */
		if (!s->calls && !to && b->to != BRANCH_OUTSIDE)
			continue;
		if (give_target(m, number, to ? (uint32_t)to->n : NOTES_NONE, b->n * m->scale))
			return -1;
	}
	return 0;
}

/* What the compiler took for the target, and inlined. How often that ran instead of the call, its
 * code and the call's block tell. */
static int give_inlined(struct maker *m, const struct round_instance *i)
{
	const struct notes_function *f = &m->keys->functions.items[i->caller];
	uint64_t runs = i->placed && i->entries < i->most ? i->entries : i->most;

	for (size_t n = 0; n < f->values.count; n++)
		if (f->graph->values.items[n].kind == COUNTER_KIND_INDIRECT &&
		    f->values.items[n].line == i->line && f->values.items[n].column == i->column &&
		    give_target(m, m->out->first.items[i->caller] + n, i->function, runs))
			return -1;
	return 0;
}

static int give_values(struct maker *m, const struct attributed_site *s, uint64_t number,
		       enum value_kind kind)
{
	const struct value_site *from = m->values ? value_profile_find(m->values, s->address, kind)
						  : NULL;
	struct value_site *to;
	size_t at, begin, end;

	if (!from)
		return 0;
	at = (size_t)(from - m->values->sites.items);
	begin = m->table.begins[at];
	end = m->table.begins[at + 1];
	for (size_t i = begin; i < end; i++)
		if (value_profile_add(&m->out->seen, number, kind, m->table.counts[i].value,
				      m->table.counts[i].runs, true))
			return -1;
	to = find_site(m->out, number, kind);
	if (to) {
		to->samples += from->samples - (end - begin);
		to->runs += from->other;
		to->other += from->other;
	}
	return 0;
}

/* ---- which site ---------------------------------------------------------------------------- */

static int by_block(const struct gcc_function *g, uint32_t a, uint32_t b)
{
	int order = order_numbers(g->values.items[a].block, g->values.items[b].block);

	return order ? order : order_numbers(g->values.items[a].first, g->values.items[b].first);
}

/* The sites of a kind at a place. */
static int find_wanted(struct maker *m, struct notes_place place, enum counter_kind kind)
{
	const struct gcc_function *g = m->f->graph;

	m->wanted.count = 0;
	for (uint32_t i = 0; i < g->values.count; i++) {
		size_t at = m->wanted.count;

		if (g->values.items[i].kind != kind ||
		    g->values.items[i].block >= m->f->blocks.count ||
		    !notes_place_is(&m->f->values.items[i], &place))
			continue;
		if (!vector_push(&m->wanted))
			return -1;
		for (; at && by_block(g, m->wanted.items[at - 1], i) > 0; at--)
			m->wanted.items[at] = m->wanted.items[at - 1];
		m->wanted.items[at] = i;
	}
	return 0;
}

static int find_inner(struct maker *m, const struct attributed_site *s,
		      const struct attributed_site *end)
{
	m->inner.count = 0;
	for (; s < end; s++) {
		size_t at = m->inner.count;
		int order = 1;

		while (at && (order = contexts_compare_inner(&m->all->contexts, s->inner,
							     m->inner.items[at - 1])) < 0)
			at--;
		if (at && !order)
			continue;
		if (!vector_push(&m->inner))
			return -1;
		memmove(&m->inner.items[at + 1], &m->inner.items[at],
			(m->inner.count - 1 - at) * sizeof(uint32_t));
		m->inner.items[at] = s->inner;
	}
	return 0;
}

/* May the instruction be of the site m->wanted[n]? Of one body that was inlined several times early
 * call sites in the order of the source are blocks in order; else discriminators may tell. */
static bool is_of(const struct maker *m, const struct attributed_site *s, size_t n)
{
	const struct gcc_function *g = m->f->graph;
	bool any = false;

	if (m->wanted.count == 1)
		return true;
	if (m->inner.count == m->wanted.count)
		return !contexts_compare_inner(&m->all->contexts, s->inner, m->inner.items[n]);
	for (size_t i = 0; i < m->wanted.count; i++) {
		uint32_t block = g->values.items[m->wanted.items[i]].block;
		bool its = m->f->blocks.items[block].discriminator == s->discriminator;

		if (i == n && its)
			return true;
		any |= its;
	}
	return !any;
}

static bool may_tell(const struct maker *m, const struct attributed_site *s, enum value_kind kind)
{
	size_t n;

	if (kind != VALUE_TARGET || s->indirect)
		return true;
	/* a call that the compiler could make a direct one, if there is no other */
	notes_function_calls(m->f, s->place.line, s->place.column, &n);
	return n == 1;
}

/* All that was made from the statements of one place. */
static int give_place(struct maker *m, const struct attributed_site *begin,
		      const struct attributed_site *end)
{
	const struct gcc_function *g;
	size_t first = m->out->first.items[begin->function];

	m->f = &m->keys->functions.items[begin->function];
	g = m->f->graph;
	if (find_inner(m, begin, end))
		return -1;
	for (enum counter_kind k = COUNTER_KIND_INTERVAL; k < COUNTER_KIND_TIME; k++) {
		if (find_wanted(m, begin->place, k))
			return -1;
		for (size_t n = 0; n < m->wanted.count; n++) {
			uint32_t i = m->wanted.items[n];
			enum value_kind kind = kind_of(g, i);

			for (const struct attributed_site *s = begin; s < end && kind != NO_VALUE;
			     s++)
				if (may_tell(m, s, kind) && is_of(m, s, n) &&
				    (kind == VALUE_TARGET ? give_targets(m, s, first + i)
							  : give_values(m, s, first + i, kind)))
					return -1;
		}
	}
	return 0;
}

/* ---- all ----------------------------------------------------------------------------------- */

static int number_sites(struct value_sets *v, const struct notes_index *keys)
{
	const struct notes_function *f;
	const struct gcc_value_site *s;
	size_t objects = 0, count = 0;

	vector_each (&keys->functions, f)
		objects = f->object >= objects ? f->object + 1 : objects;
	if (vector_reserve(&v->kinds, objects * COUNTER_KINDS + 1))
		return -1;
	v->kinds.count = objects * COUNTER_KINDS;
	memset(v->kinds.items, 0, v->kinds.count * sizeof(*v->kinds.items));
	vector_each (&keys->functions, f) {
		if (vector_add(&v->first, count))
			return -1;
		count += f->graph->values.count;
		vector_each (&f->graph->values, s)
			v->kinds.items[f->object * COUNTER_KINDS + s->kind] = true;
	}
	return 0;
}

static int give_all(struct maker *m, const struct rounds *r)
{
	const struct round_instance *i;
	const struct attributed_site *s = m->all->sites.items, *begin,
				     *end = vector_at(&m->all->sites, m->all->sites.count);

	while (s < end) {
		for (begin = s; s < end && s->function == begin->function &&
				notes_place_is(&s->place, &begin->place);
		     s++)
			;
		if (give_place(m, begin, s))
			return -1;
	}
	vector_each (&r->instances, i)
		if (i->caller != NOTES_NONE && give_inlined(m, i))
			return -1;
	return 0;
}

/* Where calls at sites went: few of a program's branches. */
static int find_branches(struct maker *m, const struct branch_profile *p)
{
	const struct attributed_site *s;
	struct map places = {0};
	int rc = 0;

	vector_each (&m->all->sites, s)
		if (!map_at(&places, s->address, 0))
			rc = -1;
	if (!rc)
		rc = cfg_branches_init_leaving(&m->branches, p, &places);
	map_deinit(&places);
	return rc;
}

int value_sets_make(struct value_sets *v, const struct rounds *r, const struct branch_profile *p,
		    uint64_t scale, const struct value_profile *values, uint64_t least)
{
	struct maker m = {.out = v,
			  .keys = r->keys,
			  .all = r->attributions,
			  .scale = scale,
			  .values = values};
	int rc = -1;

	v->least = least;
	if (!find_branches(&m, p) && (!values || !value_profile_table(values, &m.table)) &&
	    !number_sites(v, r->keys) && !give_all(&m, r))
		rc = value_profile_table(&v->seen, &v->table);
	cfg_branches_deinit(&m.branches);
	value_profile_table_deinit(&m.table);
	vector_deinit(&m.inner);
	vector_deinit(&m.wanted);
	return rc;
}

/* ---- sets ---------------------------------------------------------------------------------- */

/* The ident by which an object calls a function: that of its own copy, if it has one. */
static uint32_t ident_of(const struct notes_index *k, uint32_t function, uint32_t object)
{
	const struct notes_function *f = &k->functions.items[function], *other;
	const struct map_entry *e = map_find(&k->by_name, f->name, 0);

	for (uint32_t i = e ? (uint32_t)e->n : 0; i; i = k->next_named.items[i - 1]) {
		other = &k->functions.items[i - 1];
		if (other->same_as == function && other->object == object)
			return other->graph->ident;
	}
	return f->graph->ident;
}

struct writer {
	const struct value_sets *v;
	const struct notes_index *keys;
	const struct notes_function *f;
	uint64_t *blocks;
	VECTOR(uint32_t) order; /* sites, as their counters stand in the file */
	VECTOR(struct value_count) values;
};

static int write_site(struct writer *w, uint32_t i, struct counter_set *set)
{
	const struct gcc_function *g = w->f->graph;
	const struct gcc_value_site *of = &g->values.items[i];
	enum value_kind kind = kind_of(g, i);
	const struct value_site *seen = value_profile_find(
		&w->v->seen, w->v->first.items[w->f->same_as] + i, kind);
	struct value_counters_site site = {.kind = of->kind, .block_count = w->blocks[of->block]};

	if (of->kind == COUNTER_KIND_INTERVAL)
		site.interval_steps = of->count - 2;
	w->values.count = 0;
	if (seen && seen->samples >= w->v->least) {
		size_t at = (size_t)(seen - w->v->seen.sites.items);

		for (size_t n = w->v->table.begins[at]; n < w->v->table.begins[at + 1]; n++) {
			struct value_count c = w->v->table.counts[n];

			if (kind == VALUE_TARGET && c.value)
				c.value = ident_of(w->keys, (uint32_t)c.value - 1, w->f->object);
			if (vector_add(&w->values, c))
				return -1;
		}
		site.values = w->values.items;
		site.value_count = w->values.count;
		site.runs = seen->runs;
	}
	return value_counters_add(set, &site);
}

/* All sites in order. 1; 0 if some are not known: gcc takes no sets with gaps; -1 without memory.
 */
static int find_order(struct writer *w)
{
	const struct gcc_function *g = w->f->graph;
	uint32_t words[COUNTER_KINDS] = {0};

	for (bool any = true; any;) {
		any = false;
		for (uint32_t i = 0; i < g->values.count; i++) {
			const struct gcc_value_site *s = &g->values.items[i];

			if (s->first != words[s->kind] || s->block >= g->block_count)
				continue;
			if (vector_add(&w->order, i))
				return -1;
			words[s->kind] += s->count;
			any = true;
		}
	}
	return w->order.count == g->values.count && !g->values_lost;
}

static int write_sets(struct writer *w, struct counter_function *to)
{
	const struct gcc_function *g = w->f->graph;

	for (enum counter_kind k = COUNTER_KIND_INTERVAL; k < COUNTER_KIND_TIME; k++) {
		struct counter_set *set;

		if (!w->v->kinds.items[w->f->object * COUNTER_KINDS + k])
			continue;
		set = counter_function_add(to, k);
		if (!set)
			return -1;
		for (size_t i = 0; i < w->order.count; i++)
			if (g->values.items[w->order.items[i]].kind == k &&
			    write_site(w, w->order.items[i], set))
				return -1;
	}
	return 0;
}

int value_sets_add(const struct value_sets *v, const struct notes_index *keys,
		   const struct notes_function *f, const uint64_t *arcs,
		   struct counter_function *to)
{
	struct writer w = {.v = v, .keys = keys, .f = f};
	int rc;

	w.blocks = memory_alloc_array(f->graph->block_count + 1u, sizeof(*w.blocks));
	if (!w.blocks)
		return -1;
	if (arcs)
		instance_arcs_blocks(f->graph, arcs, w.blocks);
	rc = find_order(&w);
	if (rc > 0)
		rc = write_sets(&w, to);
	memory_free(w.blocks);
	vector_deinit(&w.order);
	vector_deinit(&w.values);
	return rc;
}
