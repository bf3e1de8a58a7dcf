/* SPDX-License-Identifier: MIT */
#include "converter/counters/evidence.h"

#include <string.h>

#include "base/memory.h"
#include "converter/counters/doubts.h"
#include "converter/counters/jump_evidence.h"

/* How far a kind of instruction can be relied on. */
#define WEIGHT_CALL    3.0
#define WEIGHT_STORE   1.5
#define WEIGHT_COMPUTE 1.0
#define WEIGHT_SELECT  0.5
#define WEIGHT_SHUFFLE 0.3
/* A jump's two ways. */
#define WEIGHT_JUMP	 1.0
#define WEIGHT_JUMP_MORE 0.3
#define WEIGHT_GOTO	 10.0
#define WEIGHT_LABEL	 10.0
/* A label may have another one's count; one without code of its own has lost its own. */
#define WEIGHT_MERGED 2.0
#define WEIGHT_ABSENT 0.5
/* Less than this of its jumps' sum shows that a block's jumps were merged. */
#define MERGED 0.98
/* What a copy in another machine block is held to be: part of the sum, more or less. */
#define PULL	       0.05
#define PULL_CONDITION 0.3
/* Of one that is known in part. */
#define SHARE_OF_SEVERAL 0.5
#define SHARE_OF_EACH	 0.3
#define SHARE_OF_ORDER	 0.7
/* Equal observations of one block: a little more than one. */
#define MORE_OF_EQUAL 0.2
#define MOST_OF_EQUAL 2.0

struct interval {
	uint64_t low, high;
	double weight, pull;
	double below; /* the weight of running less often */
};

/* An interval that is of one block. */
struct of_block {
	uint32_t block;
	struct interval is;
};

/* One observation, unrolled. */
struct item {
	const struct observation *o;
	uint64_t count;
};

struct collector {
	const struct key_index *keys;
	const struct observations *all;
	const struct key_function *f;
	struct evidence *out;
	VECTOR(struct item) items;  /* by place, discriminator, context, inner, kind, operation */
	VECTOR(struct item) chosen; /* by context, inner, kind, operation, block */
	VECTOR(struct of_block) single;
	VECTOR(uint32_t) inner, ordered; /* of a place */
	struct doubts doubts;
	struct map unrolled; /* (gcc's block, machine block), context -> n = how often */
};

void evidence_deinit(struct evidence *v)
{
	vector_deinit(&v->wishes);
	vector_deinit(&v->sums);
	vector_deinit(&v->blocks);
}

int evidence_wish(struct evidence *v, uint32_t of, uint64_t at, double below, double above)
{
	struct circulation_wish *w = vector_push(&v->wishes);

	if (!w)
		return -1;
	*w = (struct circulation_wish){.of = of,
				       .at = at,
				       .below = (uint32_t)(below * EVIDENCE_ONE),
				       .above = (uint32_t)(above * EVIDENCE_ONE)};
	return 0;
}

static int wish_interval(struct collector *c, uint32_t block, const struct interval *is)
{
	uint32_t of = CIRCULATION_NODE + block;

	if (is->low == is->high)
		return evidence_wish(c->out, of, is->low, is->below, is->weight);
	return evidence_wish(c->out, of, is->low, is->below, 0) ||
			       evidence_wish(c->out, of, is->high, is->pull, is->weight)
		       ? -1
		       : 0;
}

/* ---- from instructions to an interval ------------------------------------------------------ */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_kinds(const struct observation *a, const struct observation *b)
{
	int order = compare_numbers(a->context, b->context);

	if (!order)
		order = compare_numbers(a->inner, b->inner);
	if (!order)
		order = compare_numbers(a->kind, b->kind);
	return order ? order : compare_numbers(a->operation, b->operation);
}

static int by_kind(const void *x, const void *y)
{
	const struct item *a = x, *b = y;
	int order = compare_kinds(a->o, b->o);

	return order ? order : compare_numbers(a->o->block, b->o->block);
}

/* Of the instructions of one kind and operation the sum over machine blocks, and the greatest. */
struct tally {
	uint64_t sum, most;
	bool any;
};

static void tally_take(struct tally *t, uint64_t sum, uint64_t most)
{
	t->sum = sum > t->sum ? sum : t->sum;
	t->most = most > t->most ? most : t->most;
	t->any = true;
}

