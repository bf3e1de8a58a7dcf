/* SPDX-License-Identifier: MIT */
/*
 * How far a profile is from one that a program can have run: llvm-bolt's metrics of profile quality
 * (bolt/lib/Passes/ProfileQualityStats.cpp of LLVM 21), on blocks and edges as this program sees
 * them. Formulas: docs/scores.md.
 */
#include "base/order.h"
#include "compare/check.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "converter/cfg/blocks.h"
#include "converter/cfg/cfg.h"

/* llvm-bolt's: a block's gap is the function's worst only if so much flows through it. */
#define WORST_FLOW_LEAST 500

struct block_flow {
	double in, out; /* by edges of the function */
	double count;
	bool entered;	/* from outside, or by an exception */
	bool left;	/* ends the function */
	bool recursive; /* calls its own function */
	bool reached;
};

struct finder {
	struct binary *binary;
	struct block_finder *blocks;
	struct cfg_branches branches;
	struct imbalances *out;

	/* of the function at hand */
	const struct blocks *shape;
	struct cfg cfg;
	struct block_flow *flows; /* by block */
	size_t *block_of;	  /* by segment */
	double called;
};

static void place_segments(struct finder *x)
{
	for (size_t i = 0; i < x->cfg.segments.count; i++) {
		const struct cfg_segment *p = &x->cfg.segments.items[i];
		size_t block = block_list_find(x->shape, p->begin);
		struct block_flow *flow = &x->flows[block];

		x->block_of[i] = block;
		flow->count = fmax(flow->count, (double)x->cfg.network.nodes.items[i].measured);
		if (p->kind == ISA_RETURN || p->kind == ISA_STOP)
			flow->left = true;
		if (p->kind == ISA_CALL && p->target == x->shape->code->function->begin)
			flow->recursive = true;
	}
}

static bool is_first(const struct finder *x, size_t segment)
{
	return x->cfg.segments.items[segment].begin ==
	       x->shape->items.items[x->block_of[segment]].begin;
}

static bool is_last(const struct finder *x, size_t segment)
{
	return x->cfg.segments.items[segment].last ==
	       x->shape->items.items[x->block_of[segment]].last;
}

static void add_edge(struct finder *x, const struct flow_edge *e, uint8_t kind)
{
	double n = (double)e->count.measured;

	if (kind == CFG_ENTRY) {
		struct block_flow *to = &x->flows[x->block_of[e->to]];

		to->entered |= n > 0;
	} else if (kind == CFG_EXIT) {
		x->flows[x->block_of[e->from]].left |= n > 0;
	} else if (is_last(x, e->from) && is_first(x, e->to)) {
		x->flows[x->block_of[e->from]].out += n;
		x->flows[x->block_of[e->to]].in += n;
	}
}

static int lay_flows(struct finder *x)
{
	const struct flow_edge *e;

	x->flows = memory_alloc_array(x->shape->items.count + 1, sizeof(*x->flows));
	x->block_of = memory_alloc_array(x->cfg.segments.count + 1, sizeof(*x->block_of));
	if (!x->flows || !x->block_of)
		return -1;
	place_segments(x);
	vector_each (&x->cfg.network.edges, e)
		add_edge(x, e, x->cfg.kinds.items[e - x->cfg.network.edges.items]);
	for (size_t i = 0; i < x->shape->items.count; i++)
		x->flows[i].entered |= !i || x->shape->items.items[i].landing_pad;
	return 0;
}

static double gap_of(double a, double b)
{
	return fmax(a, b) > 0 ? 1 - fmin(a, b) / fmax(a, b) : 0;
}

static void find_gaps(const struct finder *x, struct imbalance *g)
{
	double sum = 0, weight = 0;

	for (size_t i = 0; i < x->shape->items.count; i++) {
		const struct block_flow *f = &x->flows[i];
		double gap = gap_of(f->in, f->out), its;

		if (f->count <= 0 || f->entered || f->left || f->recursive)
			continue;
		its = log(1 + f->count * x->shape->items.items[i].count);
		sum += gap * its;
		weight += its;
		if (fmax(f->in, f->out) > WORST_FLOW_LEAST)
			g->worst_gap = fmax(g->worst_gap, gap);
	}
	g->gap = weight > 0 ? sum / weight : 0;
}

