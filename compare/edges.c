/* SPDX-License-Identifier: MIT */
#include "base/order.h"
#include "compare/edges.h"

#include <math.h>

#include "base/error.h"
#include "converter/binary/code.h"

/* Ends of ranges, so that those over an address are counted by two look-ups. */
struct boundary {
	uint64_t va;
	unsigned __int128 below; /* counts of all up to here, this one included */
};

struct passing {
	VECTOR(struct boundary) begins, ends; /* ascending by va */
};

struct maker {
	struct edges *out;
	struct binary *binary;
	const struct branch_profile *profiles[2];
	struct passing passing[2];
	struct map union_of; /* (from,to) -> n = in the first, m = in the second */
	struct map hot;	     /* (function's number, 0) */
};

ORDER_BY(compare_boundaries, struct boundary, ORDER_UP(va));

static void add_up(struct boundary *items, size_t count)
{
	for (size_t i = 1; i < count; i++)
		items[i].below += items[i - 1].below;
}

static int passing_init(struct passing *p, const struct branch_profile *profile)
{
	struct map_entry *e;

	map_each (&profile->ranges, e) {
		if (vector_add(&p->begins, (struct boundary){e->a, e->n}) ||
		    vector_add(&p->ends, (struct boundary){e->b, e->n}))
			return -1;
	}
	vector_sort(&p->begins, compare_boundaries);
	vector_sort(&p->ends, compare_boundaries);
	add_up(p->begins.items, p->begins.count);
	add_up(p->ends.items, p->ends.count);
	return 0;
}

static void passing_deinit(struct passing *p)
{
	vector_deinit(&p->begins);
	vector_deinit(&p->ends);
}

/* The sum of those at or below @va. */
static unsigned __int128 up_to(const struct boundary *items, size_t count, uint64_t va)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (items[middle].va <= va)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? items[low - 1].below : 0;
}

/* How many ranges run on from the instruction at @va to the next one. */
static uint64_t passing_over(const struct passing *p, uint64_t va)
{
	unsigned __int128 n = up_to(p->begins.items, p->begins.count, va) -
			      up_to(p->ends.items, p->ends.count, va);

	return n > UINT64_MAX ? UINT64_MAX : (uint64_t)n;
}

static size_t function_of(struct maker *m, uint64_t va)
{
	size_t count;
	const struct binary_function *all = binary_functions(m->binary, &count),
				     *f = binary_function_at(m->binary, va);

	return f ? (size_t)(f - all) : EDGE_NO_FUNCTION;
}

/* Join the branches of a side; the functions that it has been in are hot. */
static int join_side(struct maker *m, unsigned side)
{
	const struct branch_profile *p = m->profiles[side];
	struct map_entry *e, *x;
	size_t f;

	map_each (&p->branches, e) {
		if (e->a == BRANCH_OUTSIDE || e->b == BRANCH_OUTSIDE || !e->n)
			continue;
		x = map_at(&m->union_of, e->a, e->b);
		if (!x)
			return -1;
		*(side ? &x->m : &x->n) = e->n;
	}
	map_each (&p->ranges, e) {
		f = function_of(m, e->a);
		if (f != EDGE_NO_FUNCTION && !map_at(&m->hot, f, 0))
			return -1;
	}
	return 0;
}

static int add_edge(struct maker *m, const struct edge *edge)
{
	return vector_add(&m->out->items, *edge);
}

/* What kind of branch is at edge->from, and does it lead to the next instruction? */
static void classify(struct maker *m, struct edge *edge)
{
	static const uint8_t kinds[] = {
		[ISA_JUMP] = EDGE_JUMP,
		[ISA_JUMP_CONDITIONAL] = EDGE_TAKEN,
		[ISA_JUMP_INDIRECT] = EDGE_INDIRECT,
		[ISA_CALL] = EDGE_CALL,
		[ISA_CALL_INDIRECT] = EDGE_CALL,
		[ISA_RETURN] = EDGE_RETURN,
	};
	struct isa_insn insn;

	edge->kind = EDGE_JUMP;
	if (!binary_decode(m->binary, edge->from, &insn) || !isa_is_branch(insn.kind))
		return;
	edge->kind = kinds[insn.kind];
	edge->to_next = (edge->kind == EDGE_JUMP || edge->kind == EDGE_TAKEN) &&
			edge->to == edge->from + insn.length;
}