/* The statement of one inlined copy: from tallies to an interval. */
static void judge(const struct tally *kinds, bool calls, struct interval *is)
{
	const struct tally *store = &kinds[OBSERVATION_STORE], *select = &kinds[OBSERVATION_SELECT];
	bool condition = kinds[OBSERVATION_CONDITION].any;
	struct tally t = {0};
	double weight = WEIGHT_SHUFFLE;

	if (calls) { /* neither hoisted nor merged with another statement: copies add up */
		is->low += kinds[OBSERVATION_CALL].sum;
		is->high += kinds[OBSERVATION_CALL].sum;
		is->weight = WEIGHT_CALL;
		return;
	}
	if (store->any) {
		t = *store;
		weight = WEIGHT_STORE;
	} else if (select->any && !condition) { /* ran whether or not the block would have */
		for (size_t i = 0; i <= OBSERVATION_JUMP; i++)
			t.sum = kinds[i].sum > t.sum ? kinds[i].sum : t.sum;
		weight = WEIGHT_SELECT;
		is->pull = 0;
	} else {
		static const uint8_t good[] = {OBSERVATION_COMPUTE, OBSERVATION_CONDITION,
					       OBSERVATION_SELECT};

		for (size_t i = 0; i < sizeof(good); i++)
			if (kinds[good[i]].any)
				tally_take(&t, kinds[good[i]].sum, kinds[good[i]].most);
		if (t.any)
			weight = WEIGHT_COMPUTE;
		for (size_t i = 0; !t.any && i <= OBSERVATION_JUMP; i++)
			if (kinds[i].any) {
				tally_take(&t, kinds[i].sum, kinds[i].most);
				t.any = false;
			}
		if (condition)
			is->pull = PULL_CONDITION;
	}
	is->low += t.most;
	is->high += t.sum > t.most ? t.sum : t.most;
	is->weight = weight > is->weight ? weight : is->weight;
}

/* Of the chosen items, of one statement. */
static struct interval estimate(struct collector *c)
{
	struct interval is = {.pull = PULL};
	const struct item *i = c->chosen.items, *end = i + c->chosen.count;
	bool calls = false;

	vector_sort(&c->chosen, by_kind);
	for (; i < end; i++)
		calls |= i->o->kind == OBSERVATION_CALL;
	for (i = c->chosen.items; i < end;) {
		const struct item *copy = i;
		struct tally kinds[OBSERVATION_JUMP + 1] = {{0}};

		while (i < end && i->o->context == copy->o->context &&
		       i->o->inner == copy->o->inner) {
			const struct item *first = i;
			uint64_t sum = 0, most = 0;

			for (; i < end && !compare_kinds(first->o, i->o); i++) {
				/* once in a block, whatever the discriminator */
				if (i > first && i->o->block == i[-1].o->block)
					continue;
				sum += i->count;
				most = i->count > most ? i->count : most;
			}
			tally_take(&kinds[first->o->kind], sum, most);
		}
		judge(kinds, calls, &is);
	}
	return is;
}

/* Distinct blocks of a run that may hold one several times, by discriminator. */
static size_t count_blocks(const struct key_at *at, size_t n)
{
	size_t distinct = 0;

	for (size_t i = 0; i < n; i++) {
		size_t j = 0;

		while (j < i && at[j].block != at[i].block)
			j++;
		distinct += j == i;
	}
	return distinct;
}

/* ---- unrolling ----------------------------------------------------------------------------- */

struct copies {
	uint32_t block, machine, context;
	struct key_place place;
	uint32_t n;
};

static int by_machine(const void *x, const void *y)
{
	const struct copies *a = x, *b = y;
	int order = compare_numbers(a->block, b->block);

	if (!order)
		order = compare_numbers(a->context, b->context);
	if (!order)
		order = compare_numbers(a->machine, b->machine);
	return order ? order : memcmp(&a->place, &b->place, sizeof(a->place));
}

static bool same_machine(const struct copies *a, const struct copies *b)
{
	return a->block == b->block && a->context == b->context && a->machine == b->machine;
}

/* A block all of whose statements stand so often in one machine block was unrolled so often. */
static int note_unrolled(struct collector *c, const struct copies *i, const struct copies *end)
{
	uint32_t places = 0, least = UINT32_MAX;
	const struct copies *first = i;
	struct map_entry *e;

	while (i < end) {
		const struct copies *place = i;
		uint32_t most = 0;

		for (; i < end && !memcmp(&i->place, &place->place, sizeof(i->place)); i++)
			most = i->n > most ? i->n : most;
		places++;
		least = most < least ? most : least;
	}
	if (places < 2 || least < 2)
		return 0;
	e = map_at(&c->unrolled, (uint64_t)first->block << 32 | first->machine, first->context);
	if (!e)
		return -1;
	e->n = least;
	return 0;
}

