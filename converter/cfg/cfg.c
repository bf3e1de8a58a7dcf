/* SPDX-License-Identifier: MIT */
#include "converter/cfg/cfg.h"

#include <string.h>

#include "base/memory.h"
#include "base/order.h"

/* While a network is made. */
struct maker {
	struct cfg *cfg;
	struct binary *binary;
	const struct blocks *blocks;
	const struct cfg_branches *branches;
	int64_t *through; /* per segment: ranges that run on from it, first as differences */
	int64_t *covered; /* per segment: ranges over it */
};

ORDER_BY(compare_from, struct cfg_branch, ORDER_UP(from) ?: ORDER_UP(to));

ORDER_BY(compare_to, struct cfg_branch, ORDER_UP(to) ?: ORDER_UP(from));

int cfg_branches_init_leaving(struct cfg_branches *b, const struct branch_profile *p,
			      const struct map *places)
{
	size_t count = 0;

	/* just the room that they take: there may be millions */
	for (struct map_entry *e = NULL; (e = map_next(&p->branches, e));)
		count += !places || map_find(places, e->a, 0);
	b->by_from.items = memory_alloc_array(count, sizeof(*b->by_from.items));
	if (!b->by_from.items)
		return -1;
	b->by_from.capacity = count;
	for (struct map_entry *e = NULL; (e = map_next(&p->branches, e));)
		if (!places || map_find(places, e->a, 0))
			b->by_from.items[b->by_from.count++] = (struct cfg_branch){e->a, e->b, e->n,
										   e->m};
	vector_sort(&b->by_from, compare_from);
	return 0;
}

int cfg_branches_init(struct cfg_branches *b, const struct branch_profile *p)
{
	size_t count = p->branches.count;

	b->by_to.items = memory_alloc_array(count, sizeof(*b->by_to.items));
	if (!b->by_to.items || cfg_branches_init_leaving(b, p, NULL))
		return -1;
	b->by_to.capacity = b->by_to.count = count;
	memcpy(b->by_to.items, b->by_from.items, count * sizeof(*b->by_to.items));
	vector_sort(&b->by_to, compare_to);
	return 0;
}

void cfg_branches_weigh(struct cfg_branches *b, const struct branch_profile *p)
{
	for (struct map_entry *e = NULL; (e = map_next(&p->branches, e));)
		b->arriving += e->b == BRANCH_OUTSIDE ? 0 : e->n;
	for (struct map_entry *e = NULL; (e = map_next(&p->ranges, e));)
		b->ranges += e->n;
}

void cfg_branches_deinit(struct cfg_branches *b)
{
	vector_deinit(&b->by_from);
	vector_deinit(&b->by_to);
}

size_t cfg_branches_from(const struct cfg_branches *b, uint64_t va)
{
	const struct cfg_branch *branch;

	return vector_count_while(&b->by_from, branch, branch->from < va);
}

size_t cfg_branches_to(const struct cfg_branches *b, uint64_t va)
{
	const struct cfg_branch *branch;

	return vector_count_while(&b->by_to, branch, branch->to < va);
}

void cfg_deinit(struct cfg *cfg)
{
	vector_deinit(&cfg->segments);
	flow_network_deinit(&cfg->network);
	vector_deinit(&cfg->kinds);
}

size_t cfg_find(const struct cfg *cfg, uint64_t va)
{
	const struct cfg_segment *s;
	size_t low = vector_count_while(&cfg->segments, s, s->begin <= va);

	return low && va <= cfg->segments.items[low - 1].last ? low - 1 : SIZE_MAX;
}

static bool is_target(const struct cfg_branches *b, uint64_t va)
{
	size_t i = cfg_branches_to(b, va);

	return i < b->by_to.count && b->by_to.items[i].to == va;
}

static int make_segments(struct maker *m)
{
	const struct code *code = m->blocks->code;
	const struct block *block = m->blocks->items.items;
	const struct block *end = block + m->blocks->items.count;
	struct cfg_segment *p = NULL;

	for (size_t i = 0; i < code->count; i++) {
		const struct isa_insn *insn = &code->insns[i];
		bool leader = block < end && block->first == i;

		block += leader;
		if (!p || leader || isa_is_branch(p->kind) || p->kind == ISA_STOP ||
		    is_target(m->branches, insn->address)) {
			p = vector_push(&m->cfg->segments);
			if (!p)
				return -1;
			p->begin = insn->address;
		}
		p->last = insn->address;
		p->kind = insn->kind;
		p->target = insn->target;
	}
	return 0;
}

