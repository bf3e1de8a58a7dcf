/* SPDX-License-Identifier: MIT */
/* Functions by the instructions that they executed, or by samples where there is nothing else. */
#include "converter/binary/code.h"
#include "report/show_private.h"

static int count_range(struct show_part *p, struct code_cache *cache, const struct map_entry *range)
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
	return map_add(&p->functions, (uint64_t)(f - all), 0, executed, 0);
}

static int count_entry(struct show_part *p, const struct map_entry *branch)
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
	return inside ? 0 : map_add(&p->functions, (uint64_t)(f - all), 0, 0, branch->n);
}

static int count_sample(struct show_part *p, const struct map_entry *sample)
{
	size_t count;
	const struct binary_function *all = binary_functions(p->binary, &count);
	const struct binary_function *f = binary_function_at(p->binary, sample->a);

	p->weight = source_count_add(p->weight, sample->n);
	return f ? map_add(&p->functions, (uint64_t)(f - all), 0, sample->n, 0) : 0;
}

int show_functions_count(struct show_part *p)
{
	const struct branch_profile *from = p->profile;
	struct code_cache *cache = code_cache_new(p->binary);
	const struct map_entry *i;
	int rc = cache ? 0 : -1;

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

#define FUNCTION_COLUMNS "share, entries, address, function"

void show_put_functions(struct show *s, const struct show_part *parts, size_t count)
{
	bool samples = true, modules = false;
	uint64_t weight = 0;

	for (size_t n = 0; n < count; n++) {
		weight = source_count_add(weight, parts[n].weight);
		samples &= !parts[n].profile->ranges.count;
		modules |= parts[n].module != NULL;
	}
	/* a table of one binary has no column for the module */
	if (samples)
		document_table(s->out, "functions", "Functions by samples",
			       modules ? "samples, " FUNCTION_COLUMNS ", module"
				       : "samples, " FUNCTION_COLUMNS);
	else
		document_table(s->out, "functions", "Functions by instructions executed",
			       modules ? "instructions, " FUNCTION_COLUMNS ", module"
				       : "instructions, " FUNCTION_COLUMNS);
	for (size_t n = 0; n < count; n++) {
		const struct map_entry *i;
		const struct binary_function *all;
		size_t functions;

		if (!parts[n].binary)
			continue;
		all = binary_functions(parts[n].binary, &functions);
		map_each (&parts[n].functions, i) {
			document_put_number(s->out, i->n);
			document_put_share(s->out, i->n, weight);
			document_put_number(s->out, i->m);
			document_put_address(s->out, all[i->a].begin);
			document_put_symbol(s->out, all[i->a].name);
			if (modules)
				document_put_text(s->out, file_base_name(parts[n].module));
		}
	}
	document_rank(s->out, 0, s->options->top);
}