static int add_taken(struct maker *m)
{
	uint64_t returns[2] = {0}, to_next[2] = {0};

	for (struct map_entry *e = NULL; (e = map_next(&m->union_of, e));) {
		struct edge edge = {.from = e->a,
				    .to = e->b,
				    .counts = {e->n, e->m},
				    .function = function_of(m, e->a)};

		classify(m, &edge);
		for (unsigned side = 0; side < 2; side++) {
			m->out->taken[side] += edge.counts[side];
			if (edge.function == EDGE_NO_FUNCTION)
				m->out->homeless[side] += edge.counts[side];
			returns[side] += edge.kind == EDGE_RETURN ? edge.counts[side] : 0;
			to_next[side] += edge.to_next ? edge.counts[side] : 0;
		}
		if (add_edge(m, &edge))
			return -1;
	}
	m->out->without_returns = !returns[0] || !returns[1];
	m->out->without_jumps_to_next = !to_next[0] != !to_next[1];
	m->out->without_functions = m->out->taken[0] == m->out->homeless[0] &&
				    m->out->taken[1] == m->out->homeless[1];
	return 0;
}

static int add_not_taken(struct maker *m, const struct code *code, size_t function)
{
	for (size_t i = 0; i + 1 < code->count; i++) {
		const struct isa_insn *insn = &code->insns[i];
		struct edge edge = {.from = insn->address,
				    .to = insn->address + insn->length,
				    .function = function,
				    .kind = EDGE_NOT_TAKEN,
				    .to_next = insn->target == insn->address + insn->length};

		if (insn->kind != ISA_JUMP_CONDITIONAL)
			continue;
		for (unsigned side = 0; side < 2; side++)
			edge.counts[side] = passing_over(&m->passing[side], insn->address);
		if ((edge.counts[0] || edge.counts[1]) && add_edge(m, &edge))
			return -1;
	}
	return 0;
}

static int add_all_not_taken(struct maker *m)
{
	struct code_cache *cache = code_cache_new(m->binary);
	size_t count;
	const struct binary_function *all = binary_functions(m->binary, &count);
	int rc = cache ? 0 : -1;

	for (struct map_entry *e = NULL; !rc && (e = map_next(&m->hot, e));) {
		const struct code *code = code_cache_get(cache, &all[e->a]);

		rc = code ? add_not_taken(m, code, e->a) : -1;
	}
	code_cache_free(cache);
	return rc;
}

/* A conditional jump to the next instruction has two edges with the same ends. */
ORDER_BY(compare_edges, struct edge, ORDER_UP(from) ?: ORDER_UP(to) ?: ORDER_UP(kind));

static bool is_left_out(const struct edges *edges, const struct edge *edge)
{
	return (edges->without_returns && edge->kind == EDGE_RETURN) ||
	       (edges->without_jumps_to_next && edge->to_next);
}

static void leave_out(struct edges *edges)
{
	size_t kept = 0;

	for (size_t i = 0; i < edges->items.count; i++)
		if (!is_left_out(edges, &edges->items.items[i]))
			edges->items.items[kept++] = edges->items.items[i];
	edges->items.count = kept;
}

int edges_make(struct edges *out, struct binary *b, const struct branch_profile *first,
	       const struct branch_profile *second, struct softlbr_error *e)
{
	struct maker m = {.out = out, .binary = b, .profiles = {first, second}};
	int rc = passing_init(&m.passing[0], first) || passing_init(&m.passing[1], second) ||
				 join_side(&m, 0) || join_side(&m, 1) || add_taken(&m) ||
				 add_all_not_taken(&m)
			 ? error_set_nomem(e)
			 : 0;

	if (!rc)
		leave_out(out);
	vector_sort(&out->items, compare_edges);
	passing_deinit(&m.passing[0]);
	passing_deinit(&m.passing[1]);
	map_deinit(&m.union_of);
	map_deinit(&m.hot);
	return rc;
}

void edges_deinit(struct edges *edges)
{
	vector_deinit(&edges->items);
}

