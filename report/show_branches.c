/* SPDX-License-Identifier: MIT */
/* Branches and ranges: of recordings and texts of addresses with their binary or without, and
 * fdata. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "converter/pipeline/conversion.h"
#include "formats/fdata.h"
#include "formats/perfscript.h"
#include "report/show_private.h"

static const char branch_columns[] = "count, share, mispredicted, from, to";

static void put_place(struct show *s, const struct show_part *p, uint64_t va)
{
	char text[4096];

	if (binary_place_text(p->binary, p->module, va, text, sizeof(text)))
		document_put_symbol(s->out, text);
	else
		document_put_text(s->out, text);
}

static uint64_t sum_of(const struct map *m)
{
	const struct map_entry *i;
	uint64_t sum = 0;

	map_each (m, i)
		sum = source_count_add(sum, i->n);
	return sum;
}

/* With several modules, each branch is shown in the one that it begins in. */
static bool is_shown(const struct map_entry *branch, size_t parts)
{
	return parts == 1 || branch->a != BRANCH_OUTSIDE;
}

/* Software traces have no mispredictions: *mispredicted is false then. */
static void sum_branches(const struct show_part *parts, size_t count, uint64_t *sum,
			 bool *mispredicted)
{
	*sum = 0;
	*mispredicted = false;
	for (size_t n = 0; n < count; n++) {
		const struct map_entry *i;

		map_each (&parts[n].profile->branches, i) {
			*sum = source_count_add(*sum, is_shown(i, count) ? i->n : 0);
			*mispredicted |= i->m > 0;
		}
	}
}

void show_put_branches(struct show *s, const struct show_part *parts, size_t count)
{
	bool mispredicted;
	uint64_t sum;

	sum_branches(parts, count, &sum, &mispredicted);
	document_table(s->out, "branches", "Taken branches", branch_columns);
	for (size_t n = 0; n < count; n++) {
		const struct map_entry *i;

		map_each (&parts[n].profile->branches, i) {
			if (!is_shown(i, count))
				continue;
			document_put_number(s->out, i->n);
			document_put_share(s->out, i->n, sum);
			document_put_number_if(s->out, mispredicted, i->m);
			put_place(s, &parts[n], i->a);
			put_place(s, &parts[n], i->b);
		}
	}
	document_rank(s->out, 0, s->options->top);
}

void show_put_ranges(struct show *s, const struct show_part *parts, size_t count)
{
	uint64_t sum = 0;

	for (size_t n = 0; n < count; n++)
		sum = source_count_add(sum, sum_of(&parts[n].profile->ranges));
	document_table(s->out, "ranges", "Ranges of straight-line code",
		       "count, share, begin, end");
	for (size_t n = 0; n < count; n++) {
		const struct map_entry *i;

		map_each (&parts[n].profile->ranges, i) {
			document_put_number(s->out, i->n);
			document_put_share(s->out, i->n, sum);
			put_place(s, &parts[n], i->a);
			put_place(s, &parts[n], i->b);
		}
	}
	document_rank(s->out, 0, s->options->top);
}

static void state_counts(struct show *s, const struct branch_profile *p)
{
	document_fact_number(s->out, "branches_distinct", "distinct branches", p->branches.count);
	document_fact_number(s->out, "branches_taken", "branches taken", sum_of(&p->branches));
	document_fact_number(s->out, "ranges_distinct", "distinct ranges", p->ranges.count);
	document_fact_number(s->out, "ranges_run", "ranges run", sum_of(&p->ranges));
	if (p->samples.count)
		document_fact_number(s->out, "samples", "sampled addresses", sum_of(&p->samples));
}

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

		if (perfdata_branch_is_whole(b))
			good = !branch_profile_add_branch(
				p, b->from, b->to, times,
				b->flags & PERFDATA_BRANCH_MISPREDICTED ? times : 0);
		if (b->flags & PERFDATA_BRANCH_NOT_TAKEN) {
			end = end ? end : b->from; /* in the middle, the code ran on */
			continue;
		}
		if (good && b->to && b->to <= end && end - b->to <= RANGE_BYTES_MAX)
			good = !branch_profile_add_range(p, b->to, end, times);
		end = b->from;
	}
	return good ? 0 : error_set_nomem(e);
}

/* Text of perf script without mappings has addresses of the process; they are shown as they are. */
static int read_script(struct show *s, struct branch_profile *p, struct softlbr_error *e)
{
	struct perfscript *script = perfscript_open(s->view.data, s->view.size, s->options->path,
						    e);
	int rc = script ? perfscript_each(script, add_stack, p, e) : -e->code;

	if (!rc)
		show_damage(s, &(struct aggregate_damage){
				       .lines = perfscript_stats(script)->lines_damaged,
				       .first = perfscript_stats(script)->first_damaged});
	perfscript_close(script);
	return rc;
}

static int read_text(struct show *s, struct branch_profile *p, struct softlbr_error *e)
{
	const struct file_view *v = &s->view;

	if (s->kind == PROFILE_PERFSCRIPT)
		return read_script(s, p, e);
	return profile_kind_read_only_file(s->kind, v->data, v->size, s->options->path, p, e);
}

