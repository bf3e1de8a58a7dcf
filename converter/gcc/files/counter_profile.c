/* SPDX-License-Identifier: MIT */
#include "converter/gcc/files/counter_profile.h"

#include <inttypes.h>

#include "base/error.h"

void counter_profile_deinit(struct counter_profile *p)
{
	struct counter_function *f;
	struct counter_set *s;

	vector_each (&p->functions, f) {
		vector_each (&f->sets, s)
			vector_deinit(&s->counts);
		vector_deinit(&f->sets);
	}
	vector_deinit(&p->functions);
}

struct counter_function *counter_profile_add(struct counter_profile *p)
{
	return vector_push(&p->functions);
}

struct counter_set *counter_function_add(struct counter_function *f, enum counter_kind kind)
{
	struct counter_set *s = vector_push(&f->sets);

	if (s)
		s->kind = kind;
	return s;
}

const struct counter_set *counter_function_set(const struct counter_function *f,
					       enum counter_kind kind)
{
	const struct counter_set *s;

	vector_each (&f->sets, s)
		if (s->kind == kind)
			return s;
	return NULL;
}

/* The function of that ident, or NULL. */
static const struct counter_function *counter_profile_function(const struct counter_profile *p,
							       uint32_t ident)
{
	const struct counter_function *f;

	vector_each (&p->functions, f)
		if (!f->absent && f->ident == ident)
			return f;
	return NULL;
}

/* Values that a list holds (libgcc/libgcov.h, GCOV_TOPN_MAXIMUM_TRACKED_VALUES). */
#define VALUES_MOST 32u

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a > INT64_MAX - (b < INT64_MAX ? b : INT64_MAX) ? INT64_MAX : a + b;
}

static uint64_t weighed(uint64_t n, uint64_t weight)
{
	uint64_t product;

	return __builtin_mul_overflow(n, weight, &product) || product > INT64_MAX ? INT64_MAX
										  : product;
}

/* A site's list: its total, negative if values were dropped, and (value, count). */
struct list {
	uint64_t total;
	bool dropped;
	size_t count;
	uint64_t values[VALUES_MOST], counts[VALUES_MOST];
};

/* Too many: the rarest one, the first of several, loses one, and goes if it is rarer then
 * (libgcc/libgcov.h, gcov_topn_add_value). */
static void list_add(struct list *l, uint64_t value, uint64_t count)
{
	size_t rarest = 0;

	for (size_t i = 0; i < l->count; i++) {
		if (l->values[i] == value) {
			l->counts[i] = sum(l->counts[i], count);
			return;
		}
		if (l->counts[i] < l->counts[rarest])
			rarest = i;
	}
	if (l->count < VALUES_MOST) {
		l->values[l->count] = value;
		l->counts[l->count++] = count;
		return;
	}
	l->dropped = true;
	if (--l->counts[rarest] < count) {
		l->values[rarest] = value;
		l->counts[rarest] = count;
	}
}

/* Read the list at *@at of @s, weighed, into @l; false at the end or where it is none. */
static bool list_take(const struct counter_set *s, size_t *at, uint64_t weight, struct list *l)
{
	const uint64_t *c = vector_at(&s->counts, *at);
	int64_t total;

	if (s->counts.count - *at < 2 || c[1] > (s->counts.count - *at - 2) / 2)
		return false;
	total = (int64_t)c[0];
	l->dropped |= total < 0;
	l->total = sum(l->total, weighed((uint64_t)(total < 0 ? -total : total), weight));
	for (uint64_t i = 0; i < c[1]; i++)
		list_add(l, c[2 + 2 * i], weighed(c[3 + 2 * i], weight));
	*at += 2 + 2 * c[1];
	return true;
}

static int counter_push(struct counter_set *s, uint64_t count)
{
	return vector_add(&s->counts, count);
}

static int list_put(const struct list *l, struct counter_set *to)
{
	int rc = counter_push(to, l->dropped ? -l->total : l->total) | counter_push(to, l->count);

	for (size_t i = 0; i < l->count; i++)
		rc |= counter_push(to, l->values[i]) | counter_push(to, l->counts[i]);
	return rc;
}

/* The sites are in the same order; what is behind the last whole list is dropped. */
static int add_lists(struct counter_set *to, const struct counter_set *from, uint64_t weight)
{
	struct counter_set result = {.kind = to->kind};
	size_t mine = 0, others = 0;
	bool more = true;
	int rc = 0;

	while (!rc && more) {
		struct list l = {0};
		bool first = list_take(to, &mine, 1, &l);

		more = list_take(from, &others, weight, &l);
		if (first || more)
			rc = list_put(&l, &result);
		more |= first;
	}
	vector_deinit(&to->counts);
	*to = result;
	return rc;
}