int edges_count(const struct edges *edges, const struct branch_profile *p, uint64_t *counts,
		struct softlbr_error *e)
{
	struct passing passing = {0};
	int rc = passing_init(&passing, p) ? error_set_nomem(e) : 0;

	for (size_t i = 0; i < edges->items.count && !rc; i++) {
		const struct edge *edge = &edges->items.items[i];
		const struct map_entry *found = edge->kind == EDGE_NOT_TAKEN
							? NULL
							: map_find(&p->branches, edge->from,
								   edge->to);

		counts[i] = edge->kind == EDGE_NOT_TAKEN ? passing_over(&passing, edge->from)
			    : found			 ? found->n
							 : 0;
	}
	passing_deinit(&passing);
	return rc;
}

bool edges_note_holds(const struct edges *edges, enum edges_note note)
{
	switch (note) {
	case EDGES_WITHOUT_RETURNS:
		return edges->without_returns;
	case EDGES_WITHOUT_JUMPS_TO_NEXT:
		return edges->without_jumps_to_next;
	case EDGES_WITHOUT_FUNCTIONS:
		return edges->without_functions;
	default:
		return false;
	}
}

const char *edges_note_text(enum edges_note note)
{
	switch (note) {
	case EDGES_WITHOUT_RETURNS:
		return "returns are left out: one side has none";
	case EDGES_WITHOUT_JUMPS_TO_NEXT:
		return "jumps to the next instruction are left out: one side has none";
	default:
		return "taken branches and calls alone are compared: none is in a function that "
		       "symbols, unwind tables or calls tell of";
	}
}

/* ---- scores -------------------------------------------------------------------------------- */

/* Which edges a score is of. */
enum subset { ALL, TAKEN, CALLS, CONDITIONAL };

static bool is_in(enum subset subset, uint8_t kind)
{
	switch (subset) {
	case TAKEN:
		return kind != EDGE_NOT_TAKEN;
	case CALLS:
		return kind == EDGE_CALL;
	case CONDITIONAL:
		return kind == EDGE_TAKEN || kind == EDGE_NOT_TAKEN;
	default:
		return true;
	}
}

static void totals(const struct edge *items, size_t count, enum subset subset, double total[2])
{
	total[0] = total[1] = 0;
	for (size_t i = 0; i < count; i++)
		if (is_in(subset, items[i].kind)) {
			total[0] += (double)items[i].counts[0];
			total[1] += (double)items[i].counts[1];
		}
}

static double overlap(const struct edge *items, size_t count, enum subset subset)
{
	double total[2], sum = 0;

	totals(items, count, subset, total);
	if (total[0] <= 0 && total[1] <= 0)
		return NAN;
	if (total[0] <= 0 || total[1] <= 0)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (is_in(subset, items[i].kind))
			sum += fmin((double)items[i].counts[0] / total[0],
				    (double)items[i].counts[1] / total[1]);
	return sum;
}

/* ---- functions ----------------------------------------------------------------------------- */

ORDER_BY(by_loss, struct edge_function,
	 order_reals(b->lost, a->lost)
	 ?: order_reals(b->share[0] + b->share[1], a->share[0] + a->share[1])
	 ?: ORDER_UP(function));

static double lost(const struct edge *items, size_t count, const double total[2],
		   unsigned reference)
{
	unsigned other = !reference;
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		double of_reference = total[reference] > 0 ? (double)items[i].counts[reference] /
								     total[reference]
							   : 0;
		double of_other = total[other] > 0 ? (double)items[i].counts[other] / total[other]
						   : 0;

		sum += fmax(0, of_reference - of_other);
	}
	return sum;
}

static int add_function(const struct edge *items, size_t count, const double total[2],
			unsigned reference, struct edge_functions *out)
{
	struct edge_function *f = vector_push(&out->items);
	double its[2];

	if (!f)
		return -1;
	totals(items, count, ALL, its);
	f->function = items->function;
	for (unsigned side = 0; side < 2; side++)
		f->share[side] = total[side] > 0 ? its[side] / total[side] : 0;
	f->within = overlap(items, count, ALL);
	f->lost = lost(items, count, total, reference);
	return 0;
}