static bool leads_on(const struct finder *x, size_t edge)
{
	return x->cfg.kinds.items[edge] != CFG_ENTRY && x->cfg.kinds.items[edge] != CFG_EXIT &&
	       x->cfg.network.edges.items[edge].count.measured;
}

/* Edges that were taken, by the block that they leave: block i leads to targets[first[i]] and those
 * behind it, up to targets[first[i + 1]]. */
struct successors {
	size_t *first, *targets, *pending;
};

static int list_successors(const struct finder *x, struct successors *s)
{
	size_t blocks = x->shape->items.count, n = x->cfg.network.edges.count;
	const struct flow_edge *edges = x->cfg.network.edges.items;

	s->first = memory_alloc_array(blocks + 1, sizeof(*s->first));
	s->targets = memory_alloc_array(n + 1, sizeof(*s->targets));
	s->pending = memory_alloc_array(blocks + 1, sizeof(*s->pending));
	if (!s->first || !s->targets || !s->pending)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (leads_on(x, i))
			s->first[x->block_of[edges[i].from]]++;
	/* the counts become the ends of the blocks' targets ... */
	for (size_t i = 1; i <= blocks; i++)
		s->first[i] += s->first[i - 1];
	/* ... and, as the targets are put from there downwards, their beginnings */
	for (size_t i = 0; i < n; i++)
		if (leads_on(x, i))
			s->targets[--s->first[x->block_of[edges[i].from]]] =
				x->block_of[edges[i].to];
	return 0;
}

/* Mark what can be reached from entered blocks over edges that were taken. */
static int reach(struct finder *x)
{
	struct successors s = {0};
	size_t pending = 0;
	int rc = list_successors(x, &s);

	for (size_t i = 0; i < x->shape->items.count && !rc; i++)
		if (x->flows[i].entered && x->flows[i].count > 0) {
			x->flows[i].reached = true;
			s.pending[pending++] = i;
		}
	while (pending) {
		size_t block = s.pending[--pending];

		for (size_t i = s.first[block]; i < s.first[block + 1]; i++) {
			if (x->flows[s.targets[i]].reached)
				continue;
			x->flows[s.targets[i]].reached = true;
			s.pending[pending++] = s.targets[i];
		}
	}
	memory_free(s.first);
	memory_free(s.targets);
	memory_free(s.pending);
	return rc;
}

static int find_discontinuity(struct finder *x, struct imbalance *g)
{
	double reached = 0, all = 0;

	if (reach(x))
		return -1;
	for (size_t i = 0; i < x->shape->items.count; i++) {
		all += x->flows[i].count;
		if (x->flows[i].reached)
			reached += x->flows[i].count;
		g->blocks++;
		g->blocks_run += x->flows[i].count > 0;
	}
	g->weight = (uint64_t)all;
	g->discontinuity = all > 0 ? 1 - reached / all : 0;
	return 0;
}

/* Calls and jumps from elsewhere to the first instruction, against what its block sends on that it
 * did not get from the function itself. */
static void find_call_gap(const struct finder *x, struct imbalance *g)
{
	const struct block_flow *f = &x->flows[0];
	uint64_t begin = x->shape->code->function->begin, end = x->shape->code->function->end;
	double called = 0, sent = fmax(0, f->out - f->in);

	for (size_t i = cfg_branches_to(&x->branches, begin);
	     i < x->branches.by_to.count && x->branches.by_to.items[i].to == begin; i++) {
		const struct cfg_branch *b = &x->branches.by_to.items[i];
		struct isa_insn insn;

		if (b->from < begin || b->from >= end ||
		    (binary_decode(x->binary, b->from, &insn) && isa_is_call(insn.kind)))
			called += (double)b->n;
	}
	g->entered = (uint64_t)f->count;
	g->call_gap = f->left || f->recursive || (called <= 0 && sent <= 0) ? NAN
									    : gap_of(called, sent);
}

