/* SPDX-License-Identifier: MIT */
#include "converter/gcc/files/counter_profile.h"

#include "base/error.h"
#include "base/order.h"
#include "converter/gcc/files/gcc_records.h"

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

	if (s->counts.count - *at < 2 || c[1] > (s->counts.count - *at - 2) / 2)
		return false;
	l->dropped |= (int64_t)c[0] < 0;
	l->total = sum(l->total, weighed(counter_list_total(c[0]), weight));
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

static bool same_arcs(const struct counter_function *a, const struct counter_function *b)
{
	const struct counter_set *x = counter_function_set(a, COUNTER_KIND_ARCS),
				 *y = counter_function_set(b, COUNTER_KIND_ARCS);

	return a->ident == b->ident && a->lineno_checksum == b->lineno_checksum &&
	       a->cfg_checksum == b->cfg_checksum &&
	       (!x || !y || x->counts.count == y->counts.count);
}

/* The function to add @from to, which is made if it is not there; NULL without memory. */
static struct counter_function *counterpart(struct counter_profile *to, size_t hint,
					    const struct counter_function *from)
{
	struct counter_function *f = hint < to->functions.count ? &to->functions.items[hint] : NULL;

	if (!f || f->absent || f->ident != from->ident)
		f = (struct counter_function *)counter_profile_function(to, from->ident);
	if (f)
		return f;
	f = counter_profile_add(to);
	if (!f)
		return NULL;
	f->ident = from->ident;
	f->lineno_checksum = from->lineno_checksum;
	f->cfg_checksum = from->cfg_checksum;
	return f;
}

/* Absent ones are behind all others. */
ORDER_BY(by_ident, struct counter_function,
	 ORDER_UP(absent) ?: ORDER_UP(ident) ?: ORDER_UP(cfg_checksum));

/* Profiles of the same functions have them in the same order; the sum of others in an order of its
 * own, whichever came first. */
static void order_functions(struct counter_profile *p)
{
	vector_sort(&p->functions, by_ident);
	while (p->functions.count && p->functions.items[p->functions.count - 1].absent)
		p->functions.count--;
}

static int add_functions(struct counter_profile *to, const struct counter_profile *from,
			 uint64_t weight, const struct counter_function **clash, size_t *shared)
{
	size_t known = to->functions.count;
	const struct counter_function *f;

	vector_each (&from->functions, f) {
		size_t number = (size_t)(f - from->functions.items), before = to->functions.count;
		struct counter_function *mine;

		if (f->absent) {
			mine = known ? NULL : counter_profile_add(to);
			if (mine)
				mine->absent = true;
			else if (!known)
				return -1;
			continue;
		}
		mine = counterpart(to, number, f);
		if (!mine)
			return -1;
		*shared += to->functions.count == before;
		if (!same_arcs(mine, f)) {
			*clash = f;
			return 1;
		}
		if (add_function(mine, f, weight))
			return -1;
	}
	if (known && (from->functions.count != known || to->functions.count != known))
		order_functions(to);
	return 0;
}

static uint32_t sum_word(uint64_t a, uint64_t b)
{
	return a + b > UINT32_MAX ? UINT32_MAX : (uint32_t)(a + b);
}

void counter_merge_summary(struct counter_profile *to, uint64_t runs, uint64_t sum_max,
			   uint64_t weight)
{
	to->runs = sum_word(to->runs, runs);
	to->sum_max = sum_word(to->sum_max, weighed(sum_max, weight));
}

int counter_merge_add(struct counter_profile *to, const struct counter_profile *from,
		      uint64_t weight, const char *name, const struct counter_function **clash,
		      struct softlbr_error *e)
{
	bool first = !to->version, same_compile;
	size_t shared = 0;
	int rc;

	if (!first && to->version != from->version)
		return error_set(e, SOFTLBR_E_INPUT, name,
				 "%s is of gcc %u, the files before it are of gcc %u: counts of "
				 "different compilers can't be added",
				 name, gcc_records_compiler(from->version),
				 gcc_records_compiler(to->version));
	to->version = from->version;
	same_compile = to->stamp == from->stamp;
	if (first || from->stamp > to->stamp) {
		to->stamp = from->stamp;
		to->checksum = from->checksum;
	}
	rc = add_functions(to, from, weight, clash, &shared);
	if (rc < 0)
		return error_set_nomem(e);
	if (!rc && !first && !same_compile && !shared)
		return error_set(e, SOFTLBR_E_INPUT, name,
				 "%s is of another object than the files before it: it has none of "
				 "their functions",
				 name);
	to->has_summary |= from->has_summary;
	counter_merge_summary(to, from->runs, from->sum_max, weight);
	return rc;
}