static int show_text(struct show *s, struct softlbr_error *e)
{
	const char *name = s->options->path;
	struct branch_profile p = {0};
	const struct show_part part = {.profile = &p};
	int rc = read_text(s, &p, e);

	if (!rc) {
		state_counts(s, &p);
		if (show_wants(s, SHOW_BRANCHES, 1 << SHOW_BRANCHES))
			show_put_branches(s, &part, 1);
		if (show_wants(s, SHOW_RANGES, 0))
			show_put_ranges(s, &part, 1);
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
	return rc ?: show_text(s, e);
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
	rc = conversion_attribute(s->binary, counts, e)
		     ?: show_source_profile(&of_lines, &counts->source, 0, e);
	s->declarations = of_lines.declarations;
	return rc;
}

static int show_counts(struct show *s, struct conversion_counts *counts,
		       const struct value_profile *values, struct softlbr_error *e)
{
	struct show_part part = {
		.binary = s->binary, .profile = &counts->branches, .values = values};
	int rc = function_counts_make(&part.functions, part.binary, part.profile)
			 ? error_set_nomem(e)
			 : 0;

	if (!rc) {
		if (part.profile->ranges.count)
			document_fact_number(s->out, "instructions", "instructions",
					     part.functions.weight);
		if (show_wants(s, SHOW_FUNCTIONS, 1 << SHOW_FUNCTIONS))
			show_put_functions(s, &part, 1);
		rc = show_lines(s, counts, e);
		if (show_wants(s, SHOW_BRANCHES, 0))
			show_put_branches(s, &part, 1);
		if (show_wants(s, SHOW_RANGES, 0))
			show_put_ranges(s, &part, 1);
		if (!rc)
			rc = show_put_values(s, &part, 1, e);
		if (!rc)
			rc = show_check_values(s, &part, 1, e);
	}
	function_counts_deinit(&part.functions);
	return rc;
}

static int show_conversion(struct show *s, struct conversion *c, struct softlbr_error *e)
{
	const struct branch_profile *raw = &c->aggregate.result.profile;
	int rc = conversion_add_view(c, &s->view, s->options->path, 1, e);

	if (!rc && !(raw->ranges.count && !raw->branches.count)) /* a text may have ranges alone */
		rc = conversion_check(c, NULL, e);
	if (!rc)
		rc = conversion_validate(c, e);
	if (rc)
		return rc;
	document_fact_text(s->out, "binary", "binary", binary_path(s->binary));
	state_counts(s, raw);
	document_fact_share(s->out, "valid_branches", "valid branches",
			    validate_branch_share(&c->valid));
	document_fact_share(s->out, "whole_ranges", "valid ranges",
			    validate_range_share(&c->valid));
	return show_counts(s, &c->recorded, &c->aggregate.result.values, e);
}

/* As it was recorded, sampled addresses among it: nothing is estimated. */
int show_with_binary(struct show *s, struct softlbr_error *e)
{
	const struct conversion_options how = {.read = {.kind = s->kind,
							.frequencies = FREQUENCIES_RAW,
							.progress = s->options->progress},
					       .ip_samples = true,
					       .values = show_wants_values(s),
					       .smooth = CONVERSION_SMOOTH_NONE};
	struct conversion c;
	int rc = show_check(s, ~(1u << SHOW_MODULES), "modules are shown without --binary", e)
			 ?: conversion_init(&c, s->binary, &how, e);

	if (rc)
		return rc;
	rc = show_conversion(s, &c, e);
	conversion_deinit(&c);
	return rc;
}

static void put_location(struct show *s, const struct bolt_profile *p, struct bolt_location at)
{
	char text[1024];

	if (!at.symbol)
		snprintf(text, sizeof(text), "(outside)");
	else
		snprintf(text, sizeof(text), "%s+0x%" PRIx64, strings_text(p->strings, at.symbol),
			 at.offset);
	document_put_symbol(s->out, text);
}

static void put_records(struct show *s, const struct bolt_profile *p, uint64_t sum)
{
	const struct bolt_branch *b;

	document_table(s->out, "branches", "Records: taken branches and fall-throughs",
		       branch_columns);
	vector_each (&p->branches, b) {
		document_put_number(s->out, b->count);
		document_put_share(s->out, b->count, sum);
		document_put_number(s->out, b->mispredicted);
		put_location(s, p, b->from);
		put_location(s, p, b->to);
	}
	document_rank(s->out, 0, s->options->top);
}

static int put_symbols(struct show *s, const struct bolt_profile *p, uint64_t sum)
{
	const struct map_entry *i;
	const struct bolt_branch *b;
	struct map symbols = {0};
	bool failed = false;

	vector_each (&p->branches, b) {
		bool enters = !b->to.offset && b->from.symbol != b->to.symbol;

		failed |= map_add(&symbols, b->from.symbol, 0, b->count, 0) ||
			  map_add(&symbols, b->to.symbol, 0, 0, enters ? b->count : 0);
	}
	document_table(s->out, "functions", "Functions by counts of their records",
		       "records: counts, share, entries, function");
	map_each (&symbols, i) {
		if (!i->a)
			continue;
		document_put_number(s->out, i->n);
		document_put_share(s->out, i->n, sum);
		document_put_number(s->out, i->m);
		document_put_symbol(s->out, strings_text(p->strings, (uint32_t)i->a));
	}
	document_rank(s->out, 0, s->options->top);
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
	document_fact_number(s->out, "branches_distinct", "records", p.branches.count);
	document_fact_number(s->out, "branches_taken", "sum of counts", sum);
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
