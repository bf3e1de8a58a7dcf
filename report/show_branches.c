/* SPDX-License-Identifier: MIT */
/* Branches and ranges: of recordings and texts of addresses with their binary or without, and
 * fdata. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "converter/pipeline/conversion.h"
#include "converter/binary/code.h"
#include "formats/fdata.h"
#include "formats/perfscript.h"
#include "report/show_private.h"

static const struct sheet_column branch_columns[] = {
	{"count", "count"}, {"share", "share"}, {"mispredicted", "mispredicted"},
	{"from", "from"},   {"to", "to"},
};

/* "main+0x1f", "0x1234", or "(outside)". */
static void put_place(struct show *s, uint64_t va)
{
	const struct binary_function *f = s->binary ? binary_function_at(s->binary, va) : NULL;
	char text[1024];

	if (va == BRANCH_OUTSIDE)
		sheet_put_text(s->sheet, "(outside)");
	else if (!f) {
		snprintf(text, sizeof(text), "0x%" PRIx64, va);
		sheet_put_text(s->sheet, text);
	} else {
		snprintf(text, sizeof(text), "%s+0x%" PRIx64, f->name, va - f->begin);
		sheet_put_symbol(s->sheet, text);
	}
}

static uint64_t sum_of(const struct map *m)
{
	const struct map_entry *i = NULL;
	uint64_t sum = 0;

	while ((i = map_next(m, (struct map_entry *)i)))
		sum = source_count_add(sum, i->n);
	return sum;
}

static void put_branches(struct show *s, const struct branch_profile *p)
{
	const struct map_entry *i = NULL;
	uint64_t sum = sum_of(&p->branches);

	sheet_table(s->sheet, "branches", "Taken branches", COLUMNS(branch_columns));
	while ((i = map_next(&p->branches, (struct map_entry *)i))) {
		sheet_put_number(s->sheet, i->n);
		sheet_put_share(s->sheet, i->n, sum);
		sheet_put_number(s->sheet, i->m);
		put_place(s, i->a);
		put_place(s, i->b);
	}
	sheet_rank(s->sheet, 0, s->options->top);
}

static void put_ranges(struct show *s, const struct branch_profile *p)
{
	static const struct sheet_column columns[] = {
		{"count", "count"}, {"share", "share"}, {"begin", "begin"}, {"end", "end"}};
	const struct map_entry *i = NULL;
	uint64_t sum = sum_of(&p->ranges);

	sheet_table(s->sheet, "ranges", "Ranges of straight code", COLUMNS(columns));
	while ((i = map_next(&p->ranges, (struct map_entry *)i))) {
		sheet_put_number(s->sheet, i->n);
		sheet_put_share(s->sheet, i->n, sum);
		put_place(s, i->a);
		put_place(s, i->b);
	}
	sheet_rank(s->sheet, 0, s->options->top);
}

static void state_counts(struct show *s, const struct branch_profile *p)
{
	sheet_fact_number(s->sheet, "branches_distinct", "distinct branches", p->branches.count);
	sheet_fact_number(s->sheet, "branches_taken", "branches taken", sum_of(&p->branches));
	sheet_fact_number(s->sheet, "ranges_distinct", "distinct ranges", p->ranges.count);
	sheet_fact_number(s->sheet, "ranges_run", "ranges run", sum_of(&p->ranges));
	if (p->samples.count)
		sheet_fact_number(s->sheet, "samples", "samples", sum_of(&p->samples));
}

/* ---- without the binary -------------------------------------------------------------------- */

static int add_stack(void *context, const struct perfdata_info *info,
		     const struct perfdata_record *record, struct softlbr_error *e)
{
	const struct perfdata_sample *sample = &record->sample;
	struct branch_profile *p = context;
	const uint64_t times = 1 + sample->repeats;
	uint64_t end = 0; /* of the range behind the branch: stacks begin with the newest */
	bool good = true;

	(void)info;
	if (record->type != PERF_RECORD_SAMPLE)
		return 0;
	for (size_t i = 0; good && i < sample->branch_count; i++) {
		const struct perfdata_branch *b = &sample->branches[i];

		good = !branch_profile_add_branch(p, b->from, b->to, times,
						  b->flags & PERFDATA_BRANCH_MISPREDICTED ? times
											  : 0);
		if (good && i && b->to <= end && end - b->to <= RANGE_BYTES_MAX)
			good = !branch_profile_add_range(p, b->to, end, times);
		end = b->from;
	}
	return good ? 0 : error_set_nomem(e);
}

