/* SPDX-License-Identifier: MIT */
/*
 * How much of a binary's hot code is still the same in another build of it: per function, found by
 * name, by its instructions and by the shape of its control flow.
 */
#include "compare/check.h"

#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/order.h"
#include "base/strings.h"
#include "converter/cfg/blocks.h"

#define INSN_BYTES_MAX 16

/* One of the two builds. */
struct build {
	struct binary *binary;
	struct branch_profile none;
	struct block_finder *blocks;
};

const char *staleness_kind_name(enum stale_kind kind)
{
	static const char *const names[] = {[STALE_SAME] = "same code",
					    [STALE_SHAPE] = "same control flow",
					    [STALE_CHANGED] = "changed",
					    [STALE_GONE] = "gone"};

	return names[kind];
}

static uint64_t mix_number(uint64_t hash, uint64_t number)
{
	return hash_on(hash, &number, sizeof(number));
}

/* Where a direct branch goes: inside of the function how far, outside to which name. */
static uint64_t mix_target(uint64_t hash, const struct binary *b, const struct binary_function *f,
			   uint64_t target)
{
	const struct binary_function *to;
	const char *name;
	uint64_t begin;

	if (target >= f->begin && target < f->end)
		return mix_number(hash, target - f->begin);
	to = binary_function_at(b, target);
	name = to ? to->name : binary_plt_at(b, target, &begin);
	return name ? hash_on(hash, name, strlen(name)) : mix_number(hash, 1);
}

static uint64_t code_hash(const struct build *build, const struct code *code)
{
	uint64_t hash = mix_number(HASH_OF_NOTHING, code->count);

	for (size_t i = 0; i < code->count; i++) {
		const struct isa_insn *insn = &code->insns[i];
		uint8_t bytes[INSN_BYTES_MAX] = {0};
		size_t size;
		const uint8_t *from = binary_code(build->binary, insn->address, &size);

		if (!from || insn->length > size || insn->length > sizeof(bytes))
			continue;
		memcpy(bytes, from, insn->length);
		isa_decoder_forget_place(binary_machine(build->binary), bytes, insn->length);
		hash = hash_on(hash, bytes, insn->length);
		if (insn->target)
			hash = mix_target(hash, build->binary, code->function, insn->target);
	}
	return hash;
}

static uint64_t shape_hash(const struct blocks *blocks)
{
	uint64_t hash = mix_number(HASH_OF_NOTHING, blocks->items.count);
	const struct block_edge *e;

	vector_each (&blocks->edges, e) {
		hash = mix_number(hash, e->from);
		hash = mix_number(hash, e->to);
		hash = mix_number(hash, e->kind);
	}
	return hash;
}

static int judge_function(const struct build *then, const struct build *now,
			  const struct binary_function *f, const struct binary_function *same_name,
			  enum stale_kind *kind)
{
	const struct blocks *a, *b;

	*kind = STALE_GONE;
	if (!same_name)
		return 0;
	a = block_finder_get(then->blocks, f);
	b = block_finder_get(now->blocks, same_name);
	if (!a || !b)
		return -1;
	*kind = code_hash(then, a->code) == code_hash(now, b->code) ? STALE_SAME
		: shape_hash(a) == shape_hash(b)		    ? STALE_SHAPE
								    : STALE_CHANGED;
	return 0;
}

struct names {
	struct strings *strings;
	struct map functions; /* (name, 0) -> n = number + 1 of the function in the new build */
};

/* BOLT's names tell static functions of one name apart by their files. */
static int list_names(struct names *n, const struct binary *b)
{
	size_t count;
	const struct binary_function *all = binary_functions(b, &count);

	n->strings = strings_new();
	if (!n->strings)
		return -1;
	for (size_t i = 0; i < count; i++) {
		uint32_t name = strings_add_text(n->strings, all[i].bolt_name);
		struct map_entry *e = name == STRINGS_NONE ? NULL : map_at(&n->functions, name, 0);

		if (!e)
			return -1;
		e->n = i + 1;
	}
	return 0;
}

static const struct binary_function *find_name(const struct names *n, const struct binary *b,
					       const char *text)
{
	uint32_t name = strings_find(n->strings, text, strlen(text));
	const struct map_entry *e = name == STRINGS_NONE ? NULL : map_find(&n->functions, name, 0);
	size_t count;

	return e ? &binary_functions(b, &count)[e->n - 1] : NULL;
}

static int build_init(struct build *build, struct binary *b)
{
	build->binary = b;
	build->blocks = block_finder_new(b, &build->none);
	return build->blocks ? 0 : -1;
}

ORDER_BY(compare_weights, struct stale_function, ORDER_DOWN(weight) ?: ORDER_UP(function));

/* Bytes run through, by function. */
static int weigh(struct staleness *out, struct binary *b, const struct branch_profile *clean)
{
	struct map weights = {0}; /* (function's number, 0) -> n = its place in the list + 1 */
	size_t count;
	const struct binary_function *all = binary_functions(b, &count);
	int rc = 0;

	for (struct map_entry *e = NULL; !rc && (e = map_next(&clean->ranges, e));) {
		const struct binary_function *f = binary_function_at(b, e->a);
		struct stale_function *to = f ? map_item(&weights, (uint64_t)(f - all), 0,
							 &out->functions,
							 (struct stale_function){.function = f})
					      : NULL;

		if (to)
			to->weight += (double)e->n * (double)(e->b - e->a + 1);
		else
			rc = f ? -1 : 0;
	}
	map_deinit(&weights);
	vector_sort(&out->functions, compare_weights);
	return rc;
}

int staleness_find(struct staleness *out, struct binary *recorded, struct binary *now,
		   const struct branch_profile *clean, struct softlbr_error *e)
{
	struct build builds[2] = {0};
	struct names names = {0};
	struct stale_function *f;
	int rc = build_init(&builds[0], recorded) || build_init(&builds[1], now) ||
		 list_names(&names, now) || weigh(out, recorded, clean);

	vector_each (&out->functions, f) {
		if (rc)
			break;
		rc = judge_function(&builds[0], &builds[1], f->function,
				    find_name(&names, now, f->function->bolt_name), &f->kind);
		out->weight[f->kind] += f->weight;
		out->total += f->weight;
	}
	block_finder_free(builds[0].blocks);
	block_finder_free(builds[1].blocks);
	strings_free(names.strings);
	map_deinit(&names.functions);
	return rc ? error_set_nomem(e) : 0;
}

void staleness_deinit(struct staleness *s)
{
	vector_deinit(&s->functions);
}
