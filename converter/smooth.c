/* SPDX-License-Identifier: MIT */
#include "converter/smooth.h"

#include "base/error.h"
#include "base/memory.h"
#include "converter/cfg.h"

struct smoother {
	struct binary *binary;
	const struct branch_profile *clean;
	struct branch_profile *out;
	struct smooth_stats *stats;
	struct block_finder *finder;
	struct cfg_branches branches;
	struct map done; /* (function's begin, 0): its branches have been written */
};

/* ---- ranges: the flow along fall-throughs, first in first out --------------------------------*/

struct waiting {
	uint64_t begin, n;
};

struct liner {
	VECTOR(struct waiting) queue;
	size_t head;
};

/* @n of those that came first end at @end. */
static int end_ranges(struct smoother *s, struct liner *l, uint64_t end, uint64_t n)
{
	while (n && l->head < l->queue.count) {
		struct waiting *w = &l->queue.items[l->head];
		uint64_t part = w->n < n ? w->n : n;

		if (part && branch_profile_add_range(s->out, w->begin, end, part))
			return -1;
		w->n -= part;
		n -= part;
		l->head += !w->n;
	}
	return 0;
}

/* How much of each piece's flow runs on into the next. */
static uint64_t *falls_of(const struct cfg *cfg)
{
	uint64_t *falls = memory_alloc_array(cfg->pieces.count + 1, sizeof(*falls));

	for (size_t i = 0; falls && i < cfg->network.edges.count; i++)
		if (cfg->kinds.items[i] == CFG_FALL)
			falls[cfg->network.edges.items[i].from] +=
				cfg->network.edges.items[i].count.flow;
	return falls;
}

static int write_ranges(struct smoother *s, const struct cfg *cfg)
{
	uint64_t *falls = falls_of(cfg), before = 0;
	struct liner l = {0};
	int rc = falls ? 0 : -1;

	for (size_t i = 0; i < cfg->pieces.count && !rc; i++) {
		const struct cfg_piece *p = &cfg->pieces.items[i];
		uint64_t flow = cfg->network.nodes.items[i].flow;

		if (flow > before) {
			struct waiting *w = vector_push(&l.queue);

			if (!w)
				rc = -1;
			else
				*w = (struct waiting){p->begin, flow - before};
		}
		if (!rc && flow > falls[i])
			rc = end_ranges(s, &l, p->last, flow - falls[i]);
		before = falls[i];
	}
	vector_deinit(&l.queue);
	memory_free(falls);
	return rc;
}

/* ---- branches -------------------------------------------------------------------------------*/

static uint64_t part_of(uint64_t whole, uint64_t part, uint64_t sum)
{
	return (uint64_t)((__uint128_t)whole * part / sum);
}

/* @items[0..count) of one instruction are to be @total in all, in proportion. */
static int write_share(struct smoother *s, const struct cfg_branch *const *items, size_t count,
		       uint64_t total)
{
	__uint128_t sum = 0, reached = 0;
	uint64_t written = 0;

	for (size_t i = 0; i < count; i++)
		sum += items[i]->n;
	if (!sum || sum > UINT64_MAX)
		return 0;
	for (size_t i = 0; i < count; i++) {
		const struct cfg_branch *b = items[i];
		uint64_t upto, n, mispredicted = b->m < b->n ? b->m : b->n;

		reached += b->n;
		upto = part_of(total, (uint64_t)reached, (uint64_t)sum);
		n = upto - written;
		written = upto;
		if (n && branch_profile_add_branch(s->out, b->from, b->to, n,
						   part_of(n, mispredicted, b->n)))
			return -1;
	}
	return 0;
}

/*
 * Calls, or what leaves the function at the end of a piece: @total in all. Not seen, but needed:
 * by the instruction's own target, or to nowhere that is known.
 */
static int write_leaving(struct smoother *s, const struct cfg *cfg, size_t i, uint64_t total)
{
	const struct cfg_piece *p = &cfg->pieces.items[i];
	const struct cfg_piece *first = cfg->pieces.items, *last = first + cfg->pieces.count - 1;
	VECTOR(const struct cfg_branch *) items = {0};
	size_t k = cfg_branches_from(&s->branches, p->last);
	int rc = 0;

	for (; k < s->branches.by_from.count && s->branches.by_from.items[k].from == p->last; k++) {
		const struct cfg_branch *b = &s->branches.by_from.items[k], **slot;
		bool inside = b->to >= first->begin && b->to <= last->last;

		if (!b->n || (inside && !isa_is_call(p->kind) && p->kind != ISA_RETURN))
			continue;
		slot = vector_push(&items);
		if (!slot)
			rc = -1;
		else
			*slot = b;
	}
	if (!rc && items.count)
		rc = write_share(s, items.items, items.count, total);
	else if (!rc && total)
		rc = branch_profile_add_branch(s->out, p->last,
					       p->target ? p->target : BRANCH_OUTSIDE, total, 0);
	vector_deinit(&items);
	return rc;
}