/* What perf script prints without mappings: addresses as they are. */
static int read_script(struct show *s, struct branch_profile *p, struct softlbr_error *e)
{
	struct perfscript *script = perfscript_open(s->view.data, s->view.size, s->options->path,
						    e);
	int rc = script ? perfscript_each(script, add_stack, p, e) : -e->code;

	perfscript_close(script);
	return rc;
}

static int read_text(struct show *s, struct branch_profile *p, struct softlbr_error *e)
{
	const struct file_view *v = &s->view;

	if (s->kind == PROFILE_PERFSCRIPT)
		return read_script(s, p, e);
	return profile_kind_read_counts(s->kind, v->data, v->size, s->options->path, p, e);
}

static int show_text(struct show *s, struct softlbr_error *e)
{
	const char *name = s->options->path;
	struct branch_profile p = {0};
	int rc = read_text(s, &p, e);

	if (!rc) {
		state_counts(s, &p);
		if (show_wants(s, SHOW_BRANCHES, 1 << SHOW_BRANCHES))
			put_branches(s, &p);
		if (show_wants(s, SHOW_RANGES, 0))
			put_ranges(s, &p);
	}
	if (!rc && !p.branches.count && !p.ranges.count && !p.samples.count)
		rc = error_set(e, SOFTLBR_E_EMPTY, name, "%s holds no record", name);
	branch_profile_deinit(&p);
	return rc;
}

int show_addresses(struct show *s, struct softlbr_error *e)
{
	unsigned possible = 1 << SHOW_BRANCHES | 1 << SHOW_RANGES;
	int rc;

	rc = show_check(
		s, possible,
		"it holds addresses, branches and ranges; functions and lines need --binary", e);
	return rc ? rc : show_text(s, e);
}

/* ---- with the binary ----------------------------------------------------------------------- */

struct tally {
	struct map functions; /* (number, 0) -> n = weight, m = entries */
	uint64_t weight;      /* instructions executed; or samples, if there is nothing else */
};

static int count_range(struct show *s, struct code_cache *cache, const struct map_entry *range,
		       struct tally *t)
{
	size_t count, first, last;
	const struct binary_function *all = binary_functions(s->binary, &count);
	const struct binary_function *f = binary_function_at(s->binary, range->a);
	const struct code *code;
	struct map_entry *at;
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
	at = map_at(&t->functions, (uint64_t)(f - all), 0);
	if (!at)
		return -1;
	if (__builtin_mul_overflow(range->n, (uint64_t)(last - first + 1), &executed))
		executed = UINT64_MAX;
	at->n = source_count_add(at->n, executed);
	t->weight = source_count_add(t->weight, executed);
	return 0;
}

static int count_entry(struct show *s, const struct map_entry *branch, struct tally *t)
{
	size_t count;
	const struct binary_function *all = binary_functions(s->binary, &count);
	const struct binary_function *f = binary_function_at(s->binary, branch->b);
	struct isa_insn insn;
	struct map_entry *at;
	bool inside;

	if (!f || f->begin != branch->b)
		return 0;
	/* a jump to the function's own first instruction is a loop, a call is not */
	inside = branch->a >= f->begin && branch->a < f->end &&
		 binary_decode(s->binary, branch->a, &insn) && !isa_is_call(insn.kind);
	if (inside)
		return 0;
	at = map_at(&t->functions, (uint64_t)(f - all), 0);
	if (!at)
		return -1;
	at->m = source_count_add(at->m, branch->n);
	return 0;
}

static int count_sample(struct show *s, const struct map_entry *sample, struct tally *t)
{
	size_t count;
	const struct binary_function *all = binary_functions(s->binary, &count);
	const struct binary_function *f = binary_function_at(s->binary, sample->a);
	struct map_entry *at = f ? map_at(&t->functions, (uint64_t)(f - all), 0) : NULL;

	if (at)
		at->n = source_count_add(at->n, sample->n);
	t->weight = source_count_add(t->weight, sample->n);
	return f && !at ? -1 : 0;
}