/* The functions by address, whose edges are neighbours; those in no function, which lie between,
 * are one of their own. */
static int each_function(const struct edges *edges, unsigned reference, struct edge_functions *out)
{
	const struct edge *items = edges->items.items;
	size_t n = edges->items.count, next;
	struct edges homeless = {0};
	double total[2];
	int rc = 0;

	totals(items, n, ALL, total);
	for (size_t i = 0; i < n && !rc; i = next) {
		for (next = i + 1; next < n && items[next].function == items[i].function;)
			next++;
		if (items[i].function != EDGE_NO_FUNCTION) {
			rc = add_function(items + i, next - i, total, reference, out);
			continue;
		}
		for (size_t k = i; k < next && !rc; k++) {
			if (vector_add(&homeless.items, items[k]))
				rc = -1;
		}
	}
	if (!rc && homeless.items.count)
		rc = add_function(homeless.items.items, homeless.items.count, total, reference,
				  out);
	edges_deinit(&homeless);
	return rc;
}

int edge_score_functions(const struct edges *edges, unsigned reference, struct edge_functions *out)
{
	if (each_function(edges, reference, out))
		return -1;
	vector_sort(&out->items, by_loss);
	return 0;
}

static int score_functions(const struct edges *edges, unsigned reference, struct edge_score *out)
{
	struct edge_functions functions = {0};
	const struct edge_function *f;
	int rc = each_function(edges, reference, &functions);

	vector_each (&functions.items, f) {
		out->function += fmin(f->share[0], f->share[1]);
		if (f->share[reference] > 0)
			out->within += f->share[reference] * f->within;
	}
	vector_deinit(&functions.items);
	return rc;
}

/* ---- conditional jumps ----------------------------------------------------------------------*/

/* The edges of one conditional jump: how often taken and how often run, on each side. */
static size_t gather(const struct edge *items, size_t count, double taken[2], double run[2])
{
	size_t i = 0;

	taken[0] = taken[1] = run[0] = run[1] = 0;
	for (; i < count && items[i].from == items[0].from; i++)
		for (unsigned side = 0; side < 2; side++) {
			double n = (double)items[i].counts[side];

			if (items[i].kind == EDGE_TAKEN)
				taken[side] += n;
			if (items[i].kind == EDGE_TAKEN || items[i].kind == EDGE_NOT_TAKEN)
				run[side] += n;
		}
	return i;
}

static void score_ratios(const struct edges *edges, unsigned reference, struct edge_score *out)
{
	double taken[2], run[2], error = 0, weight = 0, covered = 0;
	unsigned other = !reference;

	for (size_t i = 0; i < edges->items.count;) {
		i += gather(edges->items.items + i, edges->items.count - i, taken, run);
		weight += run[reference];
		if (run[reference] <= 0 || run[other] <= 0)
			continue;
		covered += run[reference];
		error += run[reference] *
			 fabs(taken[reference] / run[reference] - taken[other] / run[other]);
	}
	out->taken_ratio_error = covered > 0 ? error / covered : NAN;
	out->taken_ratio_covered = weight > 0 ? covered / weight : 0;
}

int edge_score_compare(const struct edges *edges, unsigned reference, struct edge_score *out)
{
	const struct edge *items = edges->items.items;
	size_t count = edges->items.count;

	*out = (struct edge_score){
		.branch = overlap(items, count, TAKEN),
		.edge = overlap(items, count, ALL),
		.call = overlap(items, count, CALLS),
		.jump = overlap(items, count, CONDITIONAL),
	};
	score_ratios(edges, reference, out);
	if (!edges->without_functions)
		return score_functions(edges, reference, out);
	out->edge = out->jump = out->within = out->function = NAN;
	out->taken_ratio_error = NAN;
	return 0;
}

void edge_score_levels(const struct edge_score *s, double scores[DIFF_LEVELS])
{
	scores[DIFF_FUNCTION] = s->function;
	scores[DIFF_EDGE] = s->edge;
	scores[DIFF_BRANCH] = s->branch;
	scores[DIFF_WITHIN] = s->within;
	scores[DIFF_JUMP] = s->jump;
	scores[DIFF_CALL] = s->call;
}
