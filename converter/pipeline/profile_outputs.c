/* SPDX-License-Identifier: MIT */
#include "converter/pipeline/profile_outputs.h"

#include "base/error.h"
#include "base/memory.h"
#include "converter/layout/function_orders.h"
#include "formats/preagg.h"
#include "formats/ranges_text.h"

/* The greatest count of a recording is made so great, so that shares of few traces are not lost in
 * rounding; gcc compares counts with one another only. */
#define SCALED_MOST (UINT64_C(1) << 24)
/* Below this share of what ran in functions of the keys, they are keys of something else. */
#define LEAST_KNOWN 0.5

void profile_outputs_deinit(struct profile_outputs *o)
{
	struct profile_counters *other;

	vector_each (&o->others, other) {
		arc_counters_deinit(&other->counters);
		key_directory_deinit(&other->keys);
	}
	vector_deinit(&o->others);
	key_variants_deinit(&o->variants);
	arc_counters_deinit(&o->counters);
	key_directory_deinit(&o->keys);
}

/* Counts of callgrind and of texts are taken for exact. */
static bool is_sampled(const struct conversion *c)
{
	return c->aggregate.result.funnel.samples != 0;
}

/* Exact counts stay as they are. */
static uint64_t scale_of(const struct conversion *c, const struct branch_profile *p)
{
	uint64_t most = 1;

	if (!is_sampled(c))
		return 1;
	for (struct map_entry *e = NULL; (e = map_next(&p->ranges, e));)
		most = e->n > most ? e->n : most;
	return most < SCALED_MOST ? SCALED_MOST / most : 1;
}

/* What one that was recorded counts in these counts. */
static uint64_t unit_of(struct conversion *c)
{
	return conversion_counts_of(c, CONVERSION_COUNTERS) == &c->smoothed ? c->smooth_stats.unit
									    : 1;
}

/* Did what ran stand in the keys? */
static int check(const struct profile_outputs *o, const struct conversion *c, const char *directory,
		 struct softlbr_error *e)
{
	const struct attribution_stats *s = &o->counters.attributions.stats;
	uint64_t in_functions = s->weight - s->no_debug - s->line_zero - s->foreign;

	if (!s->weight)
		return error_set(e, SOFTLBR_E_EMPTY, directory,
				 "no traces of %s have two branches, between which it ran: record "
				 "deeper ones (softlbr record --depth)",
				 binary_path(c->binary));
	if (!in_functions)
		return error_set(e, SOFTLBR_E_BINARY, directory,
				 "%s has no key of any function that ran in %s: it is of another "
				 "program; make it with softlbr gcc-keys from the same sources",
				 directory, binary_path(c->binary));
	if ((double)(in_functions - s->no_key) < LEAST_KNOWN * (double)in_functions)
		return error_set(
			e, SOFTLBR_E_BINARY, directory,
			"of the functions in %s that ran in %s, %.0f %% of the code was made from "
			"statements that the keys do not have: they are of other sources, or of "
			"another version of gcc; make them again with softlbr gcc-keys",
			directory, binary_path(c->binary),
			100.0 * (double)s->no_key / (double)in_functions);
	return 0;
}

/* Object by object: of each what is not needed any more is given back before the next one. */
static int read_keys(struct profile_outputs *o, const char *directory, struct softlbr_error *e)
{
	int rc = key_directory_open(&o->keys, directory, e);

	for (uint32_t i = 0; i < o->keys.objects.count && !rc; i++) {
		struct key_object *object = &o->keys.objects.items[i];

		rc = key_directory_read(&o->keys, i, e);
		if (!rc && (key_variants_add(&o->variants, object->name, &object->graph) ||
			    (key_variants_is_in(&o->variants, i, 0) &&
			     notes_index_add(&o->counters.keys, &object->graph, i))))
			rc = error_set_nomem(e);
		gcc_graph_reduce(&object->graph);
	}
	return rc;
}

/* Those of another variant. */
static int read_keys_again(const struct profile_outputs *o, struct profile_counters *to,
			   uint32_t number, struct softlbr_error *e)
{
	int rc = key_directory_open(&to->keys, o->keys.path, e);

	if (!rc && to->keys.objects.count != o->keys.objects.count)
		rc = error_set(e, SOFTLBR_E_INPUT, o->keys.path,
			       "%s was changed while it was read: convert again", o->keys.path);
	for (uint32_t i = 0; i < o->variants.objects.count && !rc; i++) {
		struct gcc_graph *g = &to->keys.objects.items[i].graph;

		if (!key_variants_is_in(&o->variants, i, number))
			continue;
		rc = key_directory_read(&to->keys, i, e);
		if (!rc && notes_index_add(&to->counters.keys, g, i))
			rc = error_set_nomem(e);
		gcc_graph_reduce(g);
	}
	return rc;
}

/* What all variants are made of. */
struct counted {
	struct conversion *c;
	const struct branch_profile *p;
	uint64_t times;
	enum arc_guesses guesses;
};

static int make_counters(struct arc_counters *to, const struct counted *of, struct softlbr_error *e)
{
	return arc_counters_make(to, of->c->binary, of->p, of->times, of->guesses, e)
		       ?: arc_counters_add_values(to, of->p, of->times, is_sampled(of->c),
						  &of->c->aggregate.result.values, e);
}

