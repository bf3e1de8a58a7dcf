/* SPDX-License-Identifier: MIT */
#include "converter/update/bolt_update.h"

#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/order.h"
#include "converter/bolt/bolt_convert.h"
#include "converter/update/block_map.h"
#include "converter/update/function_names.h"

/* What do the same is often alike in machine code: more is asked than of sources. */
#define ALIKE_LEAST  0.8
#define ALIKE_BLOCKS 4

/* ---- one build ------------------------------------------------------------------------------ */

static const struct binary_function *function_at(const struct bolt_side *s, size_t number)
{
	size_t count;

	return &binary_functions(s->binary, &count)[number];
}

static size_t number_of(const struct bolt_side *s, const struct binary_function *f)
{
	return (size_t)(f - function_at(s, 0));
}

static int add_name(struct bolt_side *s, size_t number)
{
	const struct binary_function *f = function_at(s, number);
	uint32_t name = strings_add_text(s->names, f->bolt_name);
	uint32_t base = strings_add(s->names, f->name, function_name_length(f->name));
	struct map_entry *e = name == STRINGS_NONE ? NULL : map_at(&s->by_name, name, 0);

	if (!e || base == STRINGS_NONE)
		return -1;
	e->n = number + 1;
	e = map_at(&s->by_base, base, 0);
	if (!e)
		return -1;
	e->n = e->m++ ? 0 : number + 1;
	return 0;
}

static int side_init(struct bolt_side *s, struct binary *b)
{
	size_t count;

	binary_functions(b, &count);
	s->binary = b;
	s->blocks = block_finder_new(b, &s->none);
	s->names = strings_new();
	if (!s->blocks || !s->names)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (add_name(s, i) || !vector_push(&s->bodies))
			return -1;
	return 0;
}

static void side_deinit(struct bolt_side *s)
{
	function_bodies_deinit(&s->bodies);
	block_finder_free(s->blocks);
	strings_free(s->names);
	map_deinit(&s->by_name);
	map_deinit(&s->by_base);
}

static const char *callee_name(const struct bolt_side *s, const struct binary_function *f,
			       uint64_t target)
{
	const struct binary_function *to;
	uint64_t begin;

	if (!target || (target >= f->begin && target < f->end))
		return NULL;
	to = binary_function_at(s->binary, target);
	return to ? to->name : binary_plt_at(s->binary, target, &begin);
}

/* What an instruction does, and which function it calls. */
static uint64_t insn_hash(const struct bolt_side *s, const struct binary_function *f,
			  const struct isa_insn *insn, bool *calls)
{
	const char *callee = callee_name(s, f, insn->target);
	uint32_t operation = 0;
	size_t size;
	const uint8_t *bytes = binary_code(s->binary, insn->address, &size);

	*calls = callee;
	if (callee)
		return hash_on(HASH_OF_NOTHING, callee, function_name_length(callee));
	/* a jump's form depends on how far it goes */
	if (bytes && !isa_is_branch(insn->kind))
		operation = isa_decoder_find_role(binary_machine(s->binary), bytes,
						  insn->length < size ? insn->length : size)
				    .operation;
	return hash_on(hash_on(HASH_OF_NOTHING, &insn->kind, 1), &operation, sizeof(operation));
}

static int add_block(const struct bolt_side *s, const struct blocks *blocks, const struct block *b,
		     struct function_body *body)
{
	for (uint32_t i = b->first; i < b->first + b->count; i++) {
		bool calls;
		uint64_t hash = insn_hash(s, blocks->code->function, &blocks->code->insns[i],
					  &calls);

		if (blocks->code->insns[i].nop)
			continue;
		if (function_body_add(body, (uint32_t)(b - blocks->items.items) + 1, hash, calls))
			return -1;
	}
	return 0;
}

