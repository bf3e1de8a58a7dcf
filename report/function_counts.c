/* SPDX-License-Identifier: MIT */
#include "report/function_counts.h"

#include "converter/binary/code.h"
#include "formats/model/source_profile.h"

static int count_range(struct function_counts *p, struct code_cache *cache,
		       const struct map_entry *range)
{
	size_t count, first, last;
	const struct binary_function *all = binary_functions(p->binary, &count);
	const struct binary_function *f = binary_function_at(p->binary, range->a);
	const struct code *code;
	uint64_t executed;

	if (!f)
		return 0;
	code = code_cache_get(cache, f);
	if (!code)
		return -1;
	first = code_find(code, range->a);
	last = code_find(code, range->b);
	if (first == CODE_NONE || last == CODE_NONE || last < first)
		return 0;
	if (__builtin_mul_overflow(range->n, (uint64_t)(last - first + 1), &executed))
		executed = UINT64_MAX;
	p->weight = source_count_add(p->weight, executed);
	return map_add(&p->of, (uint64_t)(f - all), 0, executed, 0);
}

static int count_entry(struct function_counts *p, const struct map_entry *branch)
{
	size_t count;
	const struct binary_function *all = binary_functions(p->binary, &count);
	const struct binary_function *f = binary_function_at(p->binary, branch->b);
	struct isa_insn insn;
	bool inside;

	if (!f || f->begin != branch->b)
		return 0;
	/* a jump to the function's own first instruction is a loop, a call is not */
	inside = branch->a >= f->begin && branch->a < f->end &&
		 binary_decode(p->binary, branch->a, &insn) && !isa_is_call(insn.kind);
	return inside ? 0 : map_add(&p->of, (uint64_t)(f - all), 0, 0, branch->n);
}

static int count_sample(struct function_counts *p, const struct map_entry *sample)
{
	size_t count;
	const struct binary_function *all = binary_functions(p->binary, &count);
	const struct binary_function *f = binary_function_at(p->binary, sample->a);

	p->weight = source_count_add(p->weight, sample->n);
	return f ? map_add(&p->of, (uint64_t)(f - all), 0, sample->n, 0) : 0;
}

int function_counts_make(struct function_counts *p, struct binary *b,
			 const struct branch_profile *from)
{
	struct code_cache *cache = code_cache_new(b);
	const struct map_entry *i;
	int rc = cache ? 0 : -1;

	p->binary = b;
	for (i = NULL; !rc && (i = map_next(&from->ranges, (struct map_entry *)i));)
		rc = count_range(p, cache, i);
	for (i = NULL; !rc && (i = map_next(&from->branches, (struct map_entry *)i));)
		rc = count_entry(p, i);
	for (i = NULL;
	     !rc && !from->ranges.count && (i = map_next(&from->samples, (struct map_entry *)i));)
		rc = count_sample(p, i);
	code_cache_free(cache);
	return rc;
}

void function_counts_deinit(struct function_counts *p)
{
	map_deinit(&p->of);
}
