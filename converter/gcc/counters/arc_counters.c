/* SPDX-License-Identifier: MIT */
#include "converter/gcc/counters/arc_counters.h"

#include "base/error.h"

void arc_counters_deinit(struct arc_counters *c)
{
	rounds_deinit(&c->rounds);
	value_sets_deinit(&c->values);
	attributions_deinit(&c->attributions);
	notes_index_deinit(&c->keys);
}

static const uint64_t *arcs_of(const struct arc_counters *c, const struct notes_function *f)
{
	return c->rounds.functions.items[f->same_as].arcs;
}

/* gcc takes for hot what is not HOT_SHARE times rarer than the greatest counter of the program, as
 * the files' summaries give it (param hot-bb-count-fraction). */
#define HOT_SHARE 10000
/* A recording's is given so many times too small: what no sample was taken in can then be hot and
 * yet be next to nothing. */
#define SAMPLED_SHARE 10
/* Code in which no sample was taken ran less than 1 / UNSEEN_SHARE of it, as far as is known. */
#define UNSEEN_SHARE 100

static void find_most(struct arc_counters *c, bool sampled)
{
	const struct notes_function *f;

	vector_each (&c->keys.functions, f) {
		const uint64_t *arcs = arcs_of(c, f);

		for (size_t i = 0; arcs && i < f->graph->arcs.count; i++)
			if (!(f->graph->arcs.items[i].flags & GCC_ARC_TREE) && arcs[i] > c->most)
				c->most = arcs[i];
	}
	if (sampled)
		c->most = c->most / SAMPLED_SHARE + 1;
}

/* More than this of what ran is at columns that the keys' lines do not have: those of the keys are
 * others. */
#define MANY_WITHOUT 0.25

/* Is it so? Then other lines are not missing, too. */
static bool columns_differ(const struct attribution_stats *s)
{
	uint64_t in_functions = s->weight - s->no_debug - s->line_zero - s->foreign;
	uint64_t no_column = s->no_key - s->no_line;

	return (double)no_column > MANY_WITHOUT * (double)in_functions && s->no_line < no_column;
}

/* Let the functions whose columns differ do without. */
static void drop_columns(struct arc_counters *c)
{
	const struct attributed_function *all = c->attributions.functions.items;
	uint64_t most = 0;

	for (uint32_t i = 0; i < c->attributions.functions.count; i++) {
		if ((double)all[i].no_column <= MANY_WITHOUT * (double)all[i].weight)
			continue;
		notes_index_drop_columns(&c->keys, i);
		c->without_columns++;
		if (all[i].weight <= most)
			continue;
		most = all[i].weight;
		c->first_without = strings_text(c->keys.strings, c->keys.functions.items[i].name);
	}
	notes_index_share_descriptions(&c->keys);
}

static int attribute(struct arc_counters *c, struct binary *b, const struct branch_profile *p,
		     uint64_t scale, struct softlbr_error *e)
{
	int rc = attributions_make(b, p, scale, &c->keys, &c->attributions, e);

	if (rc || !columns_differ(&c->attributions.stats))
		return rc;
	drop_columns(c);
	attributions_deinit(&c->attributions);
	c->attributions = (struct attributions){0};
	return attributions_make(b, p, scale, &c->keys, &c->attributions, e);
}

int arc_counters_make(struct arc_counters *c, struct binary *b, const struct branch_profile *p,
		      uint64_t scale, enum arc_guesses guesses, struct softlbr_error *e)
{
	int rc = notes_index_finish(&c->keys) ? error_set_nomem(e) : attribute(c, b, p, scale, e);

	if (!rc && rounds_run(&c->rounds, &c->keys, &c->attributions))
		rc = error_set_nomem(e);
	if (!rc)
		find_most(c, guesses != ARC_GUESSES_NONE);
	/* gcc makes what never ran small and slow, wherever it is: not what may only be rare */
	if (!rc && guesses != ARC_GUESSES_NONE &&
	    round_guesses_add(&c->rounds, guesses == ARC_GUESSES_ALL, c->most / HOT_SHARE + 1,
			      c->most / UNSEEN_SHARE + 1))
		rc = error_set_nomem(e);
	return rc;
}

/* With fewer samples of a site its most frequent value may be sampling noise. */
#define VALUE_SAMPLES 20

int arc_counters_add_values(struct arc_counters *c, const struct branch_profile *p, uint64_t scale,
			    bool sampled, const struct value_profile *values,
			    struct softlbr_error *e)
{
	return value_sets_make(&c->values, &c->rounds, p, scale, values,
			       sampled ? VALUE_SAMPLES : 1)
		       ? error_set_nomem(e)
		       : 0;
}

static int add_function(const struct arc_counters *c, const struct notes_function *f,
			struct counter_profile *out)
{
	struct counter_function *to = counter_profile_add(out);
	struct counter_set *set = to ? counter_function_add(to, COUNTER_KIND_ARCS) : NULL;
	const uint64_t *arcs = arcs_of(c, f);

	if (!set)
		return -1;
	to->ident = f->graph->ident;
	to->lineno_checksum = f->graph->lineno_checksum;
	to->cfg_checksum = f->graph->cfg_checksum;
	for (size_t i = 0; i < f->graph->arcs.count; i++) {
		if (f->graph->arcs.items[i].flags & GCC_ARC_TREE)
			continue;
		if (vector_add(&set->counts, arcs ? arcs[i] : 0))
			return -1;
	}
	return value_sets_add(&c->values, &c->keys, f, arcs, to);
}

/* The first function of an object: they are in the order of their objects. */
static size_t first_function(const struct notes_index *k, uint32_t object)
{
	const struct notes_function *f;

	return vector_count_while(&k->functions, f, f->object < object);
}

int arc_counters_of_object(const struct arc_counters *c, uint32_t object, const struct gcc_graph *g,
			   struct counter_profile *out)
{
	*out = (struct counter_profile){.version = g->version,
					.stamp = g->stamp,
					.has_summary = true,
					.runs = 1,
					.sum_max = c->most < UINT32_MAX ? (uint32_t)c->most
									: UINT32_MAX};
	for (size_t i = first_function(&c->keys, object);
	     i < c->keys.functions.count && c->keys.functions.items[i].object == object; i++)
		if (add_function(c, &c->keys.functions.items[i], out))
			return -1;
	return 0;
}
