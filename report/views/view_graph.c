/* SPDX-License-Identifier: MIT */
/* Functions as control-flow graphs: their blocks, with counts, and the edges between them. */
#include "base/memory.h"
#include "base/order.h"
#include "base/vector.h"
#include "converter/cfg/cfg.h"
#include "report/views/view.h"

/*
 * The control-flow graph of a function, with the counts that were seen (not smoothed), as it is
 * shown: its basic blocks that were executed, and the edges that were taken. Unlike segments
 * (converter/cfg/cfg.h), blocks do not end at calls.
 */

#define CODE_GRAPH_OUTSIDE UINT32_MAX

struct code_graph_block {
	uint32_t number;      /* among all of the function, from 1, by address */
	uint64_t begin, last; /* addresses of the first and the last instruction */
	uint64_t instructions, count;
};

struct code_graph_edge {
	uint32_t from, to; /* numbers of blocks, or CODE_GRAPH_OUTSIDE */
	uint8_t kind;	   /* enum cfg_edge_kind */
	uint64_t count;
};

struct code_graph {
	VECTOR(struct code_graph_block) blocks; /* ascending */
	VECTOR(struct code_graph_edge) edges;	/* ascending by (from, to, kind) */
};

/* "falls through", "jump"... of an enum cfg_edge_kind. */
static const char *code_graph_kind(uint8_t kind)
{
	static const char *const names[] = {
		[CFG_FALL] = "falls through", [CFG_RETURNED] = "behind a call",
		[CFG_JUMP] = "jump",	      [CFG_ENTRY] = "entry",
		[CFG_EXIT] = "exit",	      [CFG_TABLE] = "jump by a table",
	};

	return names[kind];
}

/* While a graph is made. */
struct maker {
	struct code_graph *graph;
	struct binary *binary;
	const struct cfg *cfg;
	uint64_t *counts;   /* per segment: no less than those of its edges */
	bool *begins;	    /* per segment: a block does */
	uint32_t *block_of; /* per segment: its block's number */
};

static void raise(const struct maker *m, uint32_t segment, uint64_t count)
{
	if (segment != FLOW_OUTSIDE && m->counts[segment] < count)
		m->counts[segment] = count;
}

/* Behind the last branch of a trace there is no range, but it was seen to arrive. */
static void count(const struct maker *m)
{
	const struct flow_edge *e;

	for (size_t i = 0; i < m->cfg->segments.count; i++)
		m->counts[i] = m->cfg->network.nodes.items[i].measured;
	vector_each (&m->cfg->network.edges, e) {
		raise(m, e->from, e->count.measured);
		raise(m, e->to, e->count.measured);
	}
}

static bool runs_on(const struct flow_edge *e, uint8_t kind)
{
	return (kind == CFG_FALL || kind == CFG_RETURNED) && e->to == e->from + 1;
}

/* Where an edge was seen that does not just run on; and where execution begins or ends for good. */
static void divide(struct maker *m)
{
	const size_t segments = m->cfg->segments.count;
	const struct flow_edge *e;

	vector_each (&m->cfg->network.edges, e) {
		if (!e->count.measured ||
		    runs_on(e, m->cfg->kinds.items[e - m->cfg->network.edges.items]))
			continue;
		if (e->to != FLOW_OUTSIDE)
			m->begins[e->to] = true;
		if (e->from != FLOW_OUTSIDE && e->from + 1 < segments)
			m->begins[e->from + 1] = true;
	}
	for (size_t i = 0; i < segments; i++)
		m->begins[i] |= !i || !m->counts[i] != !m->counts[i - 1];
}

static uint64_t instructions_of(struct binary *b, uint64_t begin, uint64_t last)
{
	struct isa_insn insn;
	uint64_t count = 0;

	for (uint64_t va = begin; va <= last && binary_decode(b, va, &insn); va += insn.length)
		count++;
	return count;
}

/* Blocks that were not executed have numbers too, so that the numbers of two blocks say how much
 * lies between them. */
static int make_blocks(struct maker *m)
{
	struct code_graph_block *block = NULL;
	uint32_t number = 0;

	for (size_t i = 0; i < m->cfg->segments.count; i++) {
		const struct cfg_segment *segment = &m->cfg->segments.items[i];

		number += m->begins[i];
		m->block_of[i] = number;
		if (!m->counts[i])
			continue;
		if (m->begins[i] || !block) {
			block = vector_push(&m->graph->blocks);
			if (!block)
				return -1;
			block->number = number;
			block->begin = segment->begin;
		}
		block->last = segment->last;
		if (block->count < m->counts[i])
			block->count = m->counts[i];
	}
	vector_each (&m->graph->blocks, block)
		block->instructions = instructions_of(m->binary, block->begin, block->last);
	return 0;
}