/* NULL without memory. */
static const struct function_body *body_of(struct bolt_side *s, const struct binary_function *f)
{
	struct function_body **slot = &s->bodies.items[number_of(s, f)];
	const struct blocks *blocks = block_finder_get(s->blocks, f);
	const struct block *b;
	int rc = 0;

	if (*slot || !blocks)
		return blocks ? *slot : NULL;
	*slot = memory_alloc(sizeof(**slot));
	if (!*slot)
		return NULL;
	(*slot)->first_line = 1;
	vector_each (&blocks->items, b)
		rc = rc ?: add_block(s, blocks, b, *slot);
	if (rc)
		function_bodies_drop(slot);
	else
		function_body_sort(*slot);
	return *slot;
}

/* ---- pairs of functions -----------------------------------------------------------------------
 */

static const struct binary_function *find_name(const struct bolt_side *s, const struct map *names,
					       const char *name, size_t length)
{
	uint32_t number = strings_find(s->names, name, length);
	const struct map_entry *e = number == STRINGS_NONE ? NULL : map_find(names, number, 0);

	return e && e->n ? function_at(s, e->n - 1) : NULL;
}

static const struct binary_function *find_either(const struct bolt_side *s,
						 const struct binary_function *f)
{
	return find_name(s, &s->by_name, f->bolt_name, strlen(f->bolt_name))
		       ?: find_name(s, &s->by_base, f->name, function_name_length(f->name));
}

/* A function with a new name, by its code. NULL: there is none, or no memory. */
static const struct binary_function *find_alike(struct bolt_update *u,
						const struct binary_function *before)
{
	const struct function_body *body = body_of(&u->before, before), *other;
	const struct binary_function *found = NULL;
	double best = ALIKE_LEAST;
	size_t count;

	binary_functions(u->after.binary, &count);
	if (!body || body->lines.count < ALIKE_BLOCKS)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		const struct binary_function *f = function_at(&u->after, i);
		uint64_t size = f->end - f->begin, its = before->end - before->begin;
		double alike;

		if (size > 2 * its || its > 2 * size || find_either(&u->before, f))
			continue;
		other = body_of(&u->after, f);
		alike = other ? function_body_likeness(body, other) : 0;
		if (alike > best) {
			best = alike;
			found = f;
		}
	}
	return found;
}

/* The same instructions at the same distances from the beginning. */
static bool is_same_code(const struct bolt_update *u, const struct blocks *a,
			 const struct blocks *b)
{
	if (a->code->count != b->code->count || a->items.count != b->items.count)
		return false;
	for (size_t i = 0; i < a->code->count; i++) {
		const struct isa_insn *x = &a->code->insns[i], *y = &b->code->insns[i];
		bool calls;

		if (x->address - a->code->function->begin !=
			    y->address - b->code->function->begin ||
		    insn_hash(&u->before, a->code->function, x, &calls) !=
			    insn_hash(&u->after, b->code->function, y, &calls))
			return false;
	}
	return true;
}

static int make_pair(struct bolt_update *u, const struct binary_function *f, struct bolt_pair *pair)
{
	const struct blocks *a, *b;
	const struct function_body *before, *after;

	pair->before = f;
	pair->after = find_either(&u->after, f);
	pair->kind = UPDATE_SAME;
	if (!pair->after) {
		pair->after = find_alike(u, f);
		pair->kind = pair->after ? UPDATE_RENAMED : UPDATE_LOST;
	}
	if (!pair->after)
		return 0;
	a = block_finder_get(u->before.blocks, f);
	b = block_finder_get(u->after.blocks, pair->after);
	if (!a || !b)
		return -1;
	if (strcmp(f->bolt_name, pair->after->bolt_name))
		pair->kind = UPDATE_RENAMED;
	pair->same_code = is_same_code(u, a, b);
	if (pair->same_code)
		return 0;
	if (pair->kind == UPDATE_SAME)
		pair->kind = UPDATE_MOVED;
	before = body_of(&u->before, f);
	after = body_of(&u->after, pair->after);
	return before && after && !line_map_make(&pair->map, before, after)
		       ? block_map_spread(&pair->map, a, b)
		       : -1;
}

/* NULL without memory. */
static struct bolt_pair *pair_of(struct bolt_update *u, const struct binary_function *f)
{
	struct bolt_pair *pair = &u->pairs.items[number_of(&u->before, f)];

