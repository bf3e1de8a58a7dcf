/* SPDX-License-Identifier: MIT */
#include "compare/diff.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "compare/confidence.h"
#include "compare/counter_names.h"
#include "compare/counter_score.h"
#include "converter/gcc/files/counter_keys.h"

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

struct counter_side {
	struct counter_directory directory;
	struct counter_list list;
	struct counter_keys keys;
};

/* By the keys of either side, the program, or else by number. */
static const char *counter_name(struct diff *d, const struct counter_side sides[2],
				const struct counter_names *names, const struct counter_pair *p)
{
	const struct counter_function *f = p->of[0] ? p->of[0] : p->of[1];
	const char *known = counter_keys_name(&sides[0].keys, f)
			    ?: counter_keys_name(&sides[1].keys, f)
			    ?: counter_names_find(names, f);
	char number[32];
	uint32_t name;

	snprintf(number, sizeof(number), "function %" PRIu32, f->ident);
	name = strings_add_text(d->names, known ? known : number);
	return name == STRINGS_NONE ? NULL : strings_text(d->names, name);
}

static int list_counters(struct diff *d, const struct counter_side sides[2],
			 const struct counter_names *names, const struct counter_comparison *c)
{
	const struct counter_pair *p;

	vector_each (&c->pairs, p) {
		struct diff_function *to = vector_push(&d->functions);

		if (!to)
			return -1;
		*to = (struct diff_function){.name = counter_name(d, sides, names, p),
					     .share = {p->share[0], p->share[1]},
					     .within = p->arcs,
					     .lost = p->lost};
		if (!to->name)
			return -1;
	}
	vector_sort(&d->functions, by_loss);
	return 0;
}

static int score_counters(struct diff *d, const struct counter_side sides[2],
			  struct softlbr_error *e)
{
	const struct counter_list lists[2] = {sides[0].list, sides[1].list};
	struct counter_names names = {0};
	struct counter_comparison c;
	int rc = d->binary ? counter_names_read(&names, d->binary, e) : 0;

	d->names = strings_new();
	if (counter_score_compare(lists, d->reference, &c) || !d->names ||
	    list_counters(d, sides, &names, &c))
		rc = error_set_nomem(e);
	for (unsigned side = 0; side < 2 && !rc; side++)
		if (!lists[side].total)
			rc = error_set(e, SOFTLBR_E_EMPTY, d->sides[side].path,
				       "%s has no counts: nothing of it was executed",
				       d->sides[side].path);
	d->scores[DIFF_FUNCTION] = c.function;
	d->scores[DIFF_EDGE] = c.arcs;
	d->scores[DIFF_WITHIN] = c.within;
	counter_score_deinit(&c);
	counter_names_deinit(&names);
	return rc;
}

static int read_counters(const struct diff *d, unsigned side, const char *keys,
			 struct counter_side *out, struct softlbr_error *e)
{
	const struct side *c = &d->sides[side];

	if (c->kind != PROFILE_GCDA)
		return error_set(e, SOFTLBR_E_INPUT, c->path,
				 "%s is %s, and %s is gcda: counters of gcc's control-flow graphs "
				 "are compared with counters of the same build alone",
				 c->path, profile_kind_name(c->kind), d->sides[!side].path);
	return counter_directory_read(&out->directory, c->path, c->view.data, c->view.size, e)
		       ?: counter_keys_open(&out->keys, &out->directory, keys, false, e)
		       ?: (counter_list_make(&out->list, &out->directory) ? error_set_nomem(e) : 0);
}

static int compare_counters(struct diff *d, const struct diff_options *options,
			    struct softlbr_error *e)
{
	struct counter_side sides[2] = {0};
	int rc = 0;

	d->has_counters = true;
	for (unsigned side = 0; side < 2 && !rc; side++)
		rc = read_counters(d, side, options->keys_path, &sides[side], e);
	if (!rc && options->binary_path) {
		d->binary = binary_open_with(options->binary_path, options->search, e);
		rc = d->binary ? 0 : -SOFTLBR_E_SYSTEM;
	}
	if (!rc)
		rc = score_counters(d, sides, e);
	for (unsigned side = 0; side < 2; side++) {
		counter_keys_deinit(&sides[side].keys);
		counter_list_deinit(&sides[side].list);
		counter_directory_deinit(&sides[side].directory);
	}
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
		return compare_counters(out, options, e);
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
	strings_free(d->names);
	vector_deinit(&d->functions);
	binary_close(d->binary);
}
