/* SPDX-License-Identifier: MIT */
#include "converter/cfg/smooth.h"

#include "base/error.h"
#include "base/memory.h"

/* One that was recorded counts so much at most, and the sum of all about so much at least. */
#define UNIT_MOST 64
#define FINE_SUM  (UINT64_C(1) << 18)

struct smoother {
	struct binary *binary;
	const struct branch_profile *clean;
	const struct flow_solver *solver;
	struct branch_profile *out;
	struct smooth_stats *stats;
	struct block_finder *finder;
	struct cfg_branches branches;
	struct map done; /* (function's begin, 0): its branches have been written */
};

static void count_moved(struct smooth_stats *stats, const struct cfg *cfg)
{
	for (size_t i = 0; i < cfg->segments.count; i++) {
		const struct flow_count *c = &cfg->network.nodes.items[i];

		stats->segments += c->measured;
		stats->moved += c->flow > c->measured ? c->flow - c->measured
						      : c->measured - c->flow;
		stats->woken += !c->measured && c->flow;
	}
}

static uint64_t left_to_simplex(const struct flow_stats *s)
{
	return s->too_large + s->given_up;
}

enum flow_outcome smooth_flow(struct cfg *cfg, const struct binary_function *f,
			      const struct flow_solver *solver, struct smooth_stats *stats)
{
	struct flow_stats before = stats->flow;
	enum flow_outcome outcome = flow_solve(&cfg->network, solver, &stats->flow);
	uint64_t left = left_to_simplex(&before);

	stats->outcomes[outcome]++;
	count_moved(stats, cfg);
	if (left < SMOOTH_LEFT_NAMED && left < left_to_simplex(&stats->flow))
		stats->left[left] = (struct smooth_left){
			.function = f->name,
			.nodes = stats->flow.solved[0] - before.solved[0],
			.arcs = stats->flow.solved[1] - before.solved[1],
			.too_large = stats->flow.too_large > before.too_large,
		};
	return outcome;
}

static int copy_ranges(struct smoother *s, struct map_entry *const *ranges, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (branch_profile_add_range(s->out, ranges[i]->a, ranges[i]->b, ranges[i]->n))
			return -1;
	return 0;
}

/* @ranges: those of the function. */
static int smooth_function(struct smoother *s, const struct binary_function *f,
			   struct map_entry *const *ranges, size_t n)
{
	const struct blocks *blocks = block_finder_get(s->finder, f);
	enum flow_outcome outcome;
	struct cfg cfg = {0};
	int rc = -1;

	if (!blocks)
		return -1;
	s->stats->functions++;
	if (blocks->code->gaps || !blocks->code->count) {
		s->stats->gaps++;
		return copy_ranges(s, ranges, n);
	}
	if (cfg_make(&cfg, s->binary, blocks, &s->branches, ranges, n))
		goto out;
	outcome = smooth_flow(&cfg, f, s->solver, s->stats);
	if (outcome != FLOW_SOLVED && outcome != FLOW_CONSISTENT)
		rc = outcome == FLOW_NO_MEMORY ? -1 : copy_ranges(s, ranges, n);
	else if (map_at(&s->done, f->begin, 0))
		rc = cfg_write(&cfg, s->clean, &s->branches, s->out);
out:
	cfg_deinit(&cfg);
	return rc;
}

/* Branches that no smoothed function makes stay as they are. */
static int copy_branches(struct smoother *s)
{
	for (struct map_entry *e = NULL; (e = map_next(&s->clean->branches, e));) {
		const struct binary_function *f = e->a == BRANCH_OUTSIDE
							  ? NULL
							  : binary_function_at(s->binary, e->a);

		if ((!f || !map_find(&s->done, f->begin, 0)) &&
		    branch_profile_add_branch(s->out, e->a, e->b, e->n, e->m))
			return -1;
	}
	return 0;
}

static int copy_rest(const struct branch_profile *from, struct branch_profile *to)
{
	to->build_id = from->build_id;
	if (from->path) {
		to->path = memory_copy_string(from->path);
		if (!to->path)
			return -1;
	}
	for (struct map_entry *e = NULL; (e = map_next(&from->samples, e));)
		if (branch_profile_add_event(to, e->a, e->b, e->n, e->m))
			return -1;
	return 0;
}

static int smooth_functions(struct smoother *s)
{
	struct map_entry **sorted = map_sorted(&s->clean->ranges);
	size_t n = s->clean->ranges.count, length;
	int rc = sorted || !n ? 0 : -1;

	for (size_t i = 0; i < n && !rc; i += length) {
		const struct binary_function *f = binary_function_run(s->binary, sorted + i, n - i,
								      &length);

		rc = f ? smooth_function(s, f, sorted + i, length)
		       : copy_ranges(s, sorted + i, length);
	}
	memory_free(sorted);
	return rc;
}

static uint64_t unit_of(const struct branch_profile *p)
{
	uint64_t sum = 0;

	for (struct map_entry *e = NULL; sum < FINE_SUM && (e = map_next(&p->branches, e));)
		sum += e->n < FINE_SUM ? e->n : FINE_SUM;
	for (struct map_entry *e = NULL; sum < FINE_SUM && (e = map_next(&p->ranges, e));)
		sum += e->n < FINE_SUM ? e->n : FINE_SUM;
	if (!sum || sum >= FINE_SUM)
		return 1;
	return sum < FINE_SUM / UNIT_MOST ? UNIT_MOST : FINE_SUM / sum;
}

/* @fine (zeroed): @p with its branches and ranges counted in @unit. 0, or -1 without memory. */
static int refine(struct branch_profile *fine, const struct branch_profile *p, uint64_t unit)
{
	for (struct map_entry *e = NULL; (e = map_next(&p->branches, e));)
		if (branch_profile_add_branch(fine, e->a, e->b, e->n * unit, e->m * unit))
			return -1;
	for (struct map_entry *e = NULL; (e = map_next(&p->ranges, e));)
		if (branch_profile_add_range(fine, e->a, e->b, e->n * unit))
			return -1;
	return 0;
}

static int smooth_counts(struct smoother *s, const struct branch_profile *clean)
{
	int rc = -1;

	s->clean = clean;
	cfg_branches_weigh(&s->branches, clean);
	s->finder = block_finder_new(s->binary, clean);
	if (s->finder && !cfg_branches_init(&s->branches, clean) && !smooth_functions(s) &&
	    !copy_branches(s))
		rc = 0;
	block_finder_free(s->finder);
	cfg_branches_deinit(&s->branches);
	map_deinit(&s->done);
	return rc;
}

int smooth_branches(struct binary *b, const struct branch_profile *clean,
		    const struct flow_solver *solver, struct branch_profile *smooth,
		    struct smooth_stats *stats, struct softlbr_error *e)
{
	struct smoother s = {.binary = b, .solver = solver, .out = smooth, .stats = stats};
	struct branch_profile fine = {0};
	int rc = -1;

	*stats = (struct smooth_stats){.unit = unit_of(clean)};
	if (!copy_rest(clean, smooth) && (stats->unit == 1 || !refine(&fine, clean, stats->unit)) &&
	    !smooth_counts(&s, stats->unit == 1 ? clean : &fine))
		rc = 0;
	branch_profile_deinit(&fine);
	return rc ? error_set_nomem(e) : 0;
}