static int find_unrolled(struct collector *c, const struct evidence_source *sources, size_t count)
{
	VECTOR(struct copies) all = {0};
	int rc = 0;

	for (size_t s = 0; s < count && !rc; s++)
		for (size_t i = sources[s].first; i < sources[s].end; i++) {
			const struct observation *o = &c->all->items.items[i];
			struct copies *slot;
			const struct key_at *at;
			size_t n;

			at = key_function_at(c->f, o->place, &n);
			if (o->kind > OBSERVATION_SELECT || o->kind == OBSERVATION_SHUFFLE ||
			    count_blocks(at, n) != 1)
				continue;
			slot = vector_push(&all);
			if (!slot) {
				rc = -1;
				break;
			}
			*slot = (struct copies){at[0].block, o->block, o->context, o->place,
						o->copies};
		}
	vector_sort(&all, by_machine);
	for (size_t i = 0, j; i < all.count && !rc; i = j) {
		for (j = i; j < all.count && same_machine(&all.items[i], &all.items[j]); j++)
			;
		rc = note_unrolled(c, &all.items[i], &all.items[j]);
	}
	vector_deinit(&all);
	return rc;
}

/* ---- statements ---------------------------------------------------------------------------- */

static int choose(struct collector *c, const struct item *i, const struct item *end, uint32_t inner)
{
	c->chosen.count = 0;
	for (; i < end; i++) {
		struct item *slot;

		if (inner != UINT32_MAX && i->o->inner != inner)
			continue;
		slot = vector_push(&c->chosen);
		if (!slot)
			return -1;
		*slot = *i;
	}
	return 0;
}

/* The chosen items are of @block. */
static int is_of_block(struct collector *c, uint32_t block, const struct interval *is)
{
	struct of_block *slot = vector_push(&c->single);
	double sum = 0, certain = 0;
	const struct item *i;

	if (!slot)
		return -1;
	vector_each (&c->chosen, i) {
		sum += (double)i->count;
		certain += (double)i->count * doubts_share(&c->doubts, i->o, block);
	}
	*slot = (struct of_block){block, *is};
	slot->is.below = is->weight * (sum > 0 ? certain / sum : 1);
	slot->is.pull *= sum > 0 ? certain / sum : 1;
	return 0;
}

/* A statement in several blocks: together at least so often, each at most so often. */
static int is_of_several(struct collector *c, const struct key_at *at, size_t n,
			 const struct interval *is)
{
	struct evidence_sum *sum = vector_push(&c->out->sums);
	uint32_t last = UINT32_MAX;

	if (!sum)
		return -1;
	*sum = (struct evidence_sum){
		.first = (uint32_t)c->out->blocks.count,
		.least = is->low,
		.below = (uint32_t)(SHARE_OF_SEVERAL * is->weight * EVIDENCE_ONE)};
	for (size_t i = 0; i < n; i++) {
		uint32_t *slot;

		if (at[i].block == last)
			continue;
		last = at[i].block;
		slot = vector_push(&c->out->blocks);
		if (!slot || evidence_wish(c->out, CIRCULATION_NODE + last, is->high, 0,
					   SHARE_OF_EACH * is->weight))
			return -1;
		*slot = last;
		sum->count++;
	}
	return 0;
}

/* One body that was inlined several times before gcc counts: call sites in the order of the source
 * are blocks in order. True if that is how it is. */
static bool find_order(struct collector *c, const struct item *i, const struct item *end,
		       size_t blocks)
{
	c->ordered.count = 0;
	for (; i < end; i++) {
		size_t at = 0;
		int order = 1;

		if (!i->o->inner)
			return false;
		while (at < c->ordered.count) {
			order = contexts_compare_inner(&c->all->contexts, c->ordered.items[at],
						       i->o->inner);
			if (order >= 0)
				break;
			at++;
		}
		if (at < c->ordered.count && !order)
			continue;
		if (!vector_push(&c->ordered))
			return false;
		memmove(&c->ordered.items[at + 1], &c->ordered.items[at],
			(c->ordered.count - 1 - at) * sizeof(uint32_t));
		c->ordered.items[at] = i->o->inner;
	}
	return c->ordered.count == blocks && blocks > 1;
}

