/* SPDX-License-Identifier: MIT */
#include "converter/layout/ext_tsp.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/order.h"

#define FORWARD_BYTES  1024
#define BACKWARD_BYTES 640
#define SHORT_WORTH    0.1
/* Longer chains are not split: what that costs grows faster than what it gains. */
#define SPLIT_BLOCKS_MAX 128
/* What sums of worths are off by. */
#define NO_GAIN 1e-6

/* ---- what a jump is worth -------------------------------------------------------------------- */

static double worth(uint64_t count, uint64_t end, uint64_t to)
{
	uint64_t distance = to > end ? to - end : end - to,
		 most = to > end ? FORWARD_BYTES : BACKWARD_BYTES;

	if (to == end)
		return (double)count;
	if (distance > most)
		return 0;
	return SHORT_WORTH * (double)count * (1 - (double)distance / (double)most);
}

double ext_tsp_score(const struct ext_tsp_graph *g, const uint64_t *addresses)
{
	double sum = 0;

	for (size_t i = 0; i < g->jump_count; i++) {
		const struct ext_tsp_jump *j = &g->jumps[i];

		sum += worth(j->count, addresses[j->from] + g->blocks[j->from].bytes,
			     addresses[j->to]);
	}
	return sum;
}

/* ---- chains ---------------------------------------------------------------------------------- */

typedef VECTOR(uint32_t) numbers;

struct chain {
	numbers blocks; /* in order; none: it is a part of another */
	numbers inner;	/* jumps within it */
	numbers links;	/* to other chains */
	uint64_t bytes, count;
};

/* Where a block is. */
struct place {
	uint32_t chain, at; /* its number there */
	uint64_t offset;    /* from the chain's beginning */
};

/* Chain @first is cut in two before block @cut (0: it is whole), and @second is put ... */
enum joint { BEHIND, BETWEEN, BEFORE_TAIL, BEHIND_HEAD };

/* In terms of the cut one's head H and tail T, and the other one, O. */
static const char *const joints[] = {
	[BEHIND] = "HTO", [BETWEEN] = "HOT", [BEFORE_TAIL] = "OTH", [BEHIND_HEAD] = "THO"};

struct merger {
	double gain;
	uint32_t first, second, cut;
	enum joint joint;
};

/* Two chains with jumps between them. */
struct link {
	uint32_t a, b;
	numbers jumps;
	struct merger best; /* if not stale */
	bool stale, gone;
};

struct solver {
	const struct ext_tsp_graph *g;
	struct chain *chains;
	struct place *places;
	VECTOR(struct link) links;
	struct map link_of; /* (smaller chain, larger chain) -> n = number of link + 1 */
};

static bool holds_entry(const struct solver *s, uint32_t chain)
{
	return !s->places[0].at && s->places[0].chain == chain;
}

/* ---- what a merger gains --------------------------------------------------------------------- */

/* Where the parts of a merger begin. */
struct parts {
	uint32_t first, cut;
	uint64_t cut_bytes, head, tail, other;
};

static struct parts parts_of(const struct solver *s, const struct merger *m)
{
	const struct chain *first = &s->chains[m->first], *second = &s->chains[m->second];
	uint64_t at = 0;
	struct parts p = {.first = m->first, .cut = m->cut, .cut_bytes = first->bytes};

	if (m->cut)
		p.cut_bytes = s->places[first->blocks.items[m->cut]].offset;
	else
		p.cut = (uint32_t)first->blocks.count;
	for (const char *part = joints[m->joint]; *part; part++) {
		uint64_t *begin = *part == 'H' ? &p.head : *part == 'T' ? &p.tail : &p.other;

		*begin = at;
		at += *part == 'H'   ? p.cut_bytes
		      : *part == 'T' ? first->bytes - p.cut_bytes
				     : second->bytes;
	}
	return p;
}

static uint64_t address_in(const struct solver *s, const struct parts *p, uint32_t block)
{
	const struct place *at = &s->places[block];

	if (at->chain != p->first)
		return p->other + at->offset;
	return at->at < p->cut ? p->head + at->offset : p->tail + at->offset - p->cut_bytes;
}

static double worth_in(const struct solver *s, const struct parts *p, const numbers *jumps)
{
	double sum = 0;

	for (size_t i = 0; i < jumps->count; i++) {
		const struct ext_tsp_jump *j = &s->g->jumps[jumps->items[i]];

		sum += worth(j->count, address_in(s, p, j->from) + s->g->blocks[j->from].bytes,
			     address_in(s, p, j->to));
	}
	return sum;
}

