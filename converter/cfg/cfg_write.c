/* SPDX-License-Identifier: MIT */
#include "converter/cfg/cfg_write.h"

#include "base/memory.h"

struct writer {
	const struct branch_profile *seen;
	const struct cfg_branches *branches; /* those of it */
	struct branch_profile *out;
};

/* ---- ranges: the flow along fall-throughs, first in first out --------------------------------*/

struct waiting {
	uint64_t begin, n;
};

/* Ranges that have begun and not ended yet, the oldest first. */
struct range_queue {
	VECTOR(struct waiting) ranges;
	size_t head;
};

/* @n of those that came first end at @end. */
static int end_ranges(struct writer *w, struct range_queue *q, uint64_t end, uint64_t n)
{
	while (n && q->head < q->ranges.count) {
		struct waiting *first = &q->ranges.items[q->head];
		uint64_t part = first->n < n ? first->n : n;

		if (part && branch_profile_add_range(w->out, first->begin, end, part))
			return -1;
		first->n -= part;
		n -= part;
		q->head += !first->n;
	}
	return 0;
}

/* How much of each segment's flow runs on into the next. */
static uint64_t *falls_of(const struct cfg *cfg)
{
	uint64_t *falls = memory_alloc_array(cfg->segments.count + 1, sizeof(*falls));

	for (size_t i = 0; falls && i < cfg->network.edges.count; i++)
		if (cfg->kinds.items[i] == CFG_FALL)
			falls[cfg->network.edges.items[i].from] +=
				cfg->network.edges.items[i].count.flow;
	return falls;
}

static int write_ranges(struct writer *w, const struct cfg *cfg)
{
	uint64_t *falls = falls_of(cfg), before = 0;
	struct range_queue q = {0};
	int rc = falls ? 0 : -1;

	for (size_t i = 0; i < cfg->segments.count && !rc; i++) {
		const struct cfg_segment *p = &cfg->segments.items[i];
		uint64_t flow = cfg->network.nodes.items[i].flow;

		if (flow > before) {
			struct waiting *last = vector_push(&q.ranges);

			if (!last)
				rc = -1;
			else
				*last = (struct waiting){p->begin, flow - before};
		}
		if (!rc && flow > falls[i])
			rc = end_ranges(w, &q, p->last, flow - falls[i]);
		before = falls[i];
	}
	vector_deinit(&q.ranges);
	memory_free(falls);
	return rc;
}

/* ---- branches -------------------------------------------------------------------------------*/

static uint64_t part_of(uint64_t whole, uint64_t part, uint64_t sum)
{
	return (uint64_t)((__uint128_t)whole * part / sum);
}

/* @items[0..count) of one instruction are to be @total in all, in proportion. */
static int write_share(struct writer *w, const struct cfg_branch *const *items, size_t count,
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
		if (n && branch_profile_add_branch(w->out, b->from, b->to, n,
						   part_of(n, mispredicted, b->n)))
			return -1;
	}
	return 0;
}

/*
 * Calls, or what leaves the function at the end of a segment: @total in all. Not seen, but needed:
 * by the instruction's own target, or to nowhere that is known.
 */
static int write_leaving(struct writer *w, const struct cfg *cfg, size_t i, uint64_t total)
{
	const struct cfg_segment *p = &cfg->segments.items[i];
	const struct cfg_segment *first = cfg->segments.items,
				 *last = first + cfg->segments.count - 1;
	VECTOR(const struct cfg_branch *) items = {0};
	size_t k = cfg_branches_from(w->branches, p->last);
	int rc = 0;

	for (; k < w->branches->by_from.count && w->branches->by_from.items[k].from == p->last;
	     k++) {
		const struct cfg_branch *b = &w->branches->by_from.items[k], **slot;
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
		rc = write_share(w, items.items, items.count, total);
	else if (!rc && total)
		rc = branch_profile_add_branch(w->out, p->last,
					       p->target ? p->target : BRANCH_OUTSIDE, total, 0);
	vector_deinit(&items);
	return rc;
}

static int write_jump(struct writer *w, const struct cfg *cfg, const struct flow_edge *e)
{
	uint64_t from = cfg->segments.items[e->from].last, to = cfg->segments.items[e->to].begin;
	const struct map_entry *seen = map_find(&w->seen->branches, from, to);
	uint64_t n = e->count.flow, mispredicted = 0;

	if (seen && seen->n)
		mispredicted = part_of(n, seen->m < seen->n ? seen->m : seen->n, seen->n);
	return n ? branch_profile_add_branch(w->out, from, to, n, mispredicted) : 0;
}

static int write_branches(struct writer *w, const struct cfg *cfg)
{
	const struct flow_edge *e;

	vector_each (&cfg->network.edges, e) {
		uint8_t kind = cfg->kinds.items[e - cfg->network.edges.items];

		if (kind == CFG_JUMP && write_jump(w, cfg, e))
			return -1;
		if (kind == CFG_EXIT && isa_is_branch(cfg->segments.items[e->from].kind) &&
		    !isa_is_call(cfg->segments.items[e->from].kind) &&
		    write_leaving(w, cfg, e->from, e->count.flow))
			return -1;
	}
	for (size_t i = 0; i < cfg->segments.count; i++)
		if (isa_is_call(cfg->segments.items[i].kind) &&
		    write_leaving(w, cfg, i, cfg->network.nodes.items[i].flow))
			return -1;
	return 0;
}

int cfg_write(const struct cfg *cfg, const struct branch_profile *seen,
	      const struct cfg_branches *branches, struct branch_profile *out)
{
	struct writer w = {seen, branches, out};

	return write_branches(&w, cfg) || write_ranges(&w, cfg) ? -1 : 0;
}

int cfg_write_branches(const struct cfg *cfg, const struct branch_profile *seen,
		       const struct cfg_branches *branches, struct branch_profile *out)
{
	struct writer w = {seen, branches, out};

	return write_branches(&w, cfg);
}
