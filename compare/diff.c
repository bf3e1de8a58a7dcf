/* SPDX-License-Identifier: MIT */
#include "compare/diff.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "compare/confidence.h"
#include "converter/gcc/files/gcc_graph.h"

/* ---- scores of counters -------------------------------------------------------------------- */

/* Both sides of a function; either may be NULL. */
struct both {
	const struct counter_function *of[2];
};

static double minimum(double a, double b)
{
	return a < b ? a : b;
}

static double total_of(const struct counter_function *f)
{
	const struct counter_set *s = f ? counter_function_set(f, COUNTER_KIND_ARCS) : NULL;
	const uint64_t *count;
	double total = 0;

	if (s)
		vector_each (&s->counts, count)
			total += (double)*count;
	return total;
}

static bool same_graph(const struct both *b)
{
	return b->of[0] && b->of[1] && b->of[0]->cfg_checksum == b->of[1]->cfg_checksum &&
	       b->of[0]->lineno_checksum == b->of[1]->lineno_checksum;
}

/* The sum of the minima of the arcs' counts, each side divided by its @whole. */
static double arcs_overlap(const struct both *b, const double whole[2])
{
	const struct counter_set *x, *y;
	double sum = 0;

	if (!same_graph(b))
		return 0;
	x = counter_function_set(b->of[0], COUNTER_KIND_ARCS);
	y = counter_function_set(b->of[1], COUNTER_KIND_ARCS);
	for (size_t i = 0; x && y && i < x->counts.count && i < y->counts.count; i++)
		sum += minimum((double)x->counts.items[i] / whole[0],
			       (double)y->counts.items[i] / whole[1]);
	return sum;
}

static void compare_pair(struct counter_comparison *c, struct counter_pair *p, const struct both *b,
			 unsigned reference)
{
	double shared = c->total[0] > 0 && c->total[1] > 0 ? arcs_overlap(b, c->total) : 0;

	for (unsigned side = 0; side < 2; side++)
		p->share[side] = c->total[side] > 0 ? p->total[side] / c->total[side] : 0;
	p->differ = b->of[0] && b->of[1] && !same_graph(b);
	p->arcs = p->total[0] > 0 && p->total[1] > 0 ? arcs_overlap(b, p->total) : NAN;
	p->lost = p->share[reference] - shared;
	c->arcs += shared;
	c->function += minimum(p->share[0], p->share[1]);
}

ORDER_BY(by_ident, struct counter_function *const, order_numbers((*a)->ident, (*b)->ident));

typedef VECTOR(const struct counter_function *) function_list;

static int list_functions_of(const struct counter_profile *p, function_list *out)
{
	const struct counter_function *f;

	vector_each (&p->functions, f) {
		const struct counter_function **slot = f->absent ? NULL : vector_push(out);

		if (slot)
			*slot = f;
		else if (!f->absent)
			return -1;
	}
	vector_sort(out, by_ident);
	return 0;
}

/* The next function of either list, by ident. */
static struct both next_pair(const function_list lists[2], size_t at[2])
{
	struct both b = {0};

	for (unsigned side = 0; side < 2; side++)
		if (at[side] < lists[side].count)
			b.of[side] = lists[side].items[at[side]];
	if (b.of[0] && b.of[1] && b.of[0]->ident != b.of[1]->ident)
		b.of[b.of[0]->ident < b.of[1]->ident] = NULL;
	for (unsigned side = 0; side < 2; side++)
		at[side] += b.of[side] != NULL;
	return b;
}

static int pair_functions(struct counter_comparison *c, const function_list lists[2],
			  unsigned reference)
{
	size_t at[2] = {0, 0};
	struct both b;

	for (unsigned side = 0; side < 2; side++)
		for (size_t i = 0; i < lists[side].count; i++)
			c->total[side] += total_of(lists[side].items[i]);
	for (b = next_pair(lists, at); b.of[0] || b.of[1]; b = next_pair(lists, at)) {
		struct counter_pair *p = vector_push(&c->pairs);

		if (!p)
			return -1;
		p->ident = (b.of[0] ? b.of[0] : b.of[1])->ident;
		p->total[0] = total_of(b.of[0]);
		p->total[1] = total_of(b.of[1]);
		compare_pair(c, p, &b, reference);
	}
	return 0;
}

/* @reference: whose shares are missed by `lost`. 0, or -1 without memory. */
static int counter_score_compare(const struct counter_profile *first,
				 const struct counter_profile *second, unsigned reference,
				 struct counter_comparison *out)
{
	function_list lists[2] = {{0}};
	int rc;

	*out = (struct counter_comparison){0};
	rc = list_functions_of(first, &lists[0]) || list_functions_of(second, &lists[1])
		     ? -1
		     : pair_functions(out, lists, reference);
	vector_deinit(&lists[0]);
	vector_deinit(&lists[1]);
	return rc;
}

/* ---- levels -------------------------------------------------------------------------------- */

