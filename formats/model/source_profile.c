/* SPDX-License-Identifier: MIT */
#include "formats/model/source_profile.h"

#include <string.h>

#include "base/memory.h"
#include "base/order.h"

uint64_t source_count_add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

int source_profile_init(struct source_profile *p)
{
	*p = (struct source_profile){.strings = strings_new()};
	return p->strings ? 0 : -1;
}

void source_function_deinit(struct source_function *f)
{
	struct source_callsite *c;
	struct source_line *l;

	vector_each (&f->lines, l)
		vector_deinit(&l->targets);
	vector_each (&f->callsites, c)
		source_function_deinit(&c->callee);
	vector_deinit(&f->lines);
	vector_deinit(&f->callsites);
}

void source_profile_deinit(struct source_profile *p)
{
	struct source_function *f;

	vector_each (&p->functions, f)
		source_function_deinit(f);
	vector_deinit(&p->functions);
	map_deinit(&p->by_name);
	strings_free(p->strings);
	*p = (struct source_profile){0};
}

static int compare_position(struct source_position a, struct source_position b)
{
	if (a.line != b.line)
		return a.line < b.line ? -1 : 1;
	return a.discriminator < b.discriminator ? -1 : a.discriminator > b.discriminator;
}

static int compare_callsite(const struct source_callsite *c, struct source_position at,
			    uint32_t name)
{
	int order = compare_position(c->at, at);

	if (order)
		return order;
	return c->callee.name < name ? -1 : c->callee.name > name;
}

/* Opens a zeroed gap at @at in a vector that vector_push just made longer. */
#define MAKE_GAP(v, at)                                                 \
	do {                                                            \
		memmove((v)->items + (at) + 1, (v)->items + (at),       \
			((v)->count - 1 - (at)) * sizeof(*(v)->items)); \
		memset((v)->items + (at), 0, sizeof(*(v)->items));      \
	} while (0)

struct source_function *source_profile_function(struct source_profile *p, uint32_t name)
{
	struct map_entry *e = map_at(&p->by_name, name, 0);
	struct source_function *f;

	if (!e)
		return NULL;
	if (e->m) /* m tells an entry that has its function from one just made */
		return &p->functions.items[e->n];
	f = vector_push(&p->functions);
	if (!f)
		return NULL;
	f->name = name;
	e->n = p->functions.count - 1;
	e->m = 1;
	return f;
}

struct source_line *source_function_line(struct source_function *f, struct source_position at)
{
	const struct source_line *l;
	size_t low = f->lines.count;

	if (low && compare_position(f->lines.items[low - 1].at, at) >= 0) /* mostly it is behind */
		low = vector_count_while(&f->lines, l, compare_position(l->at, at) < 0);
	if (low < f->lines.count && !compare_position(f->lines.items[low].at, at))
		return &f->lines.items[low];
	if (!vector_push(&f->lines))
		return NULL;
	MAKE_GAP(&f->lines, low);
	f->lines.items[low].at = at;
	return &f->lines.items[low];
}

struct source_function *source_function_callee(struct source_function *f, struct source_position at,
					       uint32_t name)
{
	const struct source_callsite *s;
	size_t low = vector_count_while(&f->callsites, s, compare_callsite(s, at, name) < 0);

	if (low < f->callsites.count && !compare_callsite(&f->callsites.items[low], at, name))
		return &f->callsites.items[low].callee;
	if (!vector_push(&f->callsites))
		return NULL;
	MAKE_GAP(&f->callsites, low);
	f->callsites.items[low].at = at;
	f->callsites.items[low].callee.name = name;
	return &f->callsites.items[low].callee;
}

int source_line_add_target(struct source_line *l, uint32_t name, uint64_t count)
{
	size_t at = 0, high = l->targets.count;

	while (at < high) {
		size_t middle = at + (high - at) / 2;

		if (l->targets.items[middle].name < name)
			at = middle + 1;
		else
			high = middle;
	}
	if (at == l->targets.count || l->targets.items[at].name != name) {
		if (!vector_push(&l->targets))
			return -1;
		MAKE_GAP(&l->targets, at);
		l->targets.items[at].name = name;
	}
	l->targets.items[at].count = source_count_add(l->targets.items[at].count, count);
	return 0;
}

uint64_t source_function_total(const struct source_function *f)
{
	const struct source_callsite *c;
	const struct source_line *l;
	uint64_t total = 0;

	vector_each (&f->lines, l)
		total = source_count_add(total, l->count);
	vector_each (&f->callsites, c)
		total = source_count_add(total, source_function_total(&c->callee));
	return total;
}

uint64_t source_function_given_total(const struct source_function *f)
{
	return f->stored_total ? f->stored_total : source_function_total(f);
}

/* Before @from is added into @to, @weight times: the same with their given totals. */
static void add_total(struct source_function *to, const struct source_function *from,
		      uint64_t weight)
{
	uint64_t added;

	if (!to->stored_total && !from->stored_total)
		return;
	if (__builtin_mul_overflow(source_function_given_total(from), weight, &added))
		added = UINT64_MAX;
	to->stored_total = source_count_add(source_function_given_total(to), added);
}