/*
 * Costs are those of a random sample's likelihood (mcf/flow.h). What was never seen costs
 * more to wake, and to deny what was @seen (not just concluded) more than to wake the path there:
 * traces lose what lies at their ends and invent nothing. Of 100 lines that such a path woke 97 had
 * run, by exact counts of sqlite3; with functions gone that were seen once, clang's gain was a
 * tenth less.
 */
#define COST	    1000
#define NEVER_TIMES 3

static struct flow_count with_costs(uint64_t measured, unsigned times, bool seen)
{
	return (struct flow_count){.measured = measured,
				   .raise = COST * times * (measured ? 1 : NEVER_TIMES),
				   .lower = COST,
				   .vanish = measured && seen ? FLOW_COST_MAX : 0};
}

static int add_edge(struct maker *m, size_t from, size_t to, uint64_t n, unsigned times,
		    enum cfg_edge_kind kind)
{
	bool seen = kind == CFG_ENTRY || kind == CFG_JUMP || kind == CFG_FALL;
	struct flow_edge edge = {from == SIZE_MAX ? FLOW_OUTSIDE : (uint32_t)from,
				 to == SIZE_MAX ? FLOW_OUTSIDE : (uint32_t)to,
				 with_costs(n, times, seen)};

	return vector_add(&m->cfg->network.edges, edge) || vector_add(&m->cfg->kinds, (uint8_t)kind)
		       ? -1
		       : 0;
}

/* Input that is no traces has another relation of ranges to branches, or none. */
static int64_t on_scale(const struct cfg_branches *b, int64_t ranges)
{
	bool are_traces = b->ranges && b->arriving > b->ranges && b->arriving / 2 <= b->ranges;

	if (!are_traces || ranges <= 0)
		return ranges;
	return (int64_t)(((unsigned __int128)ranges * b->arriving + b->ranges / 2) / b->ranges);
}

static void lay_ranges(struct maker *m, struct map_entry *const *ranges, size_t count)
{
	int64_t running = 0;

	for (size_t i = 0; i < count; i++) {
		size_t first = cfg_find(m->cfg, ranges[i]->a),
		       last = cfg_find(m->cfg, ranges[i]->b);

		if (first == SIZE_MAX || last == SIZE_MAX || last < first)
			continue;
		m->through[first] += (int64_t)ranges[i]->n;
		m->through[last] -= (int64_t)ranges[i]->n;
		m->covered[last] += (int64_t)ranges[i]->n;
	}
	for (size_t i = 0; i < m->cfg->segments.count; i++) {
		running += m->through[i];
		m->covered[i] = on_scale(m->branches, m->covered[i] + running);
		m->through[i] = on_scale(m->branches, running);
	}
}

static bool is_inside(const struct maker *m, uint64_t va)
{
	return va >= m->blocks->code->function->begin && va < m->blocks->code->function->end;
}

/* Flow that arrives at a segment from outside: by returns (behind a call), and otherwise. */
static void arrivals(struct maker *m, const struct cfg_segment *p, bool behind_call,
		     uint64_t *returned, uint64_t *entered)
{
	struct isa_insn insn;

	*returned = *entered = 0;
	for (size_t i = cfg_branches_to(m->branches, p->begin); i < m->branches->by_to.count; i++) {
		const struct cfg_branch *b = &m->branches->by_to.items[i];
		bool known = b->from != BRANCH_OUTSIDE && binary_decode(m->binary, b->from, &insn);

		if (b->to != p->begin)
			break;
		if (behind_call && (!known || insn.kind == ISA_RETURN))
			*returned += b->n;
		else if (!known || !is_inside(m, b->from) || isa_is_call(insn.kind) ||
			 insn.kind == ISA_RETURN)
			*entered += b->n;
	}
}

static int add_arrivals(struct maker *m, size_t i)
{
	const struct cfg_segment *p = &m->cfg->segments.items[i];
	bool behind_call = i && isa_is_call(p[-1].kind);
	uint64_t returned, entered, called = 0;

	arrivals(m, p, behind_call, &returned, &entered);
	if ((entered || !i) && add_edge(m, SIZE_MAX, i, entered, 1, CFG_ENTRY))
		return -1;
	if (!behind_call)
		return 0;
	if (m->covered[i] || returned)
		called = (uint64_t)m->covered[i - 1];
	return add_edge(m, i - 1, i, called > returned ? called : returned, 1, CFG_RETURNED);
}