static const struct {
	const char *name, *meaning;
} levels[DIFF_LEVELS] = {
	[DIFF_FUNCTION] = {"function", "function weights"},
	[DIFF_LINE] = {"line", "source lines, by inline stack"},
	[DIFF_EDGE] = {"edge", "taken branches and fall-throughs of conditional jumps"},
	[DIFF_BRANCH] = {"branch", "taken branches"},
	[DIFF_WITHIN] = {"within", "edges within each function"},
	[DIFF_JUMP] = {"jump", "conditional jumps, taken and not taken"},
	[DIFF_CALL] = {"call", "calls and their targets"},
};

const char *diff_level_name(enum diff_level level)
{
	return levels[level].name;
}

const char *diff_level_meaning(enum diff_level level)
{
	return levels[level].meaning;
}

/* ---- branches ------------------------------------------------------------------------------ */

static int list_functions(struct diff *d)
{
	struct edge_functions functions = {0};
	const struct edge_function *f;
	size_t count;
	const struct binary_function *all = binary_functions(d->binary, &count);
	int rc = edge_score_functions(&d->edges, d->reference, &functions);

	vector_each (&functions.items, f) {
		struct diff_function *to = rc ? NULL : vector_push(&d->functions);

		if (!to) {
			rc = -1;
			break;
		}
		*to = (struct diff_function){.name = "(no symbol)",
					     .share = {f->share[0], f->share[1]},
					     .within = f->within,
					     .lost = f->lost};
		if (f->function == EDGE_NO_FUNCTION)
			continue;
		to->name = all[f->function].name;
		to->va = all[f->function].begin;
	}
	vector_deinit(&functions.items);
	return rc;
}

static int compare_branches(struct diff *d, bool no_confidence, struct softlbr_error *e)
{
	int rc = edges_make(&d->edges, d->binary, &d->sides[0].counts.branches,
			    &d->sides[1].counts.branches, e);

	if (!rc &&
	    (edge_score_compare(&d->edges, d->reference, &d->edge_score) || list_functions(d)))
		rc = error_set_nomem(e);
	if (rc)
		return rc;
	edge_score_levels(&d->edge_score, d->scores);
	return no_confidence ? 0 : confidence_estimate(d, e);
}

/* ---- source profiles ----------------------------------------------------------------------- */

ORDER_BY(by_loss, struct diff_function,
	 order_reals(b->lost, a->lost)
	 ?: order_reals(b->share[0] + b->share[1], a->share[0] + a->share[1])
	 ?: strcmp(a->name, b->name));

static int list_source_functions(struct diff *d)
{
	const struct source_pair *p;

	vector_each (&d->source.pairs, p) {
		if (vector_add(
			    &d->functions,
			    (struct diff_function){.name = strings_text(d->source.names, p->name),
						   .share = {p->share[0], p->share[1]},
						   .within = p->line,
						   .lost = p->lost}))
			return -1;
	}
	vector_sort(&d->functions, by_loss);
	return 0;
}

static int compare_sources(struct diff *d, bool flatten, struct softlbr_error *e)
{
	int rc = 0;

	for (unsigned side = 0; side < 2; side++) {
		rc = side_read_source(&d->sides[side], d->binary, e);
		if (!rc && !d->sides[side].counts.has_source)
			return d->has_edges
				       ? 0
				       : error_set(
						 e, SOFTLBR_E_INPUT, binary_path(d->binary),
						 "%s has no debug information for what ran, which "
						 "a comparison with a source profile needs",
						 binary_path(d->binary));
		if (rc)
			return rc;
	}
	rc = side_name_alike(d->sides, e) ?: side_lines_alike(d->sides, e);
	for (unsigned side = 0; side < 2 && flatten && !rc; side++)
		rc = side_flatten(&d->sides[side], e);
	if (rc)
		return rc;
	d->has_source = true;
	if (source_score_compare(&d->sides[0].counts.source, &d->sides[1].counts.source,
				 d->reference, &d->source))
		return error_set_nomem(e);
	for (unsigned side = 0; side < 2; side++)
		if (d->source.total[side] <= 0)
			return error_set(e, SOFTLBR_E_EMPTY, d->sides[side].path,
					 "%s has no counts at source lines", d->sides[side].path);
	d->scores[DIFF_LINE] = d->source.score.line;
	if (d->has_edges)
		return 0;
	d->scores[DIFF_FUNCTION] = d->source.score.function;
	d->scores[DIFF_CALL] = d->source.score.call;
	return list_source_functions(d) ? error_set_nomem(e) : 0;
}

/* ---- counters of gcc's control-flow graphs ------------------------------------------------- */

/* By the .gcno beside the .gcda, else by number. */
static const char *counter_name(struct diff *d, const struct gcc_graph *g, uint32_t ident)
{
	const struct gcc_function *f = gcc_graph_function(g, ident);
	char number[32];
	uint32_t name;

	snprintf(number, sizeof(number), "function %" PRIu32, ident);
	name = strings_add_text(d->names, f ? strings_text(g->strings, f->name) : number);
	return name == STRINGS_NONE ? NULL : strings_text(d->names, name);
}

