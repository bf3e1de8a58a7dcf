/* SPDX-License-Identifier: MIT */
#include "converter/cfg/ip_profile.h"

#include "base/error.h"
#include "base/memory.h"

/* Edges are not sampled: next to nothing against a segment's cost (cfg/ip_estimate.c). */
#define EDGE_COST 1
/* Samples that are so much off are neither too many nor too few. */
#define TOLERANCE 0.1

struct maker {
	struct binary *binary;
	const struct branch_profile *clean;
	const struct ip_options *options;
	struct branch_profile *out;
	struct ip_stats *stats;
	struct block_finder *finder;
	struct branch_profile none;
	struct cfg_branches no_branches;
	struct ip_estimate_totals totals;
	struct map_entry **exact; /* ranges, sorted; NULL = not known */
	size_t exact_count, exact_at;
};

struct function {
	struct cfg cfg;
	struct ip_segment *segments;
	double *shares; /* of edges */
};

static uint64_t whole(double n)
{
	return n > 0 ? n < 0x1p62 ? (uint64_t)(n + 0.5) : UINT64_C(1) << 62 : 0;
}

/* The first exact range from @va on; functions ascend. */
static size_t exact_from(struct maker *m, uint64_t va)
{
	while (m->exact_at < m->exact_count && m->exact[m->exact_at]->a < va)
		m->exact_at++;
	return m->exact_at;
}

/* The paper's fourth bar: a segment is over-sampled that has samples of more instructions than ran,
 * and under-sampled that has them of fewer. */
static int classify_by_truth(struct maker *m, struct function *f, const struct code *code)
{
	size_t first = exact_from(m, code->function->begin);
	size_t end = exact_from(m, code->function->end);
	uint64_t *counts = memory_alloc_array(code->count + 1, sizeof(*counts));

	if (!counts)
		return -1;
	instruction_counts_of_ranges(code, m->exact + first, end - first, counts);
	for (size_t i = 0; i < f->cfg.segments.count; i++) {
		struct ip_segment *p = &f->segments[i];
		size_t insn = code_find(code, f->cfg.segments.items[i].begin);
		double truth = insn == CODE_NONE ? 0 : (double)counts[insn];
		double wanted = truth * (double)p->instructions;

		p->class = p->counted > (1 + TOLERANCE) * wanted   ? IP_OVER_SAMPLED
			   : p->counted < (1 - TOLERANCE) * wanted ? IP_UNDER_SAMPLED
								   : IP_AS_RUN;
	}
	memory_free(counts);
	return 0;
}

/* With flat costs far more segments were missed than are invented: to raise costs less. */
static void set_costs(struct function *f, bool flat, bool by_class)
{
	struct flow_network *n = &f->cfg.network;
	struct flow_edge *e;

	n->costs = flat ? FLOW_FLAT : FLOW_RISING;
	for (size_t i = 0; i < n->nodes.count; i++)
		n->nodes.items[i] = (struct flow_count){.measured = whole(f->segments[i].runs),
							.raise = flat ? f->segments[i].cost * 6 / 10
								      : f->segments[i].cost,
							.lower = f->segments[i].cost};
	for (size_t i = 0; by_class && i < f->cfg.segments.count; i++) {
		/* as the paper has it: free to where it ought to go, and never the other way */
		n->nodes.items[i].raise = f->segments[i].class == IP_UNDER_SAMPLED ? 0
										   : FLOW_COST_MAX;
		n->nodes.items[i].lower = f->segments[i].class == IP_OVER_SAMPLED ? 0
										  : FLOW_COST_MAX;
	}
	vector_each (&n->edges, e) {
		uint32_t node = e->from == FLOW_OUTSIDE ? e->to : e->from;
		double runs = f->segments[node].runs * f->shares[e - n->edges.items];

		e->count = (struct flow_count){
			.measured = whole(runs), .raise = EDGE_COST, .lower = EDGE_COST};
	}
}

static int add_edge(struct function *f, uint32_t from, uint32_t to, double runs, uint8_t kind)
{
	struct flow_edge edge = {
		.from = from,
		.to = to,
		.count = {.measured = whole(runs), .raise = EDGE_COST, .lower = EDGE_COST}};

	return vector_add(&f->cfg.network.edges, edge) || vector_add(&f->cfg.kinds, kind) ? -1 : 0;
}

/* Is there an edge from, and one to, each segment? To itself does not count. */
static void find_ends(const struct function *f, bool *left, bool *reached)
{
	const struct flow_edge *e;

	vector_each (&f->cfg.network.edges, e) {
		if (e->to == e->from)
			continue;
		if (e->to != FLOW_OUTSIDE)
			reached[e->to] = true;
		if (e->from != FLOW_OUTSIDE)
			left[e->from] = true;
	}
}

