/* SPDX-License-Identifier: MIT */
#include "converter/layout/block_layouts.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/order.h"
#include "converter/debuginfo/debuginfo.h"
#include "converter/layout/ext_tsp.h"

/* One jump of so many that leads to where no block begins tells that the map is of other code. */
#define WRONG_MOST 20

/* A function that ran. */
struct candidate {
	uint32_t number; /* in the map */
	const char *name;
	const char *module; /* NULL: its name alone says which it is */
};

struct layout_maker {
	struct binary *binary;
	const struct block_counts *counts;
	struct block_layout *out;
	struct block_layouts_stats *stats;
	struct map_entry **jumps;   /* of the counts, sorted */
	uint32_t *places;	    /* of each block of the map: its number among the hot ones */
	uint32_t *laid;		    /* of each function of the map: its number in the layout, + 1 */
	VECTOR(const char *) names; /* of all functions, sorted */
	struct debuginfo *info;	    /* once it was asked for; NULL: none, or of no use */
	bool info_asked;
	VECTOR(struct candidate) candidates;
};

/* ---- which functions ------------------------------------------------------------------------- */

ORDER_BY(compare_ids, uint32_t, order_numbers(*a, *b));

/* Do the ids tell the function's blocks apart, with 0 for the entry, as clang counts? 1, 0, or -1
 * without memory. */
static int has_ids(const struct block_map *map, const struct mapped_function *f)
{
	const struct mapped_block *blocks = vector_at(&map->blocks, f->first);
	uint32_t *ids = memory_alloc_array(f->blocks + 1, sizeof(*ids));
	int good = !ids ? -1 : f->blocks && !blocks->id && blocks->begin == f->entry;

	for (uint32_t i = 0; i < f->blocks && good > 0; i++)
		ids[i] = blocks[i].id;
	if (good > 0)
		qsort(ids, f->blocks, sizeof(*ids), compare_ids);
	for (uint32_t i = 1; i < f->blocks && good > 0; i++)
		good = ids[i] != ids[i - 1];
	memory_free(ids);
	return good;
}

static int sort_names(struct layout_maker *m)
{
	size_t count;
	const struct binary_function *f = binary_functions(m->binary, &count);

	if (vector_reserve(&m->names, count + 1))
		return -1;
	for (size_t i = 0; i < count; i++)
		m->names.items[m->names.count++] = f[i].name;
	vector_sort(&m->names, order_texts);
	return 0;
}

static bool is_unique(const struct layout_maker *m, const char *name)
{
	const char **it;
	size_t first = vector_count_while(&m->names, it, strcmp(*it, name) < 0);

	return first + 1 >= m->names.count || strcmp(m->names.items[first + 1], name) != 0;
}

/* The source of the code at @va as the compiler was told it; NULL if it is not known. */
static const char *module_at(struct layout_maker *m, uint64_t va)
{
	const char *name;

	if (!m->info_asked)
		m->info = debuginfo_open(m->binary, NULL);
	m->info_asked = true;
	name = m->info ? debuginfo_source_name(m->info, va) : NULL;
	return name && *name && !name[strcspn(name, " \t\r\n")] ? name : NULL;
}

/* Which counter of the stats it falls under; NULL: it is a candidate. */
static uint64_t *refuse_function(struct layout_maker *m, uint32_t number, struct candidate *c)
{
	const struct block_counts_function *counted = &m->counts->functions[number];
	const struct mapped_function *f = &m->counts->map->functions.items[number];
	const struct binary_function *symbol = binary_function_at(m->binary, f->entry);

	if (counted->wrong * WRONG_MOST > counted->jumps)
		return &m->stats->contradicted;
	if (!symbol || symbol->begin != f->entry || !block_layout_takes_name(symbol->name))
		return &m->stats->unnamed;
	*c = (struct candidate){number, symbol->name, NULL};
	if (symbol->global || is_unique(m, symbol->name))
		return NULL;
	c->module = module_at(m, f->entry);
	return c->module ? NULL : &m->stats->ambiguous;
}

