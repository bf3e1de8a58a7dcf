/* SPDX-License-Identifier: MIT */
#include "compare/counter_check.h"

#include "base/error.h"
#include "base/order.h"
#include "compare/counter_names.h"
#include "converter/gcc/files/arc_flow.h"
#include "formats/model/source_profile.h"

const char *counter_fault_name(enum counter_fault fault)
{
	static const char *const names[] = {
		[COUNTER_FAULT_NONE] = "",
		[COUNTER_FAULT_FLOW] = "negative flow",
		[COUNTER_FAULT_VALUE] = "values do not add up",
		[COUNTER_FAULT_FULL] = "full counter",
	};

	return names[fault];
}

const char *counter_match_name(enum counter_match match)
{
	static const char *const names[] = {
		[COUNTER_SAME] = "unchanged",
		[COUNTER_MOVED] = "other lines",
		[COUNTER_CHANGED] = "other control flow",
		[COUNTER_GONE] = "gone",
	};

	return names[match];
}

/* ---- faults -------------------------------------------------------------------------------- */

static bool is_full(const struct counter_function *f)
{
	const struct counter_set *s = counter_function_set(f, COUNTER_KIND_ARCS);
	const uint64_t *count;

	if (s)
		vector_each (&s->counts, count)
			if (*count >= INT64_MAX)
				return true;
	return false;
}

/* How many values the @number-th list of the set is of; false: there is no such. */
static bool list_total(const struct counter_set *s, size_t number, uint64_t *total)
{
	for (size_t i = 0; i + 1 < s->counts.count; number--) {
		uint64_t values = s->counts.items[i + 1];

		if (!number) {
			*total = counter_list_total(s->counts.items[i]);
			return true;
		}
		if (values > (s->counts.count - i - 2) / 2)
			return false;
		i += 2 + 2 * values;
	}
	return false;
}

static bool words_total(const struct counter_set *s, const struct gcc_value_site *site,
			uint64_t *total)
{
	*total = 0;
	if (site->first > s->counts.count || site->count > s->counts.count - site->first)
		return false;
	for (uint32_t i = 0; i < site->count; i++)
		*total = source_count_add(*total, s->counts.items[site->first + i]);
	return true;
}

/* Lists stand in the order of their sites' words. */
static size_t list_number(const struct gcc_function *g, const struct gcc_value_site *site)
{
	const struct gcc_value_site *other;
	size_t number = 0;

	vector_each (&g->values, other)
		number += other->kind == site->kind && other->first < site->first;
	return number;
}

/* Are a site's values as many as its block ran? Where nothing was seen at all, gcc does nothing. */
static bool site_adds_up(const struct counter_function *f, const struct gcc_function *g,
			 const struct gcc_value_site *site, const struct arc_flow *flow)
{
	const struct counter_set *s = counter_function_set(f, site->kind);
	uint64_t total = 0;
	bool known = false;

	if (!s || site->block >= flow->blocks.count)
		return true;
	if (site->kind == COUNTER_KIND_TOPN || site->kind == COUNTER_KIND_INDIRECT)
		known = list_total(s, list_number(g, site), &total);
	else if (site->kind == COUNTER_KIND_INTERVAL || site->kind == COUNTER_KIND_POW2)
		known = words_total(s, site, &total);
	return !known || !total || total == flow->blocks.items[site->block];
}

static bool values_add_up(const struct counter_function *f, const struct gcc_function *g,
			  const struct arc_flow *flow)
{
	const struct gcc_value_site *site;

	if (!g->values_lost)
		vector_each (&g->values, site)
			if (!site_adds_up(f, g, site, flow))
				return false;
	return true;
}

/* ---- one function -------------------------------------------------------------------------- */

static int check_graph(struct counter_check *c, const struct counter_function *f,
		       const struct gcc_function *g, struct counter_verdict *v)
{
	const uint64_t *count;
	struct arc_flow flow;
	int rc = arc_flow_solve(g, counter_function_set(f, COUNTER_KIND_ARCS), &flow);

	if (!rc && v->total) {
		c->blocks += flow.blocks.count;
		vector_each (&flow.blocks, count)
			c->blocks_run += *count != 0;
	}
	if (rc > 0 || flow.untrue)
		v->fault = COUNTER_FAULT_FLOW;
	else if (!rc && !values_add_up(f, g, &flow))
		v->fault = COUNTER_FAULT_VALUE;
	arc_flow_deinit(&flow);
	return rc < 0 ? -1 : 0;
}