/* What nothing leads to, but something does: not to the padding in front of it. */
static int skip_padding(struct function *f, const struct code *code)
{
	size_t count = f->cfg.segments.count;
	bool *left = memory_alloc_array(count + 1, sizeof(*left));
	bool *reached = memory_alloc_array(count + 1, sizeof(*reached));

	if (left && reached)
		find_ends(f, left, reached);
	for (size_t i = 1; left && reached && i < count; i++) {
		struct cfg_segment *segment = &f->cfg.segments.items[i];
		size_t insn = code_find(code, segment->begin);

		if (reached[i] || insn == CODE_NONE)
			continue;
		while (code->insns[insn].nop && code->insns[insn].address < segment->last)
			insn++;
		segment->begin = code->insns[insn].address;
	}
	memory_free(left);
	memory_free(reached);
	return left && reached ? 0 : -1;
}

static int add_unknown(struct function *f, const bool *left, const bool *reached)
{
	uint32_t count = (uint32_t)f->cfg.segments.count, hub = count;
	bool from = false, to = false;
	int rc = 0;

	for (size_t i = 0; i < count; i++) {
		from |= !left[i] && f->cfg.segments.items[i].kind == ISA_JUMP_INDIRECT;
		to |= !reached[i];
	}
	for (uint32_t i = 0; i < count && !rc; i++) {
		bool jumps = to && f->cfg.segments.items[i].kind == ISA_JUMP_INDIRECT;

		if (!left[i])
			rc = add_edge(f, i, jumps ? hub : FLOW_OUTSIDE, f->segments[i].runs,
				      jumps ? CFG_TABLE : CFG_EXIT);
		if (!reached[i] && !rc)
			rc = add_edge(f, from ? hub : FLOW_OUTSIDE, i, f->segments[i].runs,
				      from ? CFG_TABLE : CFG_ENTRY);
	}
	return rc;
}

/*
 * Jumps whose table was not found go, as far as anyone can tell, to code that no path leads to: by
 * way of one more node, whose flow is shared out afterwards. Without such a jump that code is
 * reached from elsewhere, and without such code the jump leaves the function.
 */
static int add_tables(struct function *f)
{
	size_t count = f->cfg.segments.count;
	bool *left = memory_alloc_array(count + 1, sizeof(*left));
	bool *reached = memory_alloc_array(count + 1, sizeof(*reached));
	struct flow_count *hub = vector_push(&f->cfg.network.nodes);
	int rc = -1;

	if (left && reached && hub) {
		*hub = (struct flow_count){0};
		find_ends(f, left, reached);
		rc = add_unknown(f, left, reached);
	}
	memory_free(left);
	memory_free(reached);
	return rc;
}

static int make_network(struct maker *m, struct function *f, const struct blocks *blocks,
			struct map_entry *const *samples, size_t count)
{
	if (cfg_make(&f->cfg, m->binary, blocks, &m->no_branches, NULL, 0) ||
	    skip_padding(f, blocks->code))
		return -1;
	f->segments = memory_alloc_array(f->cfg.segments.count + 1, sizeof(*f->segments));
	f->shares = static_branches_shares(&f->cfg);
	if (!f->segments || !f->shares)
		return -1;
	for (size_t i = 0; i < blocks->code->count; i++) {
		size_t segment = cfg_find(&f->cfg, blocks->code->insns[i].address);

		if (segment != SIZE_MAX)
			f->segments[segment].instructions++;
	}
	if (ip_estimate_runs(&m->totals, &f->cfg, blocks->code, samples, count, f->segments))
		return -1;
	if (m->exact && classify_by_truth(m, f, blocks->code))
		return -1;
	set_costs(f, m->options->method == IP_FLAT, m->exact);
	return add_tables(f);
}

/* Each jump goes to each target in proportion to both; sums are kept. */
static int write_tables(struct maker *m, struct function *f)
{
	struct flow_edge *from, *to;
	uint32_t hub = (uint32_t)f->cfg.segments.count;
	unsigned __int128 arriving = 0;

	vector_each (&f->cfg.network.edges, to)
		if (to->from == hub)
			arriving += to->count.flow;
	vector_each (&f->cfg.network.edges, from) {
		uint64_t left = from->count.flow;
		unsigned __int128 all = arriving;

		if (from->to != hub)
			continue;
		vector_each (&f->cfg.network.edges, to) {
			uint64_t there = to->count.flow, part;

			if (to->from != hub || !there || !left || !all)
				continue;
			part = (uint64_t)(left * (unsigned __int128)there / all);
			part = part < there ? part : there;
			all -= there;
			if (part && branch_profile_add_branch(
					    m->out, f->cfg.segments.items[from->from].last,
					    f->cfg.segments.items[to->to].begin, part, 0))
				return -1;
			to->count.flow -= part;
			arriving -= part;
			left -= part;
		}
	}
	return 0;
}