/* @best becomes that merger, if it gains more. */
static void consider(const struct solver *s, const struct link *l, struct merger m,
		     struct merger *best)
{
	const struct chain *first = &s->chains[m.first];
	struct parts p = parts_of(s, &m),
		     whole = {.first = m.first, .cut = (uint32_t)first->blocks.count};

	m.gain = worth_in(s, &p, &l->jumps);
	if (m.cut && m.gain > best->gain + NO_GAIN) /* no cut gains within the chain as it is */
		m.gain += worth_in(s, &p, &first->inner) - worth_in(s, &whole, &first->inner);
	if (m.gain > best->gain + NO_GAIN)
		*best = m;
}

/* Cut @first before block @cut, so that one of the other's jumps falls through there. */
static void consider_cut(const struct solver *s, const struct link *l, struct merger m,
			 struct merger *best)
{
	if (!m.cut || m.cut >= s->chains[m.first].blocks.count)
		return;
	m.joint = BETWEEN;
	if (!holds_entry(s, m.second))
		consider(s, l, m, best);
	if (holds_entry(s, m.first))
		return;
	m.joint = BEFORE_TAIL;
	consider(s, l, m, best);
	m.joint = BEHIND_HEAD;
	if (!holds_entry(s, m.second))
		consider(s, l, m, best);
}

static void consider_cuts(const struct solver *s, const struct link *l, struct merger m,
			  struct merger *best)
{
	const numbers *second = &s->chains[m.second].blocks;

	if (s->chains[m.first].blocks.count > SPLIT_BLOCKS_MAX)
		return;
	for (size_t i = 0; i < l->jumps.count; i++) {
		const struct ext_tsp_jump *j = &s->g->jumps[l->jumps.items[i]];

		if (j->to == second->items[0])
			m.cut = s->places[j->from].at + 1;
		else if (j->from == second->items[second->count - 1])
			m.cut = s->places[j->to].at;
		else
			continue;
		consider_cut(s, l, m, best);
	}
}

static void find_best(const struct solver *s, struct link *l)
{
	struct merger best = {0};

	for (int swapped = 0; swapped < 2; swapped++) {
		struct merger m = {.first = swapped ? l->b : l->a, .second = swapped ? l->a : l->b};

		if (!holds_entry(s, m.second))
			consider(s, l, m, &best);
		consider_cuts(s, l, m, &best);
	}
	l->best = best;
	l->stale = false;
}

/* ---- merging --------------------------------------------------------------------------------- */

/* The link of two chains, made if there is none; NULL without memory. */
static struct link *link_between(struct solver *s, uint32_t a, uint32_t b)
{
	uint32_t low = a < b ? a : b, high = a < b ? b : a;
	size_t before = s->links.count;
	struct link *l = map_item(&s->link_of, low, high, &s->links,
				  (struct link){.a = low, .b = high, .stale = true});

	if (l && s->links.count > before &&
	    (vector_add(&s->chains[low].links, (uint32_t)before) ||
	     vector_add(&s->chains[high].links, (uint32_t)before)))
		return NULL;
	return l;
}

static int append(numbers *to, const numbers *from)
{
	if (!from->count)
		return 0;
	if (vector_reserve(to, from->count))
		return -1;
	memcpy(to->items + to->count, from->items, from->count * sizeof(*from->items));
	to->count += from->count;
	return 0;
}

/* The chains' blocks in their new order, those of the first one. */
static int order_blocks(struct solver *s, const struct merger *m)
{
	struct chain *to = &s->chains[m->first], *from = &s->chains[m->second];
	uint32_t cut = m->cut ? m->cut : (uint32_t)to->blocks.count;
	numbers head = {to->blocks.items, cut, 0},
		tail = {vector_at(&to->blocks, cut), to->blocks.count - cut, 0}, all = {0};
	int rc = 0;

	for (const char *part = joints[m->joint]; *part && !rc; part++)
		rc = append(&all, *part == 'H' ? &head : *part == 'T' ? &tail : &from->blocks);
	vector_deinit(&to->blocks);
	vector_deinit(&from->blocks);
	to->blocks = all;
	to->bytes = 0;
	to->count += from->count;
	for (uint32_t i = 0; i < all.count; i++) {
		s->places[all.items[i]] = (struct place){m->first, i, to->bytes};
		to->bytes += s->g->blocks[all.items[i]].bytes;
	}
	return rc;
}