static void check_time(struct counter_check *c, const struct counter_function *f)
{
	const struct counter_set *time = counter_function_set(f, COUNTER_KIND_TIME);

	/* which recordings do not tell (docs/counters.md) */
	c->instrumented |= time && time->counts.count && time->counts.items[0];
}

struct sources {
	struct counter_keys own, now;
	const struct counter_keys *newest; /* either */
	struct counter_names names;
};

static int check_function(struct counter_check *c, const struct counter_entry *entry,
			  const struct sources *from)
{
	const struct counter_function *f = entry->function;
	struct counter_key own = counter_keys_find(&from->own, f);
	struct counter_verdict v = {.ident = f->ident, .total = entry->total};
	const char *name = counter_keys_name(&from->own, f)
			   ?: counter_keys_name(from->newest, f)
			   ?: counter_names_find(&from->names, f);
	uint32_t number = name ? strings_add_text(c->names, name) : 0;

	if (number == STRINGS_NONE)
		return -1;
	v.name = number ? strings_text(c->names, number) : NULL;
	v.match = c->has_keys ? counter_keys_find(from->newest, f).match : COUNTER_SAME;
	if (own.match <= COUNTER_MOVED && check_graph(c, f, own.function, &v))
		return -1;
	if (!v.fault && is_full(f))
		v.fault = COUNTER_FAULT_FULL;
	check_time(c, f);
	c->executed += v.total != 0;
	c->total = source_count_add(c->total, v.total);
	c->matched[v.match] = source_count_add(c->matched[v.match], v.total);
	c->untrue = source_count_add(c->untrue, v.fault ? v.total : 0);
	c->covered += v.match <= COUNTER_MOVED;
	return vector_add(&c->functions, v);
}

/* ---- the whole ----------------------------------------------------------------------------- */

ORDER_BY(by_total, struct counter_verdict, ORDER_DOWN(total) ?: ORDER_UP(ident));

/* Functions of the keys; those that several objects have are one. */
static uint64_t count_keys(const struct counter_keys *k)
{
	const struct key_object *o;
	const struct gcc_function *f;
	struct map seen = {0};
	uint64_t count = 0;

	vector_each (&k->keys.objects, o)
		vector_each (&o->graph.functions, f)
			map_at(&seen, f->ident,
			       (uint64_t)f->lineno_checksum << 32 | f->cfg_checksum);
	count = seen.count;
	map_deinit(&seen);
	return count;
}

static int open_sources(struct sources *from, const struct counter_directory *d, const char *keys,
			const char *now, const struct binary *binary, struct softlbr_error *e)
{
	int rc = counter_keys_open(&from->own, d, keys, true, e);

	from->newest = &from->own;
	if (!rc && now) {
		rc = counter_keys_open(&from->now, d, now, false, e);
		from->newest = &from->now;
	}
	return rc || !binary ? rc : counter_names_read(&from->names, binary, e);
}

static int check_list(struct counter_check *c, const struct counter_directory *d,
		      const struct sources *from)
{
	const struct counter_entry *entry;
	struct counter_list list;
	int rc = counter_list_make(&list, d);

	vector_each (&list.items, entry)
		rc = rc ?: check_function(c, entry, from);
	counter_list_deinit(&list);
	vector_sort(&c->functions, by_total);
	return rc;
}

int counter_check_make(struct counter_check *out, const struct counter_directory *d,
		       const char *keys, const char *now, const struct binary *binary,
		       struct softlbr_error *e)
{
	struct sources from = {0};
	int rc;

	*out = (struct counter_check){.names = strings_new(),
				      .objects = d->objects.count,
				      .runs = counter_directory_runs(d)};
	rc = out->names ? open_sources(&from, d, keys, now, binary, e) : error_set_nomem(e);
	out->has_keys = counter_keys_known(from.newest ? from.newest : &from.own);
	if (!rc && check_list(out, d, &from))
		rc = error_set_nomem(e);
	out->keyed = rc ? 0 : count_keys(from.newest);
	out->note = from.own.note;
	from.own.note.keys = NULL; /* the check's now */
	counter_keys_deinit(&from.own);
	counter_keys_deinit(&from.now);
	counter_names_deinit(&from.names);
	return rc;
}

void counter_check_deinit(struct counter_check *c)
{
	vector_deinit(&c->functions);
	counter_note_deinit(&c->note);
	strings_free(c->names);
}