static uint32_t renamed(uint32_t name, const struct source_renaming *r)
{
	return r ? r->names[name] : name;
}

static struct source_position moved(struct source_position at, const struct source_renaming *r)
{
	return r ? (struct source_position){at.line & 0xffff, at.discriminator} : at;
}

int source_function_merge(struct source_function *to, const struct source_function *from,
			  const struct source_renaming *r)
{
	const struct source_callsite *c;
	const struct source_target *t;
	const struct source_line *l;

	add_total(to, from, 1);
	if (!to->file)
		to->file = r ? r->files[from->file] : from->file;
	to->head = source_count_add(to->head, from->head);
	to->first_run_ns = order_least_known(to->first_run_ns, from->first_run_ns);
	vector_each (&from->lines, l) {
		struct source_line *mine = source_function_line(to, moved(l->at, r));

		if (!mine)
			return -1;
		mine->count = source_count_add(mine->count, l->count);
		vector_each (&l->targets, t)
			if (source_line_add_target(mine, renamed(t->name, r), t->count))
				return -1;
	}
	vector_each (&from->callsites, c) {
		struct source_function *mine = source_function_callee(to, moved(c->at, r),
								      renamed(c->callee.name, r));

		if (!mine || source_function_merge(mine, &c->callee, r))
			return -1;
	}
	return 0;
}

/* ---- putting in order ---------------------------------------------------------------------- */

/* A table with the same texts, numbered in byte order; renumber[old] = new. */
static struct strings *sorted_strings(const struct strings *old, uint32_t *renumber)
{
	uint32_t count = strings_count(old);
	const char **texts = memory_alloc_array(count, sizeof(*texts));
	struct strings *fresh = strings_new();
	bool good = texts && fresh;

	for (uint32_t i = 0; good && i < count; i++)
		texts[i] = strings_text(old, i);
	if (good)
		qsort(texts, count, sizeof(*texts), order_texts);
	for (uint32_t i = 0; good && i < count; i++)
		good = strings_add_text(fresh, texts[i]) != STRINGS_NONE;
	for (uint32_t i = 0; good && i < count; i++) {
		const char *text = strings_text(old, i);

		renumber[i] = strings_find(fresh, text, strlen(text));
	}
	memory_free(texts);
	if (good)
		return fresh;
	strings_free(fresh);
	return NULL;
}

static int callsites_by_key(const void *x, const void *y)
{
	const struct source_callsite *b = y;

	return compare_callsite(x, b->at, b->callee.name);
}

ORDER_BY(targets_by_name, struct source_target, ORDER_UP(name));

static void renumber_function(struct source_function *f, const uint32_t *renumber)
{
	struct source_callsite *c;
	struct source_target *t;
	struct source_line *l;

	f->name = renumber[f->name];
	f->file = renumber[f->file];
	vector_each (&f->lines, l) {
		vector_each (&l->targets, t)
			t->name = renumber[t->name];
		vector_sort(&l->targets, targets_by_name);
	}
	vector_each (&f->callsites, c)
		renumber_function(&c->callee, renumber);
	vector_sort(&f->callsites, callsites_by_key);
}

ORDER_BY(functions_by_name, struct source_function, ORDER_UP(name));

int source_profile_sort(struct source_profile *p)
{
	uint32_t *renumber = memory_alloc_array(strings_count(p->strings), sizeof(*renumber));
	struct strings *fresh = renumber ? sorted_strings(p->strings, renumber) : NULL;
	struct source_function *f;
	struct map_entry *e = NULL;
	int rc = 0;

	if (!fresh) {
		memory_free(renumber);
		return -1;
	}
	strings_free(p->strings);
	p->strings = fresh;
	vector_each (&p->functions, f)
		renumber_function(f, renumber);
	vector_sort(&p->functions, functions_by_name);
	while ((e = map_next(&p->by_name, e)))
		e->m = 0; /* the old numbers: unused, or set again below */
	vector_each (&p->functions, f) {
		e = map_at(&p->by_name, f->name, 0);
		if (!e) {
			rc = -1;
			break;
		}
		e->n = (uint64_t)(f - p->functions.items);
		e->m = 1;
	}
	memory_free(renumber);
	return rc;
}

struct merge {
	struct source_profile *to;
	const struct strings *names; /* of what is added */
	uint64_t weight;
};

static uint64_t weighed(const struct merge *m, uint64_t n)
{
	uint64_t product;

	return __builtin_mul_overflow(n, m->weight, &product) ? UINT64_MAX : product;
}

static uint32_t translated(const struct merge *m, uint32_t name)
{
	return strings_add_text(m->to->strings, strings_text(m->names, name));
}