static int make_tally(struct show *s, const struct branch_profile *p, struct tally *t)
{
	struct code_cache *cache = code_cache_new(s->binary);
	const struct map_entry *i;
	int rc = cache ? 0 : -1;

	for (i = NULL; !rc && (i = map_next(&p->ranges, (struct map_entry *)i));)
		rc = count_range(s, cache, i, t);
	for (i = NULL; !rc && (i = map_next(&p->branches, (struct map_entry *)i));)
		rc = count_entry(s, i, t);
	for (i = NULL;
	     !rc && !p->ranges.count && (i = map_next(&p->samples, (struct map_entry *)i));)
		rc = count_sample(s, i, t);
	code_cache_free(cache);
	return rc;
}

static void put_functions(struct show *s, const struct tally *t, bool samples)
{
	static const struct sheet_column columns[] = {
		{"instructions", "instructions"}, {"share", "share"},	    {"entries", "entries"},
		{"address", "address"},		  {"function", "function"},
	};
	static const struct sheet_column of_samples[] = {
		{"samples", "samples"}, {"share", "share"},	  {"entries", "entries"},
		{"address", "address"}, {"function", "function"},
	};
	size_t count;
	const struct binary_function *all = binary_functions(s->binary, &count);
	const struct map_entry *i = NULL;

	if (samples)
		sheet_table(s->sheet, "functions", "Functions by samples", COLUMNS(of_samples));
	else
		sheet_table(s->sheet, "functions", "Functions by instructions executed",
			    COLUMNS(columns));
	while ((i = map_next(&t->functions, (struct map_entry *)i))) {
		sheet_put_number(s->sheet, i->n);
		sheet_put_share(s->sheet, i->n, t->weight);
		sheet_put_number(s->sheet, i->m);
		sheet_put_address(s->sheet, all[i->a].begin);
		sheet_put_symbol(s->sheet, all[i->a].name);
	}
	sheet_rank(s->sheet, 0, s->options->top);
}

/* Lines and calls, which the debug information makes of addresses. */
static int show_lines(struct show *s, struct conversion_counts *counts, struct softlbr_error *e)
{
	unsigned sections = s->options->sections & (1 << SHOW_LINES | 1 << SHOW_CALLS);
	struct show_options lines = *s->options;
	struct show of_lines = *s;
	int rc;

	if (!sections && !lines.function && !lines.source_directory)
		return 0;
	lines.sections = sections;
	of_lines.options = &lines;
	rc = conversion_attribute(s->binary, counts, e);
	if (!rc)
		rc = show_source_profile(&of_lines, &counts->source, 0, e);
	s->declarations = of_lines.declarations;
	return rc;
}

static int show_counts(struct show *s, struct conversion_counts *counts, struct softlbr_error *e)
{
	const struct branch_profile *clean = &counts->branches;
	struct tally t = {0};
	int rc = make_tally(s, clean, &t) ? error_set_nomem(e) : 0;

	if (!rc) {
		if (clean->ranges.count)
			sheet_fact_number(s->sheet, "instructions", "instructions", t.weight);
		if (show_wants(s, SHOW_FUNCTIONS, 1 << SHOW_FUNCTIONS))
			put_functions(s, &t, !clean->ranges.count);
		rc = show_lines(s, counts, e);
		if (show_wants(s, SHOW_BRANCHES, 0))
			put_branches(s, clean);
		if (show_wants(s, SHOW_RANGES, 0))
			put_ranges(s, clean);
	}
	map_deinit(&t.functions);
	return rc;
}

static int show_conversion(struct show *s, struct conversion *c, struct softlbr_error *e)
{
	const struct branch_profile *raw = &c->aggregate.result.profile;
	int rc = conversion_add_bytes(c, s->view.data, s->view.size, s->options->path, 1, e);

	if (!rc && !(raw->ranges.count && !raw->branches.count)) /* a text may have ranges alone */
		rc = conversion_check(c, NULL, e);
	if (!rc)
		rc = conversion_validate(c, e);
	if (rc)
		return rc;
	sheet_fact_text(s->sheet, "binary", "binary", s->options->binary_path);
	state_counts(s, raw);
	sheet_fact_share(s->sheet, "valid_branches", "of them possible",
			 validate_branch_share(&c->valid));
	sheet_fact_share(s->sheet, "whole_ranges", "ranges possible",
			 validate_range_share(&c->valid));
	return show_counts(s, &c->recorded, e);
}