static int by_number(const void *x, const void *y)
{
	return compare_numbers(*(const uint32_t *)x, *(const uint32_t *)y);
}

static int give_in_order(struct collector *c, const struct item *i, const struct item *end,
			 const struct key_at *at, size_t n)
{
	c->inner.count = 0;
	for (size_t k = 0; k < n; k++) {
		uint32_t *slot = vector_push(&c->inner);

		if (!slot)
			return -1;
		*slot = at[k].block;
	}
	vector_sort(&c->inner, by_number);
	for (size_t k = 0, b = 0; k < c->ordered.count && b < n; k++, b++) {
		struct interval is;

		while (b && b < n && c->inner.items[b] == c->inner.items[b - 1])
			b++;
		if (b >= n || choose(c, i, end, c->ordered.items[k]))
			return -1;
		is = estimate(c);
		is.weight *= SHARE_OF_ORDER;
		if (is_of_block(c, c->inner.items[b], &is))
			return -1;
	}
	return 0;
}

/* By discriminators, as far as they tell the blocks apart. */
static int give_by_discriminator(struct collector *c, const struct item *i, const struct item *end,
				 size_t blocks)
{
	uint64_t known = 0, lost = 0;
	const struct item *first;

	for (const struct item *k = i; k < end;) {
		struct interval is;

		for (first = k; k < end && k->o->discriminator == first->o->discriminator; k++)
			;
		if (choose(c, first, k, UINT32_MAX))
			return -1;
		is = estimate(c);
		if (first->o->discriminator == OBSERVATION_NO_DISCRIMINATOR)
			lost += is.high;
		else
			known += is.high;
	}
	while (i < end) {
		const struct key_at *at;
		struct interval is;
		size_t n;

		for (first = i; i < end && i->o->discriminator == first->o->discriminator; i++)
			;
		if (first->o->discriminator == OBSERVATION_NO_DISCRIMINATOR)
			continue;
		if (choose(c, first, i, UINT32_MAX))
			return -1;
		is = estimate(c);
		if (known && lost) {
			double more = (double)(known + lost) / (double)known;

			is.low = (uint64_t)((double)is.low * more);
			is.high = (uint64_t)((double)is.high * more);
			is.weight *= SHARE_OF_SEVERAL;
		}
		at = key_function_at_exactly(c->f, first->o->place, first->o->discriminator, &n);
		if (n == 1 ? is_of_block(c, at->block, &is)
			   : n < blocks && is_of_several(c, at, n, &is))
			return -1;
	}
	return 0;
}

/* All observations [i,end) of one place. */
static int collect_place(struct collector *c, const struct item *i, const struct item *end)
{
	const struct key_at *at;
	struct interval is;
	size_t n, blocks;

	at = key_function_at(c->f, i->o->place, &n);
	blocks = count_blocks(at, n);
	if (!blocks)
		return 0;
	if (choose(c, i, end, UINT32_MAX))
		return -1;
	is = estimate(c);
	if (blocks == 1)
		return is_of_block(c, at->block, &is);
	if (is_of_several(c, at, n, &is))
		return -1;
	if (find_order(c, i, end, blocks))
		return give_in_order(c, i, end, at, n);
	return give_by_discriminator(c, i, end, blocks);
}

/* ---- blocks -------------------------------------------------------------------------------- */

static int by_block(const void *x, const void *y)
{
	const struct of_block *a = x, *b = y;
	int order = compare_numbers(a->block, b->block);

	if (!order)
		order = compare_numbers(a->is.low, b->is.low);
	return order ? order : compare_numbers(a->is.high, b->is.high);
}

/* Equal intervals weigh little more than one of them: else a merged tail outvotes the truth. */
static int wish_singles(struct collector *c)
{
	vector_sort(&c->single, by_block);
	for (size_t i = 0; i < c->single.count;) {
		struct of_block sum = c->single.items[i];
		size_t first = i;
		double more;

		for (i++; i < c->single.count && !by_block(&sum, &c->single.items[i]); i++) {
			const struct interval *is = &c->single.items[i].is;

			sum.is.weight = is->weight > sum.is.weight ? is->weight : sum.is.weight;
			sum.is.below = is->below > sum.is.below ? is->below : sum.is.below;
			sum.is.pull = is->pull > sum.is.pull ? is->pull : sum.is.pull;
		}
		more = 1 + MORE_OF_EQUAL * (double)(i - first - 1) / sum.is.weight;
		more = more < MOST_OF_EQUAL ? more : MOST_OF_EQUAL;
		sum.is.weight *= more;
		sum.is.below *= more;
		if (wish_interval(c, sum.block, &sum.is))
			return -1;
	}
	return 0;
}

