/* SPDX-License-Identifier: MIT */
#include "converter/update/counter_update.h"

#include <string.h>

#include "base/error.h"
#include "base/order.h"

/* A graph of fewer blocks is that of many functions. */
#define GRAPH_BLOCKS_LEAST 6

/* A function of the newer keys. */
struct newer {
	const struct gcc_function *function;
	uint32_t object;
};

/* ---- the newer keys' functions -------------------------------------------------------------- */

static int index_function(struct counter_update *u, uint32_t object, size_t number)
{
	const struct key_object *o = &u->after.keys.objects.items[object];
	const struct gcc_function *f = &o->graph.functions.items[number];
	uint32_t name = strings_add_text(u->names, strings_text(o->graph.strings, f->name));
	uint32_t of = strings_add_text(u->names, o->name);

	if (name == STRINGS_NONE || of == STRINGS_NONE)
		return -1;
	for (int any = 0; any < 2; any++) {
		struct map_entry *e = map_at(&u->functions, name, any ? 0 : (uint64_t)of + 1);

		if (!e)
			return -1;
		if (e->n)
			continue;
		e->n = object + 1;
		e->m = number;
	}
	return 0;
}

static int index_newer(struct counter_update *u)
{
	u->names = strings_new();
	for (uint32_t i = 0; u->names && i < u->after.keys.objects.count; i++)
		for (size_t j = 0; j < u->after.keys.objects.items[i].graph.functions.count; j++)
			if (index_function(u, i, j))
				return -1;
	return u->names ? 0 : -1;
}

/* @object: without ".gcda". */
static uint32_t object_name(const struct counter_update *u, const char *object)
{
	size_t length = strlen(object), suffix = strlen(".gcda");

	if (length > suffix && !strcmp(object + length - suffix, ".gcda"))
		length -= suffix;
	return strings_find(u->names, object, length);
}

static struct newer newer_at(const struct counter_update *u, const struct map_entry *e)
{
	struct newer n = {0};

	if (!e)
		return n;
	n.object = (uint32_t)e->n - 1;
	n.function = &u->after.keys.objects.items[n.object].graph.functions.items[e->m];
	return n;
}

static struct newer find_named(const struct counter_update *u, const char *object, const char *name)
{
	uint32_t number = strings_find(u->names, name, strlen(name)), of = object_name(u, object);
	const struct map_entry *e = NULL;

	if (number == STRINGS_NONE)
		return (struct newer){0};
	if (of != STRINGS_NONE)
		e = map_find(&u->functions, number, (uint64_t)of + 1);
	return newer_at(u, e ?: map_find(&u->functions, number, 0));
}

/* Has a function of the older keys' object that name? */
static bool is_old_name(const struct gcc_graph *g, const char *name)
{
	uint32_t number = strings_find(g->strings, name, strlen(name));
	const struct gcc_function *f;

	vector_each (&g->functions, f)
		if (number != STRINGS_NONE && f->name == number)
			return true;
	return false;
}

/* The only function of the object with a new name and the same graph. */
static struct newer find_graph(const struct counter_update *u, const char *object,
			       const struct counter_key *before)
{
	uint32_t of = object_name(u, object);
	const struct key_object *o;
	struct newer found = {0};
	const struct gcc_function *f;

	if (of == STRINGS_NONE || before->function->block_count < GRAPH_BLOCKS_LEAST)
		return found;
	vector_each (&u->after.keys.objects, o) {
		if (strcmp(o->name, strings_text(u->names, of)))
			continue;
		vector_each (&o->graph.functions, f) {
			if (f->cfg_checksum != before->function->cfg_checksum ||
			    is_old_name(before->graph, strings_text(o->graph.strings, f->name)))
				continue;
			if (found.function)
				return (struct newer){0};
			found.function = f;
			found.object = (uint32_t)(o - u->after.keys.objects.items);
		}
	}
	return found;
}

/* ---- what becomes of a function ------------------------------------------------------------- */

static enum update_kind find_newer(const struct counter_update *u, const char *object,
				   const struct counter_function *f, struct newer *out)
{
	struct counter_key key = counter_keys_find(&u->before, f);
	bool named;

	if (key.match == COUNTER_GONE || key.match == COUNTER_CHANGED)
		return UPDATE_OUTSIDE;
	*out = find_named(u, object, strings_text(key.graph->strings, key.function->name));
	named = out->function;
	if (!named)
		*out = find_graph(u, object, &key);
	if (!out->function || out->function->cfg_checksum != f->cfg_checksum)
		return UPDATE_LOST;
	if (!named)
		return UPDATE_RENAMED;
	return out->function->ident == f->ident &&
			       out->function->lineno_checksum == f->lineno_checksum
		       ? UPDATE_SAME
		       : UPDATE_MOVED;
}

static int count_function(struct counter_update *u, const struct counter_function *f,
			  enum update_kind kind, bool found)
{
	const struct counter_set *arcs = counter_function_set(f, COUNTER_KIND_ARCS);
	uint64_t weight = counter_function_total(f);
	struct update_loss loss = {
		.name = counter_keys_name(&u->before, f), .weight = weight, .whole = !found};

	u->funnel.functions[kind]++;
	u->funnel.lines[kind] += arcs ? arcs->counts.count : 0;
	u->funnel.weight[kind] = source_count_add(u->funnel.weight[kind], weight);
	return kind == UPDATE_LOST && weight ? vector_add(&u->losses, loss) : 0;
}

