/* SPDX-License-Identifier: MIT */
#include "converter/update/source_update.h"

#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "converter/update/function_names.h"

struct updating {
	struct source_update *u;
	struct function_pairs *pairs;
	const struct source_profile *from;
	struct source_profile *to;
	VECTOR(struct function_hint) hints;   /* by a name's number in from */
	VECTOR(struct function_pair *) found; /* the same; NULL: not asked for yet */
	VECTOR(uint64_t) lost;		      /* the same: counts */
};

static const char *name_of(const struct updating *x, uint32_t name)
{
	return strings_text(x->from->strings, name);
}

/* An offset as profiles store it, modulo 65536, from its function's line on. */
static int32_t offset_of(int32_t stored)
{
	return (int16_t)stored == stored ? stored : (int16_t)(stored & 0xffff);
}

/* ---- what the profile knows of its functions ----------------------------------------------- */

static void reach_to(struct function_hint *hint, int32_t stored)
{
	int32_t line = offset_of(stored);

	if (line > 0 && (uint32_t)line > hint->reach)
		hint->reach = (uint32_t)line;
}

static void read_hints(struct updating *x, const struct source_function *f)
{
	struct function_hint *hint = &x->hints.items[f->name];
	const struct source_callsite *c;
	const struct source_line *l;

	if (f->file)
		hint->file = name_of(x, f->file);
	vector_each (&f->lines, l)
		if (l->count)
			reach_to(hint, l->at.line);
	vector_each (&f->callsites, c) {
		reach_to(hint, c->at.line);
		read_hints(x, &c->callee);
	}
}

static int updating_begin(struct updating *x)
{
	const struct source_function *f;

	while (x->hints.count < strings_count(x->from->strings))
		if (vector_add(&x->hints, (struct function_hint){.file = ""}) ||
		    !vector_push(&x->found) || !vector_push(&x->lost))
			return -1;
	vector_each (&x->from->functions, f)
		read_hints(x, f);
	return 0;
}

static struct function_pair *pair_of(struct updating *x, uint32_t name)
{
	struct function_pair **slot = &x->found.items[name];

	if (!*slot)
		*slot = function_pairs_find(x->pairs, name_of(x, name), x->hints.items[name]);
	return *slot;
}

/* The number in to's strings of what a function is called; STRINGS_NONE without memory. */
static uint32_t new_name(struct updating *x, uint32_t name)
{
	const struct function_pair *pair = pair_of(x, name);
	const char *text = pair ? strings_text(x->pairs->strings, pair->name) : NULL;

	return text ? strings_add_text(x->to->strings, text) : STRINGS_NONE;
}

/* ---- lines ---------------------------------------------------------------------------------- */

static void count_line(struct updating *x, const struct source_function *f,
		       const struct source_line *l, enum update_kind kind)
{
	struct update_funnel *funnel = &x->u->funnel;

	funnel->lines[kind]++;
	funnel->weight[kind] = source_count_add(funnel->weight[kind], l->count);
	if (kind == UPDATE_LOST)
		x->lost.items[f->name] = source_count_add(x->lost.items[f->name], l->count);
}

/* What became of a position, which is changed accordingly. */
static enum update_kind move_position(const struct function_pair *pair, struct source_position *at)
{
	int64_t line = (int64_t)pair->before_line + offset_of(at->line), moved;

	if (line < pair->before->begin_line || line > pair->before->end_line)
		return UPDATE_OUTSIDE; /* of an included file */
	moved = function_pair_line(pair, (uint32_t)line);
	if (!moved)
		return UPDATE_LOST;
	moved -= pair->after_line;
	if (moved == offset_of(at->line))
		return UPDATE_SAME;
	at->line = (int32_t)moved & 0xffff;
	return UPDATE_MOVED;
}

static enum update_kind kind_of_line(struct function_pair *pair, struct source_position *at)
{
	enum update_kind kind;

