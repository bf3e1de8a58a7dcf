/* SPDX-License-Identifier: MIT */
#include "report/views/code_graph.h"

#include "base/memory.h"

const char *code_graph_kind(uint8_t kind)
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

/* What was not executed has a number, too: numbers tell how much is between two blocks. */
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

static int compare_edges(const void *x, const void *y)
{
	const struct code_graph_edge *a = x, *b = y;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return (a->kind > b->kind) - (a->kind < b->kind);
}

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
		struct code_graph_edge *edge;

		if (within || !e->count.measured)
			continue;
		edge = vector_push(&m->graph->edges);
		if (!edge)
			return -1;
		*edge = (struct code_graph_edge){number_of(m, e->from), number_of(m, e->to), kind,
						 e->count.measured};
	}
	vector_sort(&m->graph->edges, compare_edges);
	return 0;
}

int code_graph_make(struct code_graph *graph, struct binary *b, const struct cfg *cfg)
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

void code_graph_deinit(struct code_graph *graph)
{
	vector_deinit(&graph->blocks);
	vector_deinit(&graph->edges);
}
