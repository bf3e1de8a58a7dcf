/* SPDX-License-Identifier: MIT */
#include "formats/model/bolt_profile.h"

#include <stdlib.h>
#include <string.h>

int bolt_profile_init(struct bolt_profile *p)
{
	*p = (struct bolt_profile){.strings = strings_new()};
	return p->strings ? 0 : -1;
}

void bolt_profile_deinit(struct bolt_profile *p)
{
	strings_free(p->strings);
	vector_deinit(&p->branches);
	*p = (struct bolt_profile){0};
}

int bolt_profile_add(struct bolt_profile *p, struct bolt_location from, struct bolt_location to,
		     uint64_t count, uint64_t mispredicted)
{
	return vector_add(&p->branches, (struct bolt_branch){from, to, mispredicted, count});
}

static int compare_locations(const struct strings *s, const struct bolt_location *a,
			     const struct bolt_location *b)
{
	if (a->symbol != b->symbol)
		return strcmp(strings_text(s, a->symbol), strings_text(s, b->symbol));
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int compare_branches(const void *a, const void *b, void *strings)
{
	const struct bolt_branch *x = a, *y = b;
	int from = compare_locations(strings, &x->from, &y->from);

	return from ? from : compare_locations(strings, &x->to, &y->to);
}

/* Sums saturate: what a damaged file says must not come out small. */
static void bolt_add(uint64_t *to, uint64_t n)
{
	if (__builtin_add_overflow(*to, n, to))
		*to = UINT64_MAX;
}

void bolt_profile_sort(struct bolt_profile *p)
{
	struct bolt_branch *b = p->branches.items;
	size_t kept = 0;

	if (p->branches.count > 1)
		qsort_r(b, p->branches.count, sizeof(*b), compare_branches, p->strings);
	for (size_t i = 0; i < p->branches.count; i++) {
		if (kept && !compare_branches(&b[kept - 1], &b[i], p->strings)) {
			bolt_add(&b[kept - 1].count, b[i].count);
			bolt_add(&b[kept - 1].mispredicted, b[i].mispredicted);
		} else {
			b[kept++] = b[i];
		}
	}
	p->branches.count = kept;
}