/* ---- jumps --------------------------------------------------------------------------------- */

/* Did a statement of the block run less than its jumps? These were merged with other blocks'. */
static bool is_merged(const struct collector *c, const struct jump_evidence *jumps, uint32_t block)
{
	const struct jump_count *j;
	const struct of_block *one;
	uint64_t sum = 0;

	vector_each (&jumps->items, j)
		sum += j->block == block ? j->count : 0;
	vector_each (&c->single, one)
		if (one->block == block && (double)one->is.high < MERGED * (double)sum - 1)
			return true;
	return false;
}

static size_t first_jump(const struct observations *o, uint32_t function)
{
	size_t low = 0, high = o->jumps.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (o->jumps.items[middle].function < function)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Tails of the labels of a computed goto are merged, and their jumps with them. */
static int wish_jumps(struct collector *c, uint32_t function, const struct evidence_source *sources,
		      size_t count)
{
	struct jump_evidence jumps = {0};
	const struct jump_count *j;
	int rc = 0;

	for (size_t i = first_jump(c->all, function);
	     !rc && i < c->all->jumps.count && c->all->jumps.items[i].function == function; i++) {
		size_t s = 0;

		while (s < count && sources[s].context != c->all->jumps.items[i].context)
			s++;
		if (s < count)
			rc = jump_evidence_add(&jumps, c->f, c->all, &c->all->jumps.items[i]);
	}
	vector_each (&jumps.items, j)
		if (!rc && !is_merged(c, &jumps, j->block))
			rc = evidence_wish(c->out, j->arc, j->count, WEIGHT_JUMP, WEIGHT_JUMP_MORE);
	jump_evidence_deinit(&jumps);
	return rc;
}

/* ---- all ----------------------------------------------------------------------------------- */

static int by_place(const void *x, const void *y)
{
	const struct item *a = x, *b = y;
	int order = compare_numbers(a->o->place.file, b->o->place.file);

	if (!order)
		order = compare_numbers(a->o->place.line, b->o->place.line);
	if (!order)
		order = compare_numbers(a->o->place.column, b->o->place.column);
	return order ? order : compare_numbers(a->o->discriminator, b->o->discriminator);
}

static bool same_place(const struct item *a, const struct item *b)
{
	return !memcmp(&a->o->place, &b->o->place, sizeof(a->o->place));
}

static int take_items(struct collector *c, const struct evidence_source *sources, size_t count)
{
	if (doubts_init(&c->doubts, c->f))
		return -1;
	for (size_t s = 0; s < count; s++)
		if (doubts_add(&c->doubts, c->all->items.items + sources[s].first,
			       c->all->items.items + sources[s].end))
			return -1;
	for (size_t s = 0; s < count; s++)
		for (size_t i = sources[s].first; i < sources[s].end; i++) {
			const struct observation *o = &c->all->items.items[i];
			struct item *slot = vector_push(&c->items);
			const struct map_entry *e;
			const struct key_at *at;
			size_t n;

			if (!slot)
				return -1;
			*slot = (struct item){o, o->count};
			at = key_function_at(c->f, o->place, &n);
			if (count_blocks(at, n) != 1)
				continue;
			e = map_find(&c->unrolled, (uint64_t)at->block << 32 | o->block,
				     o->context);
			if (e)
				slot->count *= e->n;
		}
	vector_sort(&c->items, by_place);
	doubts_sort(&c->doubts);
	return 0;
}

int evidence_collect(const struct key_index *keys, const struct observations *o, uint32_t function,
		     const struct evidence_source *sources, size_t count, struct evidence *out)
{
	struct collector c = {
		.keys = keys, .all = o, .f = &keys->functions.items[function], .out = out};
	int rc = find_unrolled(&c, sources, count) || take_items(&c, sources, count) ? -1 : 0;

	for (size_t i = 0, j; i < c.items.count && !rc; i = j) {
		for (j = i; j < c.items.count && same_place(&c.items.items[i], &c.items.items[j]);
		     j++)
			;
		rc = collect_place(&c, &c.items.items[i], &c.items.items[j]);
	}
	if (!rc)
		rc = wish_singles(&c);
	if (!rc && !c.f->computed_goto)
		rc = wish_jumps(&c, function, sources, count);
	vector_deinit(&c.items);
	vector_deinit(&c.chosen);
	vector_deinit(&c.single);
	vector_deinit(&c.inner);
	vector_deinit(&c.ordered);
	map_deinit(&c.unrolled);
	doubts_deinit(&c.doubts);
	return rc;
}

/* ---- computed gotos ------------------------------------------------------------------------ */

/* The label that the code at @address is of: the one that most of its statements name, each shared
 * out among the labels that have it. KEY_NONE if none does. */
static uint32_t label_at(const struct key_function *f, const struct observations *o,
			 uint64_t address, const uint32_t *arc_of, double *score)
{
	const struct observed_instruction *code;
	uint32_t best = KEY_NONE;
	size_t n, blocks = f->graph->block_count;

	memset(score, 0, blocks * sizeof(*score));
	code = observations_code_at(o, address, &n);
	if (!n || code->address != address)
		return KEY_NONE;
	for (size_t i = 0; i < n; i++) {
		const struct key_at *at;
		size_t several;

		at = key_function_at(f, code[i].place, &several);
		for (size_t k = 0; k < several; k++)
			if (arc_of[at[k].block] != KEY_NONE)
				score[at[k].block] += 1.0 / (double)several;
	}
	for (uint32_t b = 0; b < blocks; b++)
		if (score[b] > 0 && (best == KEY_NONE || score[b] > score[best]))
			best = b;
	return best;
}

/* Labels that have code of their own: the others' was merged with them, as a whole. */
static void find_present(const struct key_function *f, const struct observations *o,
			 const uint32_t *arc_of, double *score, bool *present)
{
	uint32_t last = KEY_NONE, label;

	for (size_t i = 0; i < o->code.count; i++) {
		const struct observed_instruction *code = &o->code.items[i];

		if (code->block == last)
			continue;
		last = code->block;
		label = label_at(f, o, code->address, arc_of, score);
		if (label != KEY_NONE)
			present[label] = true;
	}
}

static size_t first_goto(const struct observations *o, uint32_t function)
{
	size_t low = 0, high = o->gotos.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (o->gotos.items[middle].function < function)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int evidence_collect_gotos(const struct key_index *keys, const struct observations *o,
			   uint32_t function, struct evidence *out)
{
	const struct key_function *f = &keys->functions.items[function];
	size_t blocks = f->graph->block_count;
	uint32_t *arc_of = memory_alloc_array(blocks + 1, sizeof(*arc_of));
	double *score = memory_alloc_array(blocks + 1, sizeof(*score));
	uint64_t *counts = memory_alloc_array(blocks + 1, sizeof(*counts)), sum = 0;
	bool *present = memory_alloc_array(blocks + 1, sizeof(*present));
	int rc = arc_of && score && counts && present ? 0 : -1;

	for (size_t b = 0; b < blocks && !rc; b++)
		arc_of[b] = KEY_NONE;
	/* arcs from the entry stand for those from the goto to its labels */
	for (uint32_t i = 0; i < f->graph->arcs.count && !rc; i++) {
		const struct gcc_arc *a = &f->graph->arcs.items[i];

		if (!a->from && a->flags & GCC_ARC_FAKE)
			arc_of[a->to] = i;
	}
	for (size_t i = first_goto(o, function);
	     !rc && i < o->gotos.count && o->gotos.items[i].function == function; i++) {
		uint32_t label = label_at(f, o, o->gotos.items[i].target, arc_of, score);

		sum += o->gotos.items[i].count;
		if (label != KEY_NONE)
			counts[label] += o->gotos.items[i].count;
	}
	if (!rc && sum)
		find_present(f, o, arc_of, score, present);
	for (uint32_t b = 0; b < blocks && !rc && sum; b++) {
		double above = present[b] ? WEIGHT_LABEL : WEIGHT_ABSENT;

		if (b < f->graph->blocks.count && f->graph->blocks.items[b].computed_goto)
			rc = evidence_wish(out, CIRCULATION_NODE + b, sum, WEIGHT_GOTO,
					   WEIGHT_GOTO);
		if (!rc && arc_of[b] != KEY_NONE)
			rc = evidence_wish(out, arc_of[b], counts[b], WEIGHT_MERGED, above);
	}
	memory_free(arc_of);
	memory_free(score);
	memory_free(counts);
	memory_free(present);
	return rc;
}