	if (pair->kind == UPDATE_OUTSIDE || pair->kind == UPDATE_LOST)
		return pair->kind;
	kind = move_position(pair, at);
	if (kind == UPDATE_OUTSIDE || kind == UPDATE_LOST || pair->kind != UPDATE_RENAMED) {
		if (kind != UPDATE_OUTSIDE && kind != UPDATE_SAME && pair->kind == UPDATE_SAME)
			pair->kind = UPDATE_MOVED;
		return kind;
	}
	return UPDATE_RENAMED;
}

static int move_line(struct updating *x, struct function_pair *pair,
		     const struct source_function *from, const struct source_line *l,
		     struct source_function *to)
{
	struct source_position at = l->at;
	enum update_kind kind = kind_of_line(pair, &at);
	struct source_line *line;
	const struct source_target *t;

	count_line(x, from, l, kind);
	x->u->changed |= kind != UPDATE_OUTSIDE && kind != UPDATE_SAME;
	if (kind == UPDATE_LOST)
		return 0;
	line = source_function_line(to, at);
	if (!line)
		return -1;
	line->count = source_count_add(line->count, l->count);
	vector_each (&l->targets, t) {
		uint32_t name = new_name(x, t->name);

		if (name == STRINGS_NONE || source_line_add_target(line, name, t->count))
			return -1;
		x->u->changed |= pair_of(x, t->name)->kind == UPDATE_RENAMED;
	}
	return 0;
}

/* ---- functions ------------------------------------------------------------------------------ */

static int move_body(struct updating *x, const struct source_function *from,
		     struct source_function *to);

/* How often an inlined function was entered: as often as its first line ran. */
static uint64_t entries_of(const struct source_function *f)
{
	const struct source_line *first = f->lines.items;

	return f->lines.count ? first->count : 0;
}

/* Give what was inlined to the function itself. */
static int release_inlined(struct updating *x, const struct source_function *f)
{
	struct source_function moved = {.name = new_name(x, f->name)}, *own;
	int rc = moved.name == STRINGS_NONE ? -1 : move_body(x, f, &moved);

	x->u->changed = true;
	if (!rc && (moved.lines.count || moved.callsites.count)) {
		own = source_profile_function(x->to, moved.name);
		rc = own ? source_function_merge(own, &moved, NULL) : -1;
		if (!rc)
			own->head = source_count_add(own->head, entries_of(f));
	}
	source_function_deinit(&moved);
	return rc;
}

/* Where a call is whose line changed: at the only one that names the callee. */
static bool find_call(struct updating *x, const struct function_pair *pair, uint32_t callee,
		      struct source_position *at)
{
	const struct function_pair *called = pair_of(x, callee);
	const struct c_function *f = called ? called->after : NULL;
	uint32_t line = f ? function_pairs_line_with(x->pairs, pair,
						     strings_text(x->pairs->strings, f->plain))
			  : 0;

	at->line = (int32_t)(line - pair->after_line) & 0xffff;
	return line;
}

static int move_callsite(struct updating *x, struct function_pair *pair,
			 const struct source_callsite *c, struct source_function *to)
{
	struct source_position at = c->at;
	enum update_kind kind = kind_of_line(pair, &at);
	const struct function_pair *callee = pair_of(x, c->callee.name);
	struct source_function *inlined;
	uint32_t name;

	if (!callee)
		return -1;
	if (callee->kind == UPDATE_LOST ||
	    (kind == UPDATE_LOST &&
	     (pair->kind == UPDATE_LOST || !find_call(x, pair, c->callee.name, &at))))
		return release_inlined(x, &c->callee);
	x->u->changed |= kind != UPDATE_OUTSIDE && kind != UPDATE_SAME;
	name = new_name(x, c->callee.name);
	inlined = name == STRINGS_NONE ? NULL : source_function_callee(to, at, name);
	return inlined ? move_body(x, &c->callee, inlined) : -1;
}

static void take_facts(struct updating *x, const struct function_pair *pair,
		       const struct source_function *from, struct source_function *to)
{
	const struct c_function *f = pair->after;
	const char *file = from->file ? name_of(x, from->file) : "";

	to->head = source_count_add(to->head, from->head);
	to->first_run_ns = order_least_known(to->first_run_ns, from->first_run_ns);
	if (f && from->file && f->file != pair->before->file)
		file = file_base_name(x->pairs->after.tree.files.items[f->file].path);
	if (*file && !to->file)
		to->file = strings_add_text(x->to->strings, file);
}