	if (pair->kind != UPDATE_OUTSIDE)
		return pair;
	return make_pair(u, f, pair) ? NULL : pair;
}

/* ---- records ----------------------------------------------------------------------------------
 */

/* One end of a record in both builds. */
struct place {
	struct bolt_pair *pair; /* NULL: in no function of the binary */
	const struct blocks *before, *after;
	size_t insn;	  /* of the older function */
	size_t block, to; /* CODE_NONE: there is none */
	uint64_t offset;  /* in the newer function */
};

static int find_place(struct bolt_update *u, const struct map *functions,
		      const struct bolt_location *l, struct place *out)
{
	const struct map_entry *e = map_find(functions, l->symbol, 0);
	const struct binary_function *f = e ? binary_function_at(u->before.binary, e->n) : NULL;
	uint32_t line;

	*out = (struct place){.block = CODE_NONE, .to = CODE_NONE, .offset = l->offset};
	if (!f || f->begin != e->n)
		return 0;
	out->pair = pair_of(u, f);
	if (!out->pair)
		return -1;
	if (!out->pair->after)
		return 0;
	out->before = block_finder_get(u->before.blocks, f);
	out->after = block_finder_get(u->after.blocks, out->pair->after);
	if (!out->before || !out->after)
		return -1;
	out->insn = code_find(out->before->code, f->begin + l->offset);
	if (out->insn == CODE_NONE)
		return 0;
	out->block = block_list_find(out->before, f->begin + l->offset);
	if (out->block == CODE_NONE)
		return 0;
	line = out->pair->same_code ? (uint32_t)out->block + 1
				    : line_map_at(&out->pair->map, (uint32_t)out->block + 1);
	out->to = line ? line - 1 : CODE_NONE;
	return 0;
}

static bool has_place(const struct place *p)
{
	return p->pair && (p->pair->same_code || p->to != CODE_NONE);
}

/* Its number among the calls of its block. */
static size_t call_number(const struct blocks *b, size_t block, size_t insn)
{
	size_t number = 0;

	for (size_t i = b->items.items[block].first; i < insn; i++)
		number += isa_is_call(b->code->insns[i].kind);
	return number;
}

static const struct isa_insn *find_call(const struct blocks *b, size_t block, size_t number)
{
	const struct block *at = &b->items.items[block];

	for (size_t i = at->first; i < at->first + at->count; i++)
		if (isa_is_call(b->code->insns[i].kind) && !number--)
			return &b->code->insns[i];
	return NULL;
}

/* Where control leaves the newer block by a record that leads to another function. */
static bool leave_block(struct place *from)
{
	const struct isa_insn *insn = &from->before->code->insns[from->insn];
	const struct block *at = &from->after->items.items[from->to];

	if (isa_is_call(insn->kind))
		insn = find_call(from->after, from->to,
				 call_number(from->before, from->block, from->insn));
	else
		insn = &from->after->code->insns[at->first + at->count - 1];
	if (!insn || !isa_is_branch(insn->kind))
		return false;
	from->offset = insn->address - from->pair->after->begin;
	return true;
}

/* Does the newer block lead to the other? Then the record is from what leads there. */
static bool follow_edge(struct place *from, const struct place *to)
{
	const struct block_edge *e;
	const struct block *at = &from->after->items.items[from->to];
	const struct isa_insn *last = &from->after->code->insns[at->first + at->count - 1];

	from->offset = last->address - from->pair->after->begin;
	vector_each (&from->after->edges, e)
		if (e->from == from->to && e->to == to->to) {
			from->offset = e->insn - from->pair->after->begin;
			return true;
		}
	return last->kind == ISA_JUMP_INDIRECT;
}

/* The offsets of both ends in the newer functions. */
static bool place_record(struct place *from, struct place *to)
{
	bool moved = from->pair && !from->pair->same_code;

	if ((from->pair && !has_place(from)) || (to->pair && !to->offset && !to->pair->after))
		return false;
	if (to->pair && to->offset && !has_place(to))
		return false;
	if (to->pair && to->offset && !to->pair->same_code) {
		if (to->before->items.items[to->block].first != to->insn)
			return false; /* inside of a block */
		to->offset = to->after->items.items[to->to].begin - to->pair->after->begin;
	}
	if (!moved)
		return true;
	if (from->pair == to->pair && to->to != CODE_NONE &&
	    !isa_is_call(from->before->code->insns[from->insn].kind))
		return follow_edge(from, to);
	return leave_block(from);
}