/* Targets of calls by pointers are idents. */
static void rename_targets(const struct counter_update *u, struct counter_set *set)
{
	uint64_t *at = set->counts.items, *end = at + set->counts.count;

	while (end - at >= 2) {
		uint64_t values = at[1];

		for (at += 2; values && end - at >= 2; values--, at += 2) {
			const struct map_entry *e = map_find(&u->idents, at[0], 0);

			if (e)
				at[0] = e->n - 1;
		}
	}
}

static int copy_function(const struct counter_update *u, const struct counter_function *from,
			 const struct gcc_function *f, struct counter_profile *to)
{
	struct counter_function *out = counter_profile_add(to);
	const struct counter_set *set;

	if (!out)
		return -1;
	out->ident = f->ident;
	out->lineno_checksum = f->lineno_checksum;
	out->cfg_checksum = f->cfg_checksum;
	vector_each (&from->sets, set) {
		struct counter_set *copy = counter_function_add(out, set->kind);
		const uint64_t *count;

		if (!copy)
			return -1;
		vector_each (&set->counts, count)
			if (vector_add(&copy->counts, *count))
				return -1;
		if (set->kind == COUNTER_KIND_INDIRECT)
			rename_targets(u, copy);
	}
	return 0;
}

/* ---- all ------------------------------------------------------------------------------------ */

typedef int function_call(struct counter_update *u, const struct counter_object *o,
			  const struct counter_function *f, enum update_kind kind,
			  const struct newer *newer, void *context);

static int each_function(struct counter_update *u, const struct counter_directory *from,
			 function_call *call, void *context)
{
	const struct counter_object *o;
	const struct counter_function *f;

	vector_each (&from->objects, o)
		vector_each (&o->counters.functions, f) {
			struct newer newer = {0};
			enum update_kind kind;

			if (f->absent)
				continue;
			kind = find_newer(u, o->name, f, &newer);
			if (call(u, o, f, kind, &newer, context))
				return -1;
		}
	return 0;
}

static int note_function(struct counter_update *u, const struct counter_object *o,
			 const struct counter_function *f, enum update_kind kind,
			 const struct newer *newer, void *context)
{
	struct map_entry *e = newer->function ? map_at(&u->idents, f->ident, 0) : NULL;

	(void)o;
	(void)context;
	if (newer->function && !e)
		return -1;
	if (e)
		e->n = (uint64_t)newer->function->ident + 1;
	return count_function(u, f, kind, newer->function);
}

/* One of each of the newer keys' objects. */
static int make_objects(const struct counter_update *u, const struct counter_directory *from,
			struct counter_directory *to)
{
	const struct key_object *o;

	vector_each (&u->after.keys.objects, o) {
		struct counter_object *object = vector_push(&to->objects);

		if (object)
			object->name = memory_format("%s.gcda", o->name);
		if (!object || !object->name)
			return -1;
		object->counters.version = o->graph.version;
		object->counters.stamp = o->graph.stamp;
		object->counters.has_summary = true;
		object->counters.runs = counter_directory_runs(from);
		object->counters.sum_max = counter_directory_sum_max(from);
	}
	return 0;
}

/* Of two counters of one function the first is taken: those of an inline function are the same. */
static int carry_function(struct counter_update *u, const struct counter_object *o,
			  const struct counter_function *f, enum update_kind kind,
			  const struct newer *newer, void *to)
{
	struct counter_directory *d = to;
	struct counter_profile *p = &d->objects.items[newer->object].counters;
	const struct counter_function *there;

	if (kind == UPDATE_LOST || kind == UPDATE_OUTSIDE)
		return 0;
	if (kind == UPDATE_SAME && !p->checksum)
		p->checksum = o->counters.checksum;
	vector_each (&p->functions, there)
		if (there->ident == newer->function->ident &&
		    there->lineno_checksum == newer->function->lineno_checksum)
			return 0;
	return copy_function(u, f, newer->function, p);
}

static void drop_empty_objects(struct counter_directory *d)
{
	struct counter_object *o, *keep = d->objects.items;

	vector_each (&d->objects, o) {
		if (o->counters.functions.count) {
			*keep++ = *o;
			continue;
		}
		memory_free(o->name);
		counter_profile_deinit(&o->counters);
	}
	d->objects.count = (size_t)(keep - d->objects.items);
}

ORDER_BY(compare_losses, struct update_loss,
	 ORDER_DOWN(weight) ?: strcmp(a->name ?: "", b->name ?: ""));

static int open_keys(struct counter_update *u, const struct counter_directory *from,
		     const char *before, const char *after, struct softlbr_error *e)
{
	int rc = counter_keys_open(&u->before, from, before, false, e)
			 ?: counter_keys_open(&u->after, from, after, false, e);

	if (!rc && !counter_keys_known(&u->before))
		rc = error_set(e, SOFTLBR_E_INPUT, from->path,
			       "the keys that %s was made with are not known: give them with "
			       "--old-keys",
			       from->path);
	return rc;
}

int counter_update_make(struct counter_update *u, const struct counter_directory *from,
			const char *before, const char *after, struct counter_directory *to,
			struct softlbr_error *e)
{
	int rc = open_keys(u, from, before, after, e);

	*to = (struct counter_directory){0};
	if (rc)
		return rc;
	if (index_newer(u) || each_function(u, from, note_function, NULL) ||
	    make_objects(u, from, to) || each_function(u, from, carry_function, to))
		return error_set_nomem(e);
	drop_empty_objects(to);
	vector_sort(&u->losses, compare_losses);
	return 0;
}

void counter_update_deinit(struct counter_update *u)
{
	counter_keys_deinit(&u->before);
	counter_keys_deinit(&u->after);
	strings_free(u->names);
	u->names = NULL;
	map_deinit(&u->functions);
	map_deinit(&u->idents);
	vector_deinit(&u->losses);
}