static int make_others(struct profile_outputs *o, const struct counted *of, struct softlbr_error *e)
{
	int rc = 0;

	for (uint32_t number = 1; number <= o->variants.most && !rc; number++) {
		struct profile_counters *to = vector_push(&o->others);

		if (!to)
			return error_set_nomem(e);
		*to = (struct profile_counters){0};
		rc = read_keys_again(o, to, number, e) ?: make_counters(&to->counters, of, e);
	}
	return rc;
}

int profile_outputs_make(struct profile_outputs *o, struct conversion *c, const char *directory,
			 bool partial, struct softlbr_error *e)
{
	struct counted of = {.c = c,
			     .p = &conversion_counts_of(c, CONVERSION_COUNTERS)->branches,
			     .guesses = !is_sampled(c) ? ARC_GUESSES_NONE
					: partial      ? ARC_GUESSES_SEEN
						       : ARC_GUESSES_ALL};
	uint64_t unit = unit_of(c);

	of.times = (o->scale ? (o->scale + unit / 2) / unit : scale_of(c, of.p)) ?: 1;
	o->scale = of.times * unit;
	return read_keys(o, directory, e)
	       ?: make_counters(&o->counters, &of, e)
	       ?: make_others(o, &of, e)
	       ?: check(o, c, directory, e);
}

int profile_outputs_of_object(const struct profile_outputs *o, uint32_t object,
			      struct counter_profile *out)
{
	uint32_t number = o->variants.objects.items[object].number;
	const struct profile_counters *other = number ? &o->others.items[number - 1] : NULL;
	const struct key_directory *keys = other ? &other->keys : &o->keys;

	return arc_counters_of_object(other ? &other->counters : &o->counters, object,
				      &keys->objects.items[object].graph, out);
}

static bool same_function(void *context, uint64_t from, uint64_t to)
{
	const struct binary_function *f = binary_function_at(context, from);

	return f && to >= f->begin && to < f->end;
}

int profile_outputs_preagg_to(struct binary *b, const struct branch_profile *p, unsigned bolt,
			      FILE *out, struct softlbr_error *e)
{
	return preagg_write_to(p, same_function, b, bolt, out, e);
}

int profile_outputs_preagg(struct binary *b, const struct branch_profile *p, const char *path,
			   struct softlbr_error *e)
{
	return preagg_write(p, same_function, b, path, e);
}

/* What has no offset is outside. */
static int place_at_offsets(const struct binary *b, const struct branch_profile *p,
			    struct branch_profile *out)
{
	const struct map_entry *i;
	int rc = 0;

	map_each (&p->branches, i) {
		uint64_t from = binary_va_to_offset(b, i->a), to = binary_va_to_offset(b, i->b);

		if (from != BRANCH_OUTSIDE || to != BRANCH_OUTSIDE)
			rc |= branch_profile_add_branch(out, from, to, i->n, i->m);
	}
	map_each (&p->ranges, i)
		rc |= branch_profile_add_range(out, binary_va_to_offset(b, i->a),
					       binary_va_to_offset(b, i->b), i->n);
	map_each (&p->samples, i)
		if (binary_va_to_offset(b, i->a) != BRANCH_OUTSIDE)
			rc |= branch_profile_add_sample(out, binary_va_to_offset(b, i->a), i->n);
	return rc;
}

int profile_outputs_autofdo_to(const struct binary *b, const struct branch_profile *p, FILE *out,
			       struct softlbr_error *e)
{
	struct branch_profile placed = {0};
	int rc = place_at_offsets(b, p, &placed) ? error_set_nomem(e)
						 : ranges_text_write_to(&placed, true, out, e);

	branch_profile_deinit(&placed);
	return rc;
}

int profile_outputs_order(const struct function_graph *g, enum profile_order by, uint32_t *order)
{
	if (by == PROFILE_ORDER_STARTUP)
		return function_orders_by_start(g, order);
	return by == PROFILE_ORDER_HFSORT ? function_orders_by_calls(g, order)
					  : cache_directed_order(g, order);
}

int profile_outputs_order_to(const struct binary *b, const struct branch_profile *p,
			     const struct map *first_runs, enum profile_order by,
			     profile_outputs_order_writer *write, FILE *out,
			     struct softlbr_error *e)
{
	struct function_graph g = {0};
	uint32_t *order = NULL;
	int rc;

	if (by == PROFILE_ORDER_STARTUP && !first_runs->count)
		return error_set(e, SOFTLBR_E_INPUT, NULL,
				 "nothing tells when functions ran first: recordings with times "
				 "do, not counts; without --order=startup functions are ordered "
				 "by their calls");
	rc = function_orders_graph(&g, b, p, first_runs);
	if (!rc)
		order = memory_alloc_array(g.functions.count ?: 1, sizeof(*order));
	if (order)
		rc = profile_outputs_order(&g, by, order);
	rc = order && !rc ? write(&g, order, out, e) : error_set_nomem(e);
	memory_free(order);
	function_graph_deinit(&g);
	return rc;
}
