/* SPDX-License-Identifier: MIT */
#include "compare/diff.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static const struct {
	const char *name, *meaning;
} levels[DIFF_LEVELS] = {
	[DIFF_FUNCTION] = {"function", "weights of functions"},
	[DIFF_EDGE] = {"edge", "taken branches and ways past conditional jumps"},
	[DIFF_BRANCH] = {"branch", "taken branches"},
	[DIFF_WITHIN] = {"within", "edges within each function"},
	[DIFF_JUMP] = {"jump", "conditional jumps, both ways"},
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

enum diff_level diff_level_of(const char *name)
{
	int level = 0;

	while (level < DIFF_LEVELS && strcmp(levels[level].name, name))
		level++;
	return (enum diff_level)level;
}

static int list_functions(struct diff *d)
{
	struct edge_functions functions = {0};
	const struct edge_function *f;
	size_t count;
	const struct binary_function *all = binary_functions(d->binary, &count);
	int rc = edge_functions(&d->edges, d->reference, &functions);

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

static int compare_branches(struct diff *d, struct softlbr_error *e)
{
	const struct edge_score *s = &d->edge_score;
	int rc = edges_make(&d->edges, d->binary, &d->sides[0].branches, &d->sides[1].branches, e);

	if (!rc && (edge_score(&d->edges, d->reference, &d->edge_score) || list_functions(d)))
		rc = error_set_nomem(e);
	if (rc)
		return rc;
	d->scores[DIFF_FUNCTION] = s->function;
	d->scores[DIFF_EDGE] = s->edge;
	d->scores[DIFF_BRANCH] = s->branch;
	d->scores[DIFF_WITHIN] = s->within;
	d->scores[DIFF_JUMP] = s->jump;
	d->scores[DIFF_CALL] = s->call;
	return 0;
}

static int open_binary(struct diff *d, const struct diff_options *options, struct softlbr_error *e)
{
	if (!options->binary_path)
		return error_set(e, SOFTLBR_E_USAGE, options->paths[0],
				 "%s is %s, whose addresses mean nothing without the binary: give "
				 "it with --binary",
				 options->paths[0], profile_kind_name(d->sides[0].kind));
	d->binary = binary_open(options->binary_path, e);
	return d->binary ? 0 : -e->code;
}

int diff_make(struct diff *out, const struct diff_options *options, struct softlbr_error *e)
{
	int rc = 0;

	*out = (struct diff){0};
	for (int level = 0; level < DIFF_LEVELS; level++)
		out->scores[level] = NAN;
	for (unsigned side = 0; side < 2 && !rc; side++)
		rc = comparand_open(&out->sides[side], options->paths[side], e);
	out->reference = !(out->sides[0].exact && !out->sides[1].exact);
	if (!rc)
		rc = open_binary(out, options, e);
	for (unsigned side = 0; side < 2 && !rc; side++)
		rc = comparand_read_branches(&out->sides[side], out->binary, e);
	return rc ? rc : compare_branches(out, e);
}

void diff_deinit(struct diff *d)
{
	comparand_deinit(&d->sides[0]);
	comparand_deinit(&d->sides[1]);
	edges_deinit(&d->edges);
	vector_deinit(&d->functions);
	binary_close(d->binary);
}