static int move_body(struct updating *x, const struct source_function *from,
		     struct source_function *to)
{
	struct function_pair *pair = pair_of(x, from->name);
	const struct source_callsite *c;
	const struct source_line *l;

	if (!pair)
		return -1;
	x->u->changed |= pair->kind == UPDATE_RENAMED || pair->kind == UPDATE_LOST;
	if (pair->kind != UPDATE_LOST)
		take_facts(x, pair, from, to);
	vector_each (&from->lines, l)
		if (move_line(x, pair, from, l, to))
			return -1;
	vector_each (&from->callsites, c)
		if (move_callsite(x, pair, c, to))
			return -1;
	return to->file == STRINGS_NONE ? -1 : 0;
}

/* A function that is lost leaves what was inlined into it. */
static int move_function(struct updating *x, const struct source_function *from)
{
	struct function_pair *pair = pair_of(x, from->name);
	struct source_function *to, moved = {0};
	uint32_t name = pair ? new_name(x, from->name) : STRINGS_NONE;
	int rc;

	if (name == STRINGS_NONE)
		return -1;
	moved.name = name;
	rc = move_body(x, from, &moved);
	if (!rc && pair->kind != UPDATE_LOST) {
		to = source_profile_function(x->to, name);
		rc = to ? source_function_merge(to, &moved, NULL) : -1;
		if (!rc && !x->u->changed)
			to->stored_total = from->stored_total;
	}
	source_function_deinit(&moved);
	return rc;
}

/* ---- what came of it ------------------------------------------------------------------------ */

ORDER_BY(compare_losses, struct update_loss, ORDER_DOWN(weight) ?: strcmp(a->name, b->name));

static int list_losses(struct updating *x)
{
	for (uint32_t name = 0; name < x->found.count; name++) {
		const struct function_pair *pair = x->found.items[name];

		if (!pair || !x->lost.items[name])
			continue;
		if (vector_add(&x->u->losses,
			       (struct update_loss){
				       .name = strings_text(x->pairs->strings,
							    strings_find(x->pairs->strings,
									 name_of(x, name),
									 strlen(name_of(x, name)))),
				       .weight = x->lost.items[name],
				       .whole = pair->kind == UPDATE_LOST,
				       .other_parameters = pair->other_parameters}))
			return -1;
	}
	vector_sort(&x->u->losses, compare_losses);
	return 0;
}

/* Functions that have lines; others are only called. */
static void count_functions(struct updating *x, const struct source_function *f, struct map *seen)
{
	const struct source_callsite *c;
	struct map_entry *e = map_at(seen, (uint64_t)f->name + 1, 0);

	if (e && !e->n++)
		x->u->funnel.functions[pair_of(x, f->name)->kind]++;
	vector_each (&f->callsites, c)
		count_functions(x, &c->callee, seen);
}

static int update_all(struct updating *x)
{
	const struct source_function *f;
	struct map seen = {0};

	if (updating_begin(x))
		return -1;
	vector_each (&x->from->functions, f)
		if (move_function(x, f))
			return -1;
	vector_each (&x->from->functions, f)
		count_functions(x, f, &seen);
	map_deinit(&seen);
	return list_losses(x) || source_profile_sort(x->to) ? -1 : 0;
}

int source_update_make(struct source_update *u, struct function_pairs *pairs,
		       const struct source_profile *from, struct source_profile *to,
		       struct softlbr_error *e)
{
	struct updating x = {.u = u, .pairs = pairs, .from = from, .to = to};
	int rc = source_profile_init(to);

	to->llvm_producer = from->llvm_producer;
	to->llvm_finished = from->llvm_finished;
	to->dotted_names = from->dotted_names;
	to->md5_names = from->md5_names;
	rc = rc ?: update_all(&x);
	vector_deinit(&x.hints);
	vector_deinit(&x.found);
	vector_deinit(&x.lost);
	return rc ? error_set_nomem(e) : 0;
}

void source_update_deinit(struct source_update *u)
{
	vector_deinit(&u->losses);
}