ORDER_BY(compare_edges, struct code_graph_edge, ORDER_UP(from) ?: ORDER_UP(to) ?: ORDER_UP(kind));

static uint32_t number_of(const struct maker *m, uint32_t segment)
{
	return segment == FLOW_OUTSIDE ? CODE_GRAPH_OUTSIDE : m->block_of[segment];
}

static int make_edges(struct maker *m)
{
	const struct flow_edge *e;

	vector_each (&m->cfg->network.edges, e) {
		uint8_t kind = m->cfg->kinds.items[e - m->cfg->network.edges.items];
		bool within = e->from != FLOW_OUTSIDE && e->to != FLOW_OUTSIDE &&
			      runs_on(e, kind) && m->block_of[e->from] == m->block_of[e->to];

		if (within || !e->count.measured)
			continue;
		if (vector_add(&m->graph->edges,
			       (struct code_graph_edge){number_of(m, e->from), number_of(m, e->to),
							kind, e->count.measured}))
			return -1;
	}
	vector_sort(&m->graph->edges, compare_edges);
	return 0;
}

/* @graph starts zeroed, to be ended with code_graph_deinit also on failure; -1 without memory. */
static int code_graph_make(struct code_graph *graph, struct binary *b, const struct cfg *cfg)
{
	struct maker m = {
		.graph = graph,
		.binary = b,
		.cfg = cfg,
		.counts = memory_alloc_array(cfg->segments.count + 1, sizeof(uint64_t)),
		.begins = memory_alloc_array(cfg->segments.count + 1, sizeof(bool)),
		.block_of = memory_alloc_array(cfg->segments.count + 1, sizeof(uint32_t))};
	int rc = -1;

	if (m.counts && m.begins && m.block_of) {
		count(&m);
		divide(&m);
		rc = make_blocks(&m);
	}
	if (!rc)
		rc = make_edges(&m);
	memory_free(m.counts);
	memory_free(m.begins);
	memory_free(m.block_of);
	return rc;
}

/* Control-flow graphs of the functions that execute most code, as tables of blocks and edges. */

/* Functions whose graphs are shown: one of them has more rows than most tables. */
#define FUNCTIONS_MOST 40

/* A function that ran. */
struct function {
	size_t part;
	const struct binary_function *what;
	size_t first, count; /* ranges in the part's sorted ones */
	uint64_t bytes;	     /* of code, as often as it was executed */
	struct code_graph graph;
};

/* The tables that graphs of a part's functions are made from. */
struct part_code {
	struct map_entry **ranges; /* sorted */
	struct cfg_branches branches;
	struct block_finder *finder;
};

struct functions {
	VECTOR(struct function) items; /* by falling bytes */
	VECTOR(struct part_code) parts;
};

static int add_part(struct functions *f, struct view *v, size_t part)
{
	struct view_part *p = &v->parts.items[part];
	struct part_code *code = vector_push(&f->parts);

	if (!code)
		return -1;
	if (!p->binary || !p->profile->ranges.count)
		return 0;
	code->ranges = map_sorted(&p->profile->ranges);
	code->finder = block_finder_new(p->binary, p->profile);
	if (!code->ranges || !code->finder || cfg_branches_init(&code->branches, p->profile))
		return -1;
	cfg_branches_weigh(&code->branches, p->profile);
	return 0;
}

static int add_functions(struct functions *f, const struct view_part *p, size_t part)
{
	struct map_entry *const *ranges = f->parts.items[part].ranges;
	size_t count = ranges ? p->profile->ranges.count : 0, length;

	for (size_t i = 0; i < count; i += length) {
		const struct binary_function *what = binary_function_run(p->binary, ranges + i,
									 count - i, &length);
		struct function *slot = what ? vector_push(&f->items) : NULL;

		if (what && !slot)
			return -1;
		if (!what)
			continue;
		*slot = (struct function){.part = part, .what = what, .first = i, .count = length};
		for (size_t r = i; r < i + length; r++)
			slot->bytes += ranges[r]->n * (ranges[r]->b - ranges[r]->a + 1);
	}
	return 0;
}

ORDER_BY(by_bytes, struct function, ORDER_DOWN(bytes) ?: ORDER_UP(part) ?: ORDER_UP(what->begin));