/* As it was recorded, sampled addresses among it: nothing is estimated. */
int show_with_binary(struct show *s, struct softlbr_error *e)
{
	const struct conversion_options how = {
		.read = {.kind = s->kind, .frequencies = FREQUENCIES_RAW},
		.ip_samples = true,
		.smooth = CONVERSION_SMOOTH_NONE};
	struct conversion c;
	int rc = show_check(s, ~(1u << SHOW_MODULES), "modules are shown without --binary", e);

	if (!rc)
		rc = conversion_init(&c, s->binary, &how, e);
	if (rc)
		return rc;
	rc = show_conversion(s, &c, e);
	conversion_deinit(&c);
	return rc;
}

/* ---- fdata --------------------------------------------------------------------------------- */

static void put_location(struct show *s, const struct bolt_profile *p, struct bolt_location at)
{
	char text[1024];

	if (!at.symbol)
		snprintf(text, sizeof(text), "(outside)");
	else
		snprintf(text, sizeof(text), "%s+0x%" PRIx64, strings_text(p->strings, at.symbol),
			 at.offset);
	sheet_put_symbol(s->sheet, text);
}

static void put_records(struct show *s, const struct bolt_profile *p, uint64_t sum)
{
	const struct bolt_branch *b;

	sheet_table(s->sheet, "branches", "Records: taken branches and fall-throughs",
		    COLUMNS(branch_columns));
	vector_each (&p->branches, b) {
		sheet_put_number(s->sheet, b->count);
		sheet_put_share(s->sheet, b->count, sum);
		sheet_put_number(s->sheet, b->mispredicted);
		put_location(s, p, b->from);
		put_location(s, p, b->to);
	}
	sheet_rank(s->sheet, 0, s->options->top);
}

static int put_symbols(struct show *s, const struct bolt_profile *p, uint64_t sum)
{
	static const struct sheet_column columns[] = {{"records", "counts"},
						      {"share", "share"},
						      {"entries", "entries"},
						      {"function", "function"}};
	const struct map_entry *i = NULL;
	const struct bolt_branch *b;
	struct map symbols = {0};
	bool failed = false;

	vector_each (&p->branches, b) {
		struct map_entry *from = map_at(&symbols, b->from.symbol, 0), *to;

		failed |= !from;
		if (from)
			from->n = source_count_add(from->n, b->count);
		to = map_at(&symbols, b->to.symbol, 0);
		failed |= !to;
		if (to && !b->to.offset && b->from.symbol != b->to.symbol)
			to->m = source_count_add(to->m, b->count);
	}
	sheet_table(s->sheet, "functions", "Functions by counts of their records",
		    COLUMNS(columns));
	while ((i = map_next(&symbols, (struct map_entry *)i))) {
		if (!i->a)
			continue;
		sheet_put_number(s->sheet, i->n);
		sheet_put_share(s->sheet, i->n, sum);
		sheet_put_number(s->sheet, i->m);
		sheet_put_symbol(s->sheet, strings_text(p->strings, (uint32_t)i->a));
	}
	sheet_rank(s->sheet, 0, s->options->top);
	map_deinit(&symbols);
	return failed ? -1 : 0;
}

int show_fdata(struct show *s, struct softlbr_error *e)
{
	unsigned usual = 1 << SHOW_FUNCTIONS;
	const struct bolt_branch *b;
	struct bolt_profile p;
	uint64_t sum = 0;
	int rc = show_check(s, usual | 1 << SHOW_BRANCHES, "fdata has functions and branches", e);

	if (rc)
		return rc;
	if (bolt_profile_init(&p))
		return error_set_nomem(e);
	rc = fdata_read_bytes((const char *)s->view.data, s->view.size, s->options->path, &p, e);
	vector_each (&p.branches, b)
		sum = source_count_add(sum, b->count);
	sheet_fact_number(s->sheet, "branches_distinct", "records", p.branches.count);
	sheet_fact_number(s->sheet, "branches_taken", "sum of counts", sum);
	if (!rc && show_wants(s, SHOW_FUNCTIONS, usual) && put_symbols(s, &p, sum))
		rc = error_set_nomem(e);
	if (!rc && show_wants(s, SHOW_BRANCHES, usual))
		put_records(s, &p, sum);
	if (!rc && !p.branches.count)
		rc = error_set(e, SOFTLBR_E_EMPTY, s->options->path, "%s holds no record",
			       s->options->path);
	bolt_profile_deinit(&p);
	return rc;
}