static int add_lines(const struct merge *m, struct source_function *to,
		     const struct source_function *from)
{
	const struct source_target *t;
	const struct source_line *l;

	vector_each (&from->lines, l) {
		struct source_line *mine = source_function_line(to, l->at);

		if (!mine)
			return -1;
		mine->count = source_count_add(mine->count, weighed(m, l->count));
		vector_each (&l->targets, t) {
			uint32_t name = translated(m, t->name);

			if (name == STRINGS_NONE ||
			    source_line_add_target(mine, name, weighed(m, t->count)))
				return -1;
		}
	}
	return 0;
}

/* Choose one of two files for a function, whatever the order of merging. */
static void choose_file(const struct merge *m, struct source_function *to, uint32_t file)
{
	const char *theirs = strings_text(m->to->strings, file);
	const char *ours = strings_text(m->to->strings, to->file);

	if (*theirs && (!*ours || strcmp(theirs, ours) < 0))
		to->file = file;
}

static int add_function(const struct merge *m, struct source_function *to,
			const struct source_function *from)
{
	const struct source_callsite *c;
	uint32_t file = translated(m, from->file);

	if (file == STRINGS_NONE)
		return -1;
	choose_file(m, to, file);
	add_total(to, from, m->weight);
	to->head = source_count_add(to->head, weighed(m, from->head));
	to->first_run_ns = order_least_known(to->first_run_ns, from->first_run_ns);
	if (add_lines(m, to, from))
		return -1;
	vector_each (&from->callsites, c) {
		uint32_t name = translated(m, c->callee.name);
		struct source_function *mine = name == STRINGS_NONE
						       ? NULL
						       : source_function_callee(to, c->at, name);

		if (!mine || add_function(m, mine, &c->callee))
			return -1;
	}
	return 0;
}

bool source_profiles_agree(const struct source_profile *a, const struct source_profile *b)
{
	return a->md5_names == b->md5_names || !a->functions.count || !b->functions.count;
}

int source_profile_add(struct source_profile *to, const struct source_profile *from,
		       uint64_t weight)
{
	const struct merge m = {to, from->strings, weight};
	const struct source_function *f;

	to->llvm_producer |= from->llvm_producer;
	to->dotted_names |= from->dotted_names;
	to->llvm_finished = from->llvm_finished && (to->llvm_finished || !to->functions.count);
	to->md5_names |= from->md5_names;
	vector_each (&from->functions, f) {
		uint32_t name = translated(&m, f->name);
		struct source_function *mine = name == STRINGS_NONE
						       ? NULL
						       : source_profile_function(to, name);

		if (!mine || add_function(&m, mine, f))
			return -1;
	}
	return 0;
}

struct counts {
	VECTOR(uint64_t) list;
};

static int collect(struct counts *counts, const struct source_function *f)
{
	const struct source_callsite *c;
	const struct source_line *l;

	if (vector_reserve(&counts->list, f->lines.count))
		return -1;
	vector_each (&f->lines, l)
		counts->list.items[counts->list.count++] = l->count;
	vector_each (&f->callsites, c)
		if (collect(counts, &c->callee))
			return -1;
	return 0;
}

ORDER_BY(greatest_first, uint64_t, (*a < *b) - (*a > *b));

static void fill_entries(struct profile_summary *s, const uint64_t *counts)
{
	static const uint32_t cutoffs[PROFILE_SUMMARY_CUTOFFS] = {
		10000,	100000, 200000, 300000, 400000, 500000, 600000, 700000,
		800000, 900000, 950000, 990000, 999000, 999900, 999990, 999999,
	};
	uint64_t sum = 0, least = 0;
	size_t taken = 0;

	for (size_t i = 0; i < PROFILE_SUMMARY_CUTOFFS; i++) {
		uint64_t wanted = (uint64_t)((unsigned __int128)s->total * cutoffs[i] / 1000000);

		while (sum < wanted && taken < s->counts) {
			least = counts[taken];
			while (taken < s->counts && counts[taken] == least)
				sum = source_count_add(sum, counts[taken++]);
		}
		s->entries[i].cutoff = cutoffs[i];
		s->entries[i].least = least;
		s->entries[i].counts = taken;
	}
}

int source_profile_summarize(const struct source_profile *p, struct profile_summary *out)
{
	const struct source_function *f;
	struct counts counts = {0};
	int rc = 0;

	*out = (struct profile_summary){.functions = p->functions.count};
	vector_each (&p->functions, f) {
		if (f->head > out->greatest_head)
			out->greatest_head = f->head;
		rc = collect(&counts, f);
		if (rc)
			break;
	}
	if (!rc) {
		vector_sort(&counts.list, greatest_first);
		out->counts = counts.list.count;
		out->greatest = out->counts ? counts.list.items[0] : 0;
		for (size_t i = 0; i < out->counts; i++)
			out->total = source_count_add(out->total, counts.list.items[i]);
		fill_entries(out, counts.list.items);
	}
	vector_deinit(&counts.list);
	return rc;
}