static int list_counters(struct diff *d, const struct gcc_graph *g)
{
	const struct counter_pair *p;

	vector_each (&d->counters.pairs, p) {
		struct diff_function *to = vector_push(&d->functions);

		if (!to)
			return -1;
		*to = (struct diff_function){.name = counter_name(d, g, p->ident),
					     .share = {p->share[0], p->share[1]},
					     .within = p->arcs,
					     .lost = p->lost};
		if (!to->name)
			return -1;
	}
	vector_sort(&d->functions, by_loss);
	return 0;
}

static int score_counters(struct diff *d, const struct counter_profile sides[2],
			  struct softlbr_error *e)
{
	struct gcc_graph graph;
	int rc;

	d->names = strings_new();
	if (!d->names || counter_score_compare(&sides[0], &sides[1], d->reference, &d->counters) ||
	    gcno_read_beside(d->sides[0].path, sides[0].stamp, &graph))
		return error_set_nomem(e);
	rc = list_counters(d, &graph) ? error_set_nomem(e) : 0;
	gcc_graph_deinit(&graph);
	for (unsigned side = 0; side < 2 && !rc; side++)
		if (d->counters.total[side] <= 0)
			rc = error_set(e, SOFTLBR_E_EMPTY, d->sides[side].path,
				       "%s has no counts: nothing of it was executed",
				       d->sides[side].path);
	d->scores[DIFF_FUNCTION] = d->counters.function;
	d->scores[DIFF_EDGE] = d->counters.arcs;
	return rc;
}

static int compare_counters(struct diff *d, struct softlbr_error *e)
{
	struct counter_profile sides[2] = {{0}};
	int rc = 0;

	for (unsigned side = 0; side < 2 && !rc; side++) {
		const struct side *c = &d->sides[side];

		if (c->kind != PROFILE_GCDA)
			rc = error_set(e, SOFTLBR_E_INPUT, c->path,
				       "%s is %s, and %s is gcda: counters of gcc's control-flow "
				       "graphs are compared with counters of the same build alone",
				       c->path, profile_kind_name(c->kind), d->sides[!side].path);
		else
			rc = gcda_read_bytes(c->view.data, c->view.size, c->path, &sides[side], e);
	}
	d->has_counters = true;
	if (!rc)
		rc = score_counters(d, sides, e);
	counter_profile_deinit(&sides[0]);
	counter_profile_deinit(&sides[1]);
	return rc;
}

/* ---- both ---------------------------------------------------------------------------------- */

static int open_binary(struct diff *d, const struct diff_options *options, struct softlbr_error *e)
{
	bool needed = options->binary_path;

	for (unsigned side = 0; side < 2; side++)
		needed |= !profile_kind_is_source(d->sides[side].kind);
	if (!needed)
		return 0;
	d->binary = side_open_binary(d->sides, 2, options->binary_path, options->search, e);
	return d->binary ? 0 : -e->code;
}

static int read_branches(struct diff *d, struct softlbr_error *e)
{
	d->has_edges = true;
	for (unsigned side = 0; side < 2; side++) {
		struct side *c = &d->sides[side];
		int rc = 0;

		if (profile_kind_is_source(c->kind))
			d->has_edges = false;
		else
			rc = side_read_branches(c, d->binary, e);
		if (rc)
			return rc;
	}
	return 0;
}

int diff_make(struct diff *out, const struct diff_options *options, struct softlbr_error *e)
{
	int rc = 0;

	*out = (struct diff){0};
	for (int level = 0; level < DIFF_LEVELS; level++) {
		out->scores[level] = NAN;
		out->confidence[level] = (struct diff_confidence){NAN, NAN, NAN};
	}
	for (unsigned side = 0; side < 2 && !rc; side++) {
		out->sides[side].progress = options->progress;
		rc = side_open(&out->sides[side], options->paths[side], options->frequencies, e);
	}
	out->reference = !(out->sides[0].exact && !out->sides[1].exact);
	if (!rc && (out->sides[0].kind == PROFILE_GCDA || out->sides[1].kind == PROFILE_GCDA))
		return compare_counters(out, e);
	if (!rc)
		rc = open_binary(out, options, e);
	if (!rc)
		rc = read_branches(out, e);
	if (!rc && out->has_edges)
		rc = compare_branches(out, options->no_confidence, e);
	return rc ?: compare_sources(out, options->flatten, e);
}

void diff_deinit(struct diff *d)
{
	side_deinit(&d->sides[0]);
	side_deinit(&d->sides[1]);
	edges_deinit(&d->edges);
	source_score_deinit(&d->source);
	vector_deinit(&d->counters.pairs);
	strings_free(d->names);
	vector_deinit(&d->functions);
	binary_close(d->binary);
}