static int find_candidates(struct layout_maker *m)
{
	const struct block_map *map = m->counts->map;

	for (uint32_t i = 0; i < map->functions.count; i++) {
		struct candidate c;
		uint64_t *refused;
		int good;

		if (!m->counts->functions[i].bytes)
			continue;
		m->stats->functions++;
		good = has_ids(map, &map->functions.items[i]);
		refused = good ? refuse_function(m, i, &c) : &m->stats->contradicted;
		if (refused)
			++*refused;
		if (good < 0 || (!refused && vector_add(&m->candidates, c)))
			return -1;
	}
	return 0;
}

/* By name and source, then as in the map. */
ORDER_BY(compare_candidates, struct candidate,
	 strcmp(a->name, b->name)
		 ?: strcmp(a->module ? a->module : "", b->module ? b->module : "")
		 ?: ORDER_UP(number));

static bool are_alike(const struct candidate *a, const struct candidate *b)
{
	return a->module && b->module && !strcmp(a->name, b->name) && !strcmp(a->module, b->module);
}

ORDER_BY(by_number, struct candidate, ORDER_UP(number));

/* Functions that clang could not tell apart are none. */
static void drop_alike(struct layout_maker *m)
{
	struct candidate *c = m->candidates.items;
	size_t count = m->candidates.count, kept = 0;

	vector_sort(&m->candidates, compare_candidates);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && are_alike(&c[i], &c[end]);)
			end++;
		if (end == i + 1)
			c[kept++] = c[i];
		else
			m->stats->ambiguous += end - i;
	}
	m->candidates.count = kept;
	vector_sort(&m->candidates, by_number);
}

/* ---- their blocks ---------------------------------------------------------------------------- */

/* A function's blocks that ran, by number in the map, and the jumps between them. */
struct hot_blocks {
	VECTOR(uint32_t) numbers;
	VECTOR(struct ext_tsp_block) blocks;
	VECTOR(struct ext_tsp_jump) jumps;
	uint64_t bytes;
};

static int find_hot(struct layout_maker *m, const struct mapped_function *f, struct hot_blocks *hot)
{
	const struct block_map *map = m->counts->map;

	for (uint32_t i = f->first; i < f->first + f->blocks; i++) {
		const struct mapped_block *b = &map->blocks.items[i];
		struct ext_tsp_block block = {b->end - b->begin, m->counts->runs[i]};

		m->places[i] = (uint32_t)hot->numbers.count;
		if (!block.count && i != f->first)
			continue;
		hot->bytes += block.bytes;
		if (vector_add(&hot->numbers, i) || vector_add(&hot->blocks, block))
			return -1;
	}
	return 0;
}

static int find_jumps(struct layout_maker *m, const struct mapped_function *f,
		      struct hot_blocks *hot)
{
	struct {
		struct map_entry **items;
		size_t count;
	} all = {m->jumps, m->counts->jumps.count};
	struct map_entry **j;

	for (size_t i = vector_count_while(&all, j, (*j)->a <= f->first);
	     i < all.count && all.items[i]->a <= f->first + f->blocks; i++) {
		uint64_t from = all.items[i]->a - 1, to = all.items[i]->b - 1;

		/* what branches alone tell of did not run by ranges */
		if ((m->counts->runs[from] || from == f->first) &&
		    (m->counts->runs[to] || to == f->first) &&
		    vector_add(&hot->jumps, (struct ext_tsp_jump){m->places[from], m->places[to],
								  all.items[i]->n}))
			return -1;
	}
	return 0;
}

static int add_ids(struct layout_maker *m, const struct mapped_function *f, struct hot_blocks *hot)
{
	struct ext_tsp_graph g;
	uint32_t *order;
	int rc;

	if (find_hot(m, f, hot) || find_jumps(m, f, hot))
		return -1;
	g = (struct ext_tsp_graph){hot->blocks.items, (uint32_t)hot->blocks.count, hot->jumps.items,
				   hot->jumps.count};
	order = memory_alloc_array(g.block_count, sizeof(*order));
	rc = order ? ext_tsp_order(&g, order) : -1;
	for (uint32_t i = 0; i < g.block_count && !rc; i++)
		rc = vector_add(&m->out->ids,
				m->counts->map->blocks.items[hot->numbers.items[order[i]]].id);
	memory_free(order);
	return rc;
}

