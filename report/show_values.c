/* SPDX-License-Identifier: MIT */
/* Values of sites: sizes of string operations, divisors, targets of indirect calls; arguments. */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "converter/debuginfo/debuginfo.h"
#include "report/show_private.h"

/* Values of a row. */
#define SHOWN_VALUES 4u
/* To specialise for a value it is to come so often, */
#define ADVICE_SHARE 0.8
/* the site to make up so much of all runs of sites, */
#define ADVICE_HEAT 0.01
/* and to have so many samples: one in five then is seen to within 20 %. */
#define ADVICE_SAMPLES 20u

#define VALUE_COLUMNS                                                      \
	"value_1: value, share_1: share, value_2: value, share_2: share, " \
	"value_3: value, share_3: share, value_4: value, share_4: share"

/* One part's values with what is needed to place them. */
struct placed_values {
	const struct show_part *part;
	struct value_table table;
	struct debuginfo *debuginfo; /* NULL: no lines */
	struct debuginfo_function function;
	uint64_t begin, end; /* of that */
};

static int open_part(struct placed_values *v, const struct show_part *part, struct softlbr_error *e)
{
	struct softlbr_error none = {0};

	*v = (struct placed_values){.part = part};
	if (value_profile_table(part->values, &v->table))
		return error_set_nomem(e);
	v->debuginfo = debuginfo_open(part->binary, &none); /* without lines there are addresses */
	return 0;
}

/* "file.c:12", or nothing. */
static int put_line(struct show *s, struct placed_values *v, const struct binary_function *f,
		    uint64_t va, struct softlbr_error *e)
{
	const struct debuginfo_span *span, *found = NULL;
	const char *file = "";
	char text[512];

	if (v->debuginfo && f && (va < v->begin || va >= v->end)) {
		if (debuginfo_look_up(v->debuginfo, f->begin, f->end, &v->function, e))
			return -SOFTLBR_E_SYSTEM;
		v->begin = f->begin;
		v->end = f->end;
	}
	if (va >= v->begin && va < v->end)
		vector_each (&v->function.spans, span)
			if (va >= span->begin && va < span->end)
				found = span;
	if (!found || !found->line || found->scope == DEBUGINFO_NONE) {
		document_put_none(s->out);
		return 0;
	}
	file = strings_text(debuginfo_strings(v->debuginfo),
			    v->function.scopes.items[found->scope].file);
	snprintf(text, sizeof(text), "%s:%" PRIi32, file, found->line);
	document_put_text(s->out, text);
	return 0;
}

/* Small numbers are counts, large ones addresses or bits. */
static void write_value(const struct placed_values *v, enum value_kind kind, uint64_t value,
			char *text, size_t size)
{
	const struct binary_function *f;

	if (kind == VALUE_TARGET) {
		f = value == VALUE_ELSEWHERE ? NULL : binary_function_at(v->part->binary, value);
		snprintf(text, size, "%s",
			 f			    ? f->name
			 : value == VALUE_ELSEWHERE ? "(elsewhere)"
						    : "?");
	} else if ((int64_t)value > -65536 && (int64_t)value < 1 << 20) {
		snprintf(text, size, "%" PRIi64, (int64_t)value);
	} else {
		snprintf(text, size, "0x%" PRIx64, value);
	}
}

static void put_values(struct show *s, const struct placed_values *v, size_t number)
{
	const struct value_site *site = &v->part->values->sites.items[number];
	size_t at = v->table.begins[number], end = v->table.begins[number + 1];
	char text[512];

	for (unsigned i = 0; i < SHOWN_VALUES; i++, at++) {
		if (at >= end) {
			document_put_none(s->out);
			document_put_none(s->out);
			continue;
		}
		write_value(v, site->kind, v->table.counts[at].value, text, sizeof(text));
		if (site->kind == VALUE_TARGET)
			document_put_symbol(s->out, text);
		else
			document_put_text(s->out, text);
		document_put_share(s->out, v->table.counts[at].runs, site->runs);
	}
}

/* How a programmer or a compiler can use such a value. */
static void put_advice(struct show *s, const struct placed_values *v, size_t number, uint64_t all)
{
	static const char *const what[] = {
		[VALUE_SIZE] = "if (n == %s) with the size constant",
		[VALUE_DIVISOR] = "if (divisor == %s) with a constant",
		[VALUE_TARGET] = "if (pointer == %s) call it directly",
	};
	const struct value_site *site = &v->part->values->sites.items[number];
	const struct value_count *top = &v->table.counts[v->table.begins[number]];
	char value[512], text[640];

	if (v->table.begins[number] == v->table.begins[number + 1] ||
	    site->samples < ADVICE_SAMPLES ||
	    (double)top->runs < ADVICE_SHARE * (double)site->runs ||
	    (double)site->runs < ADVICE_HEAT * (double)all ||
	    (site->kind == VALUE_TARGET && top->value == VALUE_ELSEWHERE)) {
		document_put_none(s->out);
		return;
	}
	write_value(v, site->kind, top->value, value, sizeof(value));
	snprintf(text, sizeof(text), what[site->kind], value);
	document_put_text(s->out, text);
}