static uint32_t symbol_of(const struct place *p, const struct bolt_profile *from,
			  const struct bolt_location *l, struct strings *to)
{
	return strings_add_text(to, p->pair && p->pair->after
					    ? p->pair->after->bolt_name
					    : strings_text(from->strings, l->symbol));
}

static void count_record(struct bolt_update *u, const struct bolt_branch *r,
			 const struct place *from, const struct place *to, bool placed)
{
	const struct bolt_pair *pair = from->pair ?: to->pair;
	enum update_kind kind = !pair ? UPDATE_OUTSIDE : placed ? pair->kind : UPDATE_LOST;

	u->funnel.lines[kind]++;
	u->funnel.weight[kind] = source_count_add(u->funnel.weight[kind], r->count);
	if (kind == UPDATE_LOST)
		u->lost.items[number_of(&u->before, pair->before)] += r->count;
}

static int move_record(struct bolt_update *u, const struct map *functions,
		       const struct bolt_profile *profile, const struct bolt_branch *r,
		       struct bolt_profile *out)
{
	struct place from, to;
	bool placed;

	if (find_place(u, functions, &r->from, &from) || find_place(u, functions, &r->to, &to))
		return -1;
	placed = place_record(&from, &to);
	count_record(u, r, &from, &to, placed);
	if (!placed)
		return 0;
	return bolt_profile_add(
		out,
		(struct bolt_location){symbol_of(&from, profile, &r->from, out->strings),
				       from.offset},
		(struct bolt_location){symbol_of(&to, profile, &r->to, out->strings), to.offset},
		r->count, r->mispredicted);
}

ORDER_BY(compare_losses, struct update_loss, ORDER_DOWN(weight) ?: strcmp(a->name, b->name));

static int count_functions(struct bolt_update *u)
{
	const struct bolt_pair *pair;

	vector_each (&u->pairs, pair) {
		uint64_t lost = u->lost.items[pair - u->pairs.items];

		if (pair->kind == UPDATE_OUTSIDE)
			continue;
		u->funnel.functions[pair->kind]++;
		if (lost && vector_add(&u->losses,
				       (struct update_loss){.name = pair->before->name,
							    .weight = lost,
							    .whole = pair->kind == UPDATE_LOST}))
			return -1;
	}
	vector_sort(&u->losses, compare_losses);
	return 0;
}

static int begin_update(struct bolt_update *u, struct binary *before, struct binary *after)
{
	size_t count;

	if (side_init(&u->before, before) || side_init(&u->after, after))
		return -1;
	binary_functions(before, &count);
	while (u->pairs.count < count)
		if (vector_add(&u->pairs, (struct bolt_pair){.kind = UPDATE_OUTSIDE}) ||
		    !vector_push(&u->lost))
			return -1;
	return 0;
}

int bolt_update_make(struct bolt_update *u, struct binary *before, struct binary *after,
		     const struct bolt_profile *from, struct bolt_profile *to,
		     struct softlbr_error *e)
{
	struct map functions = {0};
	const struct bolt_branch *r;
	int rc = begin_update(u, before, after) ||
		 bolt_names_find(before, from->strings, &functions);

	vector_each (&from->branches, r)
		rc = rc || move_record(u, &functions, from, r, to);
	rc = rc || count_functions(u);
	map_deinit(&functions);
	if (!rc)
		bolt_profile_sort(to);
	return rc ? error_set_nomem(e) : 0;
}

void bolt_update_deinit(struct bolt_update *u)
{
	struct bolt_pair *pair;

	vector_each (&u->pairs, pair)
		line_map_deinit(&pair->map);
	vector_deinit(&u->pairs);
	vector_deinit(&u->lost);
	vector_deinit(&u->losses);
	side_deinit(&u->before);
	side_deinit(&u->after);
}