/* ---- the layout ------------------------------------------------------------------------------ */

static int add_names(struct layout_maker *m, uint64_t va, const struct candidate *c)
{
	struct {
		const struct binary_alias *items;
		size_t count;
	} all;
	const struct binary_alias *a;

	all.items = binary_aliases(m->binary, &all.count);
	if (vector_add(&m->out->names, c->name))
		return -1;
	for (size_t i = vector_count_while(&all, a, a->va < va);
	     i < all.count && all.items[i].va == va; i++)
		if (block_layout_takes_name(all.items[i].name) &&
		    vector_add(&m->out->names, all.items[i].name))
			return -1;
	return 0;
}

static int keep_module(struct layout_maker *m, const char *text, struct laid_function *to)
{
	uint32_t number = text ? strings_add_text(m->out->modules, text) : 0;

	if (text && number != STRINGS_NONE)
		to->module = strings_text(m->out->modules, number);
	return number == STRINGS_NONE ? -1 : 0;
}

static int lay_function(struct layout_maker *m, const struct candidate *c)
{
	const struct mapped_function *f = &m->counts->map->functions.items[c->number];
	struct hot_blocks hot = {0};
	struct laid_function laid = {.name = (uint32_t)m->out->names.count,
				     .id = (uint32_t)m->out->ids.count};
	int rc = keep_module(m, c->module, &laid) || add_ids(m, f, &hot) ||
		 add_names(m, f->entry, c);
	struct graph_function of_graph = {c->name, hot.bytes ? hot.bytes : 1,
					  m->counts->functions[c->number].bytes, 0};

	laid.ids = (uint32_t)hot.numbers.count;
	laid.names = (uint32_t)m->out->names.count - laid.name;
	laid.has_cold = laid.ids < f->blocks;
	m->stats->hot += laid.ids;
	m->stats->cold += f->blocks - laid.ids;
	m->stats->bytes_laid += of_graph.weight;
	rc = rc || vector_add(&m->out->functions, laid) ||
	     vector_add(&m->out->graph.functions, of_graph);
	m->laid[c->number] = (uint32_t)m->out->functions.count;
	vector_deinit(&hot.numbers);
	vector_deinit(&hot.blocks);
	vector_deinit(&hot.jumps);
	return rc ? -1 : 0;
}

static int lay_all(struct layout_maker *m)
{
	struct map_entry **calls = map_sorted(&m->counts->calls);
	const struct candidate *c;
	int rc = calls || !m->counts->calls.count ? 0 : -1;

	vector_each (&m->candidates, c)
		rc = rc ?: lay_function(m, c);
	for (size_t i = 0; i < m->counts->calls.count && !rc; i++) {
		uint32_t from = m->laid[calls[i]->a - 1], to = m->laid[calls[i]->b - 1];

		if (from && to)
			rc = vector_add(&m->out->graph.calls,
					(struct graph_call){from - 1, to - 1, calls[i]->n, 0});
	}
	memory_free(calls);
	return rc;
}

int block_layouts_make(struct block_layout *out, struct binary *b,
		       const struct block_counts *counts, bool modules,
		       struct block_layouts_stats *stats, struct softlbr_error *e)
{
	struct layout_maker m = {
		.binary = b, .counts = counts, .out = out, .stats = stats, .info_asked = !modules};
	int rc = -1;

	*stats = (struct block_layouts_stats){.bytes = counts->bytes};
	out->modules = strings_new();
	m.jumps = map_sorted(&counts->jumps);
	m.places = memory_alloc_array(counts->map->blocks.count + 1, sizeof(*m.places));
	m.laid = memory_alloc_array(counts->map->functions.count + 1, sizeof(*m.laid));
	if (out->modules && (m.jumps || !counts->jumps.count) && m.places && m.laid)
		rc = sort_names(&m) ?: find_candidates(&m);
	if (!rc) {
		drop_alike(&m);
		rc = lay_all(&m);
	}
	debuginfo_close(m.info);
	vector_deinit(&m.names);
	vector_deinit(&m.candidates);
	memory_free(m.jumps);
	memory_free(m.places);
	memory_free(m.laid);
	return rc ? error_set_nomem(e) : 0;
}