/* What the chain that was merged was linked to, the other one is from here on. */
static int move_links(struct solver *s, const struct merger *m)
{
	struct chain *from = &s->chains[m->second];

	for (size_t i = 0; i < from->links.count; i++) {
		struct link *old = &s->links.items[from->links.items[i]], *l;
		uint32_t other = old->a == m->second ? old->b : old->a;
		numbers jumps = old->jumps;
		int rc;

		if (old->gone)
			continue;
		old->gone = true;
		old->jumps = (numbers){0};
		l = other == m->first ? NULL : link_between(s, m->first, other);
		rc = other == m->first ? append(&s->chains[m->first].inner, &jumps)
		     : l	       ? append(&l->jumps, &jumps)
				       : -1;
		vector_deinit(&jumps);
		if (rc)
			return -1;
	}
	vector_deinit(&from->links);
	return 0;
}

static int merge(struct solver *s, const struct merger *m)
{
	numbers *links = &s->chains[m->first].links;

	if (order_blocks(s, m) || move_links(s, m) ||
	    append(&s->chains[m->first].inner, &s->chains[m->second].inner))
		return -1;
	vector_deinit(&s->chains[m->second].inner);
	for (size_t i = 0; i < links->count; i++)
		s->links.items[links->items[i]].stale = true;
	return 0;
}

static int merge_all(struct solver *s)
{
	for (;;) {
		struct merger best = {0};
		struct link *l;

		vector_each (&s->links, l) {
			if (l->gone)
				continue;
			if (l->stale)
				find_best(s, l);
			if (l->best.gain > best.gain + NO_GAIN)
				best = l->best;
		}
		if (best.gain <= NO_GAIN)
			return 0;
		if (merge(s, &best))
			return -1;
	}
}

/* ---- the order ------------------------------------------------------------------------------- */

/* One chain of each block. */
static int begin_chains(struct solver *s)
{
	for (uint32_t i = 0; i < s->g->block_count; i++) {
		const struct ext_tsp_block *b = &s->g->blocks[i];

		s->chains[i].bytes = b->bytes;
		s->chains[i].count = b->count;
		s->places[i] = (struct place){i, 0, 0};
		if (vector_add(&s->chains[i].blocks, i))
			return -1;
	}
	for (uint32_t i = 0; i < s->g->jump_count; i++) {
		const struct ext_tsp_jump *j = &s->g->jumps[i];
		struct link *l = NULL;

		if (j->from == j->to)
			continue;
		l = link_between(s, j->from, j->to);
		if (!l || vector_add(&l->jumps, i))
			return -1;
	}
	return 0;
}

struct ranked_chain {
	bool entry;
	double density;
	uint32_t chain;
};

ORDER_BY(by_density, struct ranked_chain,
	 ORDER_DOWN(entry) ?: ORDER_DOWN(density) ?: ORDER_UP(chain));

static int write_order(const struct solver *s, uint32_t *order)
{
	struct ranked_chain *ranked = memory_alloc_array(s->g->block_count, sizeof(*ranked));
	uint32_t count = 0, n = 0;

	for (uint32_t i = 0; ranked && i < s->g->block_count; i++) {
		const struct chain *c = &s->chains[i];

		if (c->blocks.count)
			ranked[count++] = (struct ranked_chain){
				holds_entry(s, i),
				(double)c->count / (double)(c->bytes ? c->bytes : 1), i};
	}
	if (ranked)
		qsort(ranked, count, sizeof(*ranked), by_density);
	for (uint32_t i = 0; i < count; i++) {
		const numbers *blocks = &s->chains[ranked[i].chain].blocks;

		memcpy(order + n, blocks->items, blocks->count * sizeof(*order));
		n += (uint32_t)blocks->count;
	}
	memory_free(ranked);
	return ranked ? 0 : -1;
}

static void solver_deinit(struct solver *s)
{
	struct link *l;

	for (uint32_t i = 0; s->chains && i < s->g->block_count; i++) {
		vector_deinit(&s->chains[i].blocks);
		vector_deinit(&s->chains[i].inner);
		vector_deinit(&s->chains[i].links);
	}
	vector_each (&s->links, l)
		vector_deinit(&l->jumps);
	vector_deinit(&s->links);
	map_deinit(&s->link_of);
	memory_free(s->chains);
	memory_free(s->places);
}

int ext_tsp_order(const struct ext_tsp_graph *g, uint32_t *order)
{
	struct solver s = {.g = g};
	int rc = -1;

	if (g->block_count > EXT_TSP_BLOCKS_MAX) {
		for (uint32_t i = 0; i < g->block_count; i++)
			order[i] = i;
		return 0;
	}
	s.chains = memory_alloc_array(g->block_count, sizeof(*s.chains));
	s.places = memory_alloc_array(g->block_count, sizeof(*s.places));
	if (s.chains && s.places)
		rc = begin_chains(&s) || merge_all(&s) || write_order(&s, order) ? -1 : 0;
	solver_deinit(&s);
	return rc;
}