/* Without conservation a range is a segment, or a segment and the first instruction of the next. */
static int write_segments(struct maker *m, struct function *f)
{
	const struct cfg_segment *segments = f->cfg.segments.items;
	struct flow_count *nodes = f->cfg.network.nodes.items;
	const struct flow_edge *e;

	vector_each (&f->cfg.network.edges, e) {
		uint64_t n = e->count.flow;

		if (f->cfg.kinds.items[e - f->cfg.network.edges.items] != CFG_FALL || !n)
			continue;
		if (branch_profile_add_range(m->out, segments[e->from].begin, segments[e->to].begin,
					     n))
			return -1;
		nodes[e->from].flow -= n < nodes[e->from].flow ? n : nodes[e->from].flow;
	}
	for (size_t i = 0; i < f->cfg.segments.count; i++)
		if (nodes[i].flow && branch_profile_add_range(m->out, segments[i].begin,
							      segments[i].last, nodes[i].flow))
			return -1;
	return 0;
}

static int write_static(struct maker *m, struct function *f)
{
	struct flow_count *node;
	struct flow_edge *e;

	vector_each (&f->cfg.network.nodes, node)
		node->flow = node->measured;
	vector_each (&f->cfg.network.edges, e)
		e->count.flow = e->count.measured;
	if (cfg_write_branches(&f->cfg, &m->none, &m->no_branches, m->out) || write_segments(m, f))
		return -1;
	return write_tables(m, f);
}

static int write_flow(struct maker *m, struct function *f, const struct binary_function *function)
{
	enum flow_outcome outcome = smooth_flow(&f->cfg, function, m->options->solver,
						&m->stats->smooth);

	if (outcome == FLOW_NO_MEMORY)
		return -1;
	if (outcome != FLOW_SOLVED && outcome != FLOW_CONSISTENT)
		return write_static(m, f);
	if (cfg_write(&f->cfg, &m->none, &m->no_branches, m->out))
		return -1;
	return write_tables(m, f);
}

/* @samples: those of the function. */
static int make_function(struct maker *m, const struct binary_function *function,
			 struct map_entry *const *samples, size_t count)
{
	const struct blocks *blocks = block_finder_get(m->finder, function);
	struct function f = {0};
	int rc;

	if (!blocks)
		return -1;
	m->stats->smooth.functions++;
	if (blocks->code->gaps || !blocks->code->count) {
		m->stats->smooth.gaps++;
		return 0;
	}
	rc = make_network(m, &f, blocks, samples, count);
	if (!rc) {
		for (size_t i = 0; i < f.cfg.segments.count; i++) {
			m->stats->over_sampled += f.segments[i].class == IP_OVER_SAMPLED;
			m->stats->under_sampled += f.segments[i].class == IP_UNDER_SAMPLED;
		}
		rc = m->options->method == IP_STATIC ? write_static(m, &f)
						     : write_flow(m, &f, function);
	}
	cfg_deinit(&f.cfg);
	memory_free(f.segments);
	memory_free(f.shares);
	return rc;
}

static int make_functions(struct maker *m)
{
	struct map_entry **sorted = map_sorted(&m->clean->samples);
	size_t n = m->clean->samples.count, length;
	int rc = sorted || !n ? 0 : -1;

	for (size_t i = 0; i < n && !rc; i += length) {
		const struct binary_function *f = binary_function_run(m->binary, sorted + i, n - i,
								      &length);

		if (f)
			rc = make_function(m, f, sorted + i, length);
	}
	memory_free(sorted);
	return rc;
}

int ip_profile_make(struct binary *b, const struct branch_profile *clean,
		    const struct ip_options *options, struct branch_profile *out,
		    struct ip_stats *stats, struct softlbr_error *e)
{
	struct maker m = {
		.binary = b, .clean = clean, .options = options, .out = out, .stats = stats};
	const struct branch_profile *exact = options->exact;
	int rc = -1;

	*stats = (struct ip_stats){0};
	ip_estimate_totals_init(&m.totals, clean, options->cpu);
	stats->classified = m.totals.classify || exact;
	if (exact) {
		m.totals.classify = false;
		m.exact = map_sorted(&exact->ranges);
		m.exact_count = exact->ranges.count;
		if (!m.exact)
			return error_set_nomem(e);
	}
	m.finder = block_finder_new(b, clean);
	out->build_id = clean->build_id;
	if (clean->path)
		out->path = memory_copy_string(clean->path);
	if (m.finder && (out->path || !clean->path))
		rc = make_functions(&m);
	block_finder_free(m.finder);
	memory_free(m.exact);
	return rc ? error_set_nomem(e) : 0;
}