static uint64_t add_count(enum counter_kind kind, uint64_t a, uint64_t b, uint64_t weight)
{
	switch (kind) {
	case COUNTER_KIND_IOR:
	case COUNTER_KIND_CONDITIONS:
	case COUNTER_KIND_PATHS:
		return a | b;
	case COUNTER_KIND_TIME:
		return !a || (b && b < a) ? b : a;
	default:
		return sum(a, weighed(b, weight));
	}
}

static int add_set(struct counter_set *to, const struct counter_set *from, uint64_t weight)
{
	if (to->kind == COUNTER_KIND_TOPN || to->kind == COUNTER_KIND_INDIRECT)
		return add_lists(to, from, weight);
	while (to->counts.count < from->counts.count)
		if (counter_push(to, 0))
			return -1;
	for (size_t i = 0; i < from->counts.count; i++)
		to->counts.items[i] = add_count(to->kind, to->counts.items[i],
						from->counts.items[i], weight);
	return 0;
}

static int add_function(struct counter_function *to, const struct counter_function *from,
			uint64_t weight)
{
	const struct counter_set *s;

	vector_each (&from->sets, s) {
		struct counter_set *mine = (struct counter_set *)counter_function_set(to, s->kind);

		if (!mine)
			mine = counter_function_add(to, s->kind);
		if (!mine || add_set(mine, s, weight))
			return -1;
	}
	return 0;
}

static int counter_refuse(const struct counter_profile *to, const struct counter_function *at,
			  const char *name, struct softlbr_error *e)
{
	if (!at)
		return error_set(e, SOFTLBR_E_INPUT, name,
				 "%s is of another build than the files before it (their stamp is "
				 "%08" PRIx32 "): counts of different builds can't be added",
				 name, to->stamp);
	return error_set(e, SOFTLBR_E_INPUT, name,
			 "%s has another control-flow graph of the function %" PRIu32 " than the "
			 "files before it: counts of different builds can't be added",
			 name, at->ident);
}

static bool same_arcs(const struct counter_function *a, const struct counter_function *b)
{
	const struct counter_set *x = counter_function_set(a, COUNTER_KIND_ARCS),
				 *y = counter_function_set(b, COUNTER_KIND_ARCS);

	return a->ident == b->ident && a->lineno_checksum == b->lineno_checksum &&
	       a->cfg_checksum == b->cfg_checksum &&
	       (!x || !y || x->counts.count == y->counts.count);
}

/* The function to add @from to, which is made if it is not there. NULL, with an error, if it is
 * another. */
static struct counter_function *counterpart(struct counter_profile *to, size_t hint,
					    const struct counter_function *from, const char *name,
					    struct softlbr_error *e)
{
	struct counter_function *f = hint < to->functions.count ? &to->functions.items[hint] : NULL;

	if (!f || f->absent || f->ident != from->ident)
		f = (struct counter_function *)counter_profile_function(to, from->ident);
	if (f && !same_arcs(f, from)) {
		counter_refuse(to, from, name, e);
		return NULL;
	}
	if (f)
		return f;
	f = counter_profile_add(to);
	if (!f) {
		error_set_nomem(e);
		return NULL;
	}
	f->ident = from->ident;
	f->lineno_checksum = from->lineno_checksum;
	f->cfg_checksum = from->cfg_checksum;
	return f;
}

int counter_merge_add(struct counter_profile *to, const struct counter_profile *from,
		      uint64_t weight, const char *name, struct softlbr_error *e)
{
	bool first = !to->version;

	if (first) {
		to->version = from->version;
		to->stamp = from->stamp;
		to->checksum = from->checksum;
	}
	if (to->version != from->version || to->stamp != from->stamp ||
	    to->checksum != from->checksum)
		return counter_refuse(to, NULL, name, e);
	to->has_summary |= from->has_summary;
	to->runs += from->runs;
	to->sum_max = (uint32_t)(to->sum_max + weighed(from->sum_max, weight) > UINT32_MAX
					 ? UINT32_MAX
					 : to->sum_max + weighed(from->sum_max, weight));
	for (size_t i = 0; i < from->functions.count; i++) {
		const struct counter_function *f = &from->functions.items[i];
		struct counter_function *mine;

		if (f->absent) {
			mine = first ? counter_profile_add(to) : NULL;
			if (first && !mine)
				return error_set_nomem(e);
			if (mine)
				mine->absent = true;
			continue;
		}
		mine = counterpart(to, i, f, name, e);
		if (!mine)
			return -(e ? e->code : SOFTLBR_E_INPUT);
		if (add_function(mine, f, weight))
			return error_set_nomem(e);
	}
	return 0;
}