/* Code with gaps in its decoding has no graph. */
static int make_graph(struct functions *all, struct view *v, struct function *f)
{
	struct binary *b = v->parts.items[f->part].binary;
	const struct part_code *code = &all->parts.items[f->part];
	const struct blocks *blocks = block_finder_get(code->finder, f->what);
	struct cfg cfg = {0};
	int rc;

	if (!blocks)
		return -1;
	if (blocks->code->gaps || !blocks->code->count)
		return 0;
	rc = cfg_make(&cfg, b, blocks, &code->branches, code->ranges + f->first, f->count)
		     ?: code_graph_make(&f->graph, b, &cfg);
	cfg_deinit(&cfg);
	return rc;
}

static int make_functions(struct functions *f, struct view *v)
{
	for (size_t part = 0; part < v->parts.count; part++)
		if (add_part(f, v, part) || add_functions(f, &v->parts.items[part], part))
			return -1;
	vector_sort(&f->items, by_bytes);
	return 0;
}

static void free_functions(struct functions *f)
{
	struct part_code *code;
	struct function *i;

	vector_each (&f->items, i) {
		vector_deinit(&i->graph.blocks);
		vector_deinit(&i->graph.edges);
	}
	vector_deinit(&f->items);
	vector_each (&f->parts, code) {
		memory_free(code->ranges);
		cfg_branches_deinit(&code->branches);
		block_finder_free(code->finder);
	}
	vector_deinit(&f->parts);
}

static void put_function(struct document *s, const struct function *f, size_t number)
{
	document_put_number(s, number + 1);
	document_put_symbol(s, f->what->name);
}

static void put_blocks(struct view *v, const struct function *f, size_t number)
{
	struct view_part *p = &v->parts.items[f->part];
	const struct code_graph_block *block;
	uint64_t work = 0;

	vector_each (&f->graph.blocks, block)
		work += block->count * block->instructions;
	vector_each (&f->graph.blocks, block) {
		put_function(v->out, f, number);
		document_put_number(v->out, block->number);
		view_put_place(v, f->part, block->begin);
		document_put_number(v->out, block->instructions);
		document_put_number(v->out, block->count);
		document_put_share(v->out, block->count * block->instructions, work);
		view_put_source(v, p, block->begin);
	}
}

static void put_block_number(struct document *s, uint32_t number)
{
	if (number == CODE_GRAPH_OUTSIDE)
		document_put_none(s);
	else
		document_put_number(s, number);
}

/* Shares are of what leaves the block where the edge begins, of entries none. */
static void put_edges(struct view *v, const struct function *f, size_t number)
{
	const struct code_graph_edge *edge, *other;

	vector_each (&f->graph.edges, edge) {
		uint64_t leaving = 0;

		for (other = edge; other > f->graph.edges.items && other[-1].from == edge->from;)
			other--;
		for (; other < f->graph.edges.items + f->graph.edges.count &&
		       other->from == edge->from;
		     other++)
			leaving += edge->from == CODE_GRAPH_OUTSIDE ? 0 : other->count;
		put_function(v->out, f, number);
		put_block_number(v->out, edge->from);
		put_block_number(v->out, edge->to);
		document_put_text(v->out, code_graph_kind(edge->kind));
		document_put_number(v->out, edge->count);
		document_put_share(v->out, edge->count, leaving);
	}
}

static void put_tables(struct view *v, const struct functions *f, size_t shown)
{
	document_table(v->out, "graph_blocks",
		       "Control-flow graphs of the functions that execute most: blocks "
		       "(share: of the function's executed instructions)",
		       "graph, function, block, begin, instructions, count, share, source");
	document_draw(v->out, DOCUMENT_GRAPH);
	for (size_t i = 0; i < shown; i++)
		put_blocks(v, &f->items.items[i], i);
	document_table(v->out, "graph_edges",
		       "Control-flow graphs: edges (share: of what leaves the block)",
		       "graph, function, from: from block, to: to block, kind, count, "
		       "share");
	document_draw(v->out, DOCUMENT_GRAPH);
	for (size_t i = 0; i < shown; i++)
		put_edges(v, &f->items.items[i], i);
}

int view_graph(struct view *v)
{
	size_t most = view_shown(v, FUNCTIONS_MOST);
	struct functions f = {0};
	int rc = make_functions(&f, v);

	most = most < f.items.count ? most : f.items.count;
	for (size_t i = 0; !rc && i < most; i++)
		rc = make_graph(&f, v, &f.items.items[i]);
	if (!rc)
		put_tables(v, &f, most);
	free_functions(&f);
	return rc;
}