/* Jumps within the function that are known, seen or not. */
static int add_jumps(struct maker *m)
{
	const struct block_edge *e;

	vector_each (&m->blocks->edges, e) {
		uint64_t to = m->blocks->items.items[e->to].begin;
		size_t from = cfg_find(m->cfg, e->insn);
		size_t i = cfg_branches_from(m->branches, e->insn);
		uint64_t n = 0;

		if (e->kind != BLOCK_JUMP && e->kind != BLOCK_INDIRECT)
			continue;
		for (; i < m->branches->by_from.count; i++) {
			const struct cfg_branch *b = &m->branches->by_from.items[i];

			if (b->from != e->insn)
				break;
			n += b->to == to ? b->n : 0;
		}
		if (from != SIZE_MAX && add_edge(m, from, cfg_find(m->cfg, to), n,
						 e->kind == BLOCK_INDIRECT && !n ? 4 : 1, CFG_JUMP))
			return -1;
	}
	return 0;
}

/* Out of the function at the end of a segment. */
static int add_exit(struct maker *m, size_t i)
{
	const struct cfg_segment *p = &m->cfg->segments.items[i];
	bool last = i + 1 == m->cfg->segments.count,
	     direct = p->kind == ISA_JUMP || p->kind == ISA_JUMP_CONDITIONAL;
	uint64_t n = 0;

	if (isa_is_call(p->kind))
		return add_edge(m, i, SIZE_MAX,
				last || !m->covered[i + 1] ? (uint64_t)m->covered[i] : 0, 8,
				CFG_EXIT);
	if (!isa_is_branch(p->kind))
		return last || p->kind == ISA_STOP
			       ? add_edge(m, i, SIZE_MAX, (uint64_t)m->covered[i], 1, CFG_EXIT)
			       : 0;
	for (size_t k = cfg_branches_from(m->branches, p->last);
	     k < m->branches->by_from.count && m->branches->by_from.items[k].from == p->last; k++)
		if (p->kind == ISA_RETURN || !is_inside(m, m->branches->by_from.items[k].to))
			n += m->branches->by_from.items[k].n;
	if (p->kind == ISA_JUMP_INDIRECT ? !n : direct && is_inside(m, p->target))
		return 0;
	return add_edge(m, i, SIZE_MAX, n, 1, CFG_EXIT);
}

static int make_network(struct maker *m)
{
	const struct cfg_segment *p = m->cfg->segments.items;

	m->cfg->network.costs = FLOW_RISING;
	for (size_t i = 0; i < m->cfg->segments.count; i++) {
		if (vector_add(&m->cfg->network.nodes,
			       with_costs((uint64_t)m->covered[i], 1, true)))
			return -1;
		if (add_arrivals(m, i) || add_exit(m, i))
			return -1;
		if (i + 1 < m->cfg->segments.count && !code_stops(p[i].kind) &&
		    add_edge(m, i, i + 1, (uint64_t)m->through[i], 1, CFG_FALL))
			return -1;
	}
	return add_jumps(m);
}

int cfg_make(struct cfg *cfg, struct binary *binary, const struct blocks *blocks,
	     const struct cfg_branches *branches, struct map_entry *const *ranges, size_t count)
{
	struct maker m = {.cfg = cfg, .binary = binary, .blocks = blocks, .branches = branches};
	int rc = make_segments(&m);

	m.through = memory_alloc_array(cfg->segments.count + 1, sizeof(*m.through));
	m.covered = memory_alloc_array(cfg->segments.count + 1, sizeof(*m.covered));
	if (!m.through || !m.covered)
		rc = -1;
	if (!rc) {
		lay_ranges(&m, ranges, count);
		rc = make_network(&m);
	}
	memory_free(m.through);
	memory_free(m.covered);
	return rc;
}

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

		if (flow > before)
			rc = vector_add(&q.ranges, (struct waiting){p->begin, flow - before});
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
		const struct cfg_branch *b = &w->branches->by_from.items[k];
		bool inside = b->to >= first->begin && b->to <= last->last;

		if (!b->n || (inside && !isa_is_call(p->kind) && p->kind != ISA_RETURN))
			continue;
		if (vector_add(&items, b))
			rc = -1;
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