static int find_function(struct finder *x, const struct binary_function *f,
			 struct map_entry *const *ranges, size_t n)
{
	struct imbalance g = {.function = f};
	int rc = -1;

	x->shape = block_finder_get(x->blocks, f);
	if (!x->shape)
		return -1;
	if (x->shape->code->gaps || !x->shape->items.count)
		return 0;
	if (!cfg_make(&x->cfg, x->binary, x->shape, &x->branches, ranges, n) && !lay_flows(x) &&
	    !find_discontinuity(x, &g)) {
		find_gaps(x, &g);
		find_call_gap(x, &g);
		rc = vector_add(&x->out->functions, g);
	}
	memory_free(x->flows);
	memory_free(x->block_of);
	x->flows = NULL;
	x->block_of = NULL;
	cfg_deinit(&x->cfg);
	x->cfg = (struct cfg){0};
	return rc;
}

static int find_functions(struct finder *x, const struct branch_profile *clean)
{
	struct map_entry **sorted = map_sorted(&clean->ranges);
	size_t n = clean->ranges.count, length;
	int rc = sorted || !n ? 0 : -1;

	for (size_t i = 0; i < n && !rc; i += length) {
		const struct binary_function *f = binary_function_run(x->binary, sorted + i, n - i,
								      &length);

		rc = f ? find_function(x, f, sorted + i, length) : 0;
	}
	memory_free(sorted);
	return rc;
}

static double imbalance_figure(const struct imbalance *g, enum flow_figure figure)
{
	switch (figure) {
	case FLOW_DISCONTINUITY:
		return g->discontinuity;
	case FLOW_GAP:
		return g->gap;
	case FLOW_WORST_GAP:
		return g->worst_gap;
	default:
		return g->call_gap;
	}
}

ORDER_BY(compare_weights, struct imbalance, ORDER_DOWN(weight) ?: ORDER_UP(function));

ORDER_BY(compare_numbers, double, (*a > *b) - (*a < *b));

static int sum_up(struct imbalances *g, enum flow_figure figure)
{
	double sum = 0, weight = 0, *values = memory_alloc_array(FLOW_TOP, sizeof(*values));
	size_t count = 0;

	if (!values)
		return -1;
	for (size_t i = 0; i < g->functions.count; i++) {
		double value = imbalance_figure(&g->functions.items[i], figure);

		if (isnan(value))
			continue;
		sum += value * (double)g->functions.items[i].weight;
		weight += (double)g->functions.items[i].weight;
		if (i < FLOW_TOP)
			values[count++] = value;
	}
	qsort(values, count, sizeof(*values), compare_numbers);
	g->mean[figure] = weight > 0 ? sum / weight : 0;
	g->top5[figure] = count ? values[count - 1 - count / 20] : 0;
	memory_free(values);
	return 0;
}

int imbalances_find(struct imbalances *out, struct binary *b, const struct branch_profile *clean,
		    struct softlbr_error *e)
{
	struct finder x = {.binary = b, .out = out, .blocks = block_finder_new(b, clean)};
	const struct imbalance *g;
	int rc = !x.blocks || cfg_branches_init(&x.branches, clean) || find_functions(&x, clean);

	vector_sort(&out->functions, compare_weights);
	vector_each (&out->functions, g)
		out->weight += g->weight;
	for (int figure = 0; figure < FLOW_FIGURES && !rc; figure++)
		rc = sum_up(out, (enum flow_figure)figure);
	block_finder_free(x.blocks);
	cfg_branches_deinit(&x.branches);
	return rc ? error_set_nomem(e) : 0;
}

void imbalances_deinit(struct imbalances *g)
{
	vector_deinit(&g->functions);
}