static uint64_t runs_of(const struct show_part *parts, size_t count)
{
	const struct value_site *site;
	uint64_t sum = 0;

	for (size_t n = 0; n < count; n++)
		if (parts[n].values)
			vector_each (&parts[n].values->sites, site)
				if (site->kind < VALUE_ARGUMENT)
					sum = source_count_add(sum, site->runs);
	return sum;
}

static int put_sites(struct show *s, struct placed_values *v, uint64_t all, struct softlbr_error *e)
{
	static const char *const kinds[] = {
		[VALUE_SIZE] = "size", [VALUE_DIVISOR] = "divisor", [VALUE_TARGET] = "target"};
	const struct value_profile *p = v->part->values;

	for (size_t i = 0; i < p->sites.count; i++) {
		const struct value_site *site = &p->sites.items[i];
		const struct binary_function *f = binary_function_at(v->part->binary, site->va);

		if (site->kind >= VALUE_ARGUMENT)
			continue;
		document_put_number(s->out, site->runs);
		document_put_share(s->out, site->runs, all);
		document_put_number(s->out, site->samples);
		document_put_number(s->out, site->direct);
		document_put_text(s->out, kinds[site->kind]);
		document_put_address(s->out, site->va);
		if (put_line(s, v, f, site->va, e))
			return -SOFTLBR_E_SYSTEM;
		document_put_symbol(s->out, f ? f->name : "?");
		put_values(s, v, i);
		put_advice(s, v, i, all);
	}
	return 0;
}

static int put_arguments(struct show *s, struct placed_values *v, struct softlbr_error *e)
{
	const struct value_profile *p = v->part->values;

	for (size_t i = 0; i < p->sites.count; i++) {
		const struct value_site *site = &p->sites.items[i];
		const struct binary_function *f = binary_function_at(v->part->binary, site->va);

		if (site->kind < VALUE_ARGUMENT)
			continue;
		document_put_number(s->out, site->runs);
		document_put_number(s->out, site->samples);
		document_put_number(s->out, site->direct);
		document_put_address(s->out, site->va);
		if (put_line(s, v, f, site->va, e))
			return -SOFTLBR_E_SYSTEM;
		document_put_symbol(s->out, f ? f->name : "?");
		document_put_number(s->out, site->kind - VALUE_ARGUMENT + 1);
		put_values(s, v, i);
	}
	return 0;
}

static int put_part(struct show *s, const struct show_part *part, bool arguments, uint64_t all,
		    struct softlbr_error *e)
{
	struct placed_values v;
	int rc;

	if (!part->binary || !part->values || !part->values->sites.count)
		return 0;
	rc = open_part(&v, part, e);
	if (!rc)
		rc = arguments ? put_arguments(s, &v, e) : put_sites(s, &v, all, e);
	debuginfo_function_deinit(&v.function);
	debuginfo_close(v.debuginfo);
	value_profile_table_deinit(&v.table);
	return rc;
}

/* How many sites have samples enough to be of use, and how many would have without slices. */
static void state_sites(struct show *s, const struct show_part *parts, size_t count)
{
	uint64_t sites = 0, enough = 0, direct = 0;
	const struct value_site *site;

	for (size_t n = 0; n < count; n++)
		if (parts[n].values)
			vector_each (&parts[n].values->sites, site) {
				if (site->kind >= VALUE_ARGUMENT)
					continue;
				sites++;
				enough += site->samples >= ADVICE_SAMPLES;
				direct += site->direct >= ADVICE_SAMPLES;
			}
	document_fact_number(s->out, "value_sites", "value sites", sites);
	document_fact_number(s->out, "value_sites_of_20", "with 20 samples", enough);
	document_fact_number(s->out, "value_sites_of_20_direct", "of them at the instruction",
			     direct);
}

int show_put_values(struct show *s, const struct show_part *parts, size_t count,
		    struct softlbr_error *e)
{
	uint64_t all = runs_of(parts, count);
	int rc = 0;

	if (show_wants(s, SHOW_VALUES, 0)) {
		state_sites(s, parts, count);
		document_table(
			s->out, "values", "Values of sizes, divisors and indirect calls",
			"runs, share, samples, direct, kind, address, line, function, " VALUE_COLUMNS
			", advice");
		for (size_t n = 0; !rc && n < count; n++)
			rc = put_part(s, &parts[n], false, all, e);
		document_rank(s->out, 0, s->options->top);
	}
	if (!rc && show_wants(s, SHOW_ARGUMENTS, 0)) {
		document_table(
			s->out, "arguments", "Values of functions' arguments",
			"runs, samples, direct, address, line, function, argument, " VALUE_COLUMNS);
		for (size_t n = 0; !rc && n < count; n++)
			rc = put_part(s, &parts[n], true, all, e);
		document_rank(s->out, 0, s->options->top);
	}
	return rc;
}

bool show_wants_values(const struct show *s)
{
	return show_wants(s, SHOW_VALUES, 0) || show_wants(s, SHOW_ARGUMENTS, 0);
}

int show_check_values(const struct show *s, const struct show_part *parts, size_t count,
		      struct softlbr_error *e)
{
	bool any = !show_wants_values(s);

	for (size_t n = 0; n < count; n++)
		any |= parts[n].values && parts[n].values->sites.count;
	if (any)
		return 0;
	return error_set(e, SOFTLBR_E_EMPTY, s->options->path,
			 "%s has no values of sites: record with `softlbr record --values`, or "
			 "`perf record --intr-regs`",
			 s->options->path);
}