static int write_jump(struct smoother *s, const struct cfg *cfg, const struct flow_edge *e)
{
	uint64_t from = cfg->pieces.items[e->from].last, to = cfg->pieces.items[e->to].begin;
	const struct map_entry *seen = map_find(&s->clean->branches, from, to);
	uint64_t n = e->count.flow, mispredicted = 0;

	if (seen && seen->n)
		mispredicted = part_of(n, seen->m < seen->n ? seen->m : seen->n, seen->n);
	return n ? branch_profile_add_branch(s->out, from, to, n, mispredicted) : 0;
}

static int write_branches(struct smoother *s, const struct cfg *cfg)
{
	const struct flow_edge *e;

	vector_each (&cfg->network.edges, e) {
		uint8_t kind = cfg->kinds.items[e - cfg->network.edges.items];

		if (kind == CFG_JUMP && write_jump(s, cfg, e))
			return -1;
		if (kind == CFG_EXIT && isa_is_branch(cfg->pieces.items[e->from].kind) &&
		    !isa_is_call(cfg->pieces.items[e->from].kind) &&
		    write_leaving(s, cfg, e->from, e->count.flow))
			return -1;
	}
	for (size_t i = 0; i < cfg->pieces.count; i++)
		if (isa_is_call(cfg->pieces.items[i].kind) &&
		    write_leaving(s, cfg, i, cfg->network.nodes.items[i].flow))
			return -1;
	return 0;
}

/* ---- functions ------------------------------------------------------------------------------*/

static void count(struct smoother *s, const struct cfg *cfg)
{
	const struct flow_count *c;

	vector_each (&cfg->network.nodes, c) {
		s->stats->pieces += c->measured;
		s->stats->moved += c->flow > c->measured ? c->flow - c->measured
							 : c->measured - c->flow;
		s->stats->woken += !c->measured && c->flow;
	}
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
	outcome = flow_solve(&cfg.network, &s->stats->flow);
	s->stats->outcomes[outcome]++;
	count(s, &cfg);
	if (outcome != FLOW_SOLVED && outcome != FLOW_CONSISTENT)
		rc = outcome == FLOW_NO_MEMORY ? -1 : copy_ranges(s, ranges, n);
	else if (map_at(&s->done, f->begin, 0) && !write_branches(s, &cfg))
		rc = write_ranges(s, &cfg);
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

static int copy_rest(struct smoother *s)
{
	s->out->build_id = s->clean->build_id;
	if (s->clean->path) {
		s->out->path = memory_copy_string(s->clean->path);
		if (!s->out->path)
			return -1;
	}
	for (struct map_entry *e = NULL; (e = map_next(&s->clean->samples, e));)
		if (branch_profile_add_sample(s->out, e->a, e->n))
			return -1;
	return copy_branches(s);
}

static int smooth_functions(struct smoother *s)
{
	struct map_entry **sorted = map_sorted(&s->clean->ranges);
	size_t n = s->clean->ranges.count, next;
	int rc = sorted || !n ? 0 : -1;

	for (size_t i = 0; i < n && !rc; i = next) {
		const struct binary_function *f = binary_function_at(s->binary, sorted[i]->a);

		for (next = i + 1; next < n; next++)
			if (binary_function_at(s->binary, sorted[next]->a) != f)
				break;
		rc = f ? smooth_function(s, f, sorted + i, next - i)
		       : copy_ranges(s, sorted + i, next - i);
	}
	memory_free(sorted);
	return rc;
}

int smooth(struct binary *b, const struct branch_profile *clean, struct branch_profile *smooth,
	   struct smooth_stats *stats, struct softlbr_error *e)
{
	struct smoother s = {.binary = b, .clean = clean, .out = smooth, .stats = stats};
	int rc = -1;

	*stats = (struct smooth_stats){0};
	s.finder = block_finder_new(b, clean);
	if (s.finder && !cfg_branches_init(&s.branches, clean) && !smooth_functions(&s) &&
	    !copy_rest(&s))
		rc = 0;
	block_finder_free(s.finder);
	cfg_branches_deinit(&s.branches);
	map_deinit(&s.done);
	return rc ? error_set_nomem(e) : 0;
}
