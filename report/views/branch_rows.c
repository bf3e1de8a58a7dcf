/* SPDX-License-Identifier: MIT */
#include "report/views/branch_rows.h"

#include "base/memory.h"
#include "formats/model/source_profile.h"

struct collector {
	struct view *view;
	struct branch_rows *rows;
	struct map groups;  /* keys of (from, to) -> n = index + 1; only of lines and functions */
	struct map leaving; /* key of from -> n = taken */
};

/* Addresses of different parts may be equal. */
static uint64_t key_of(struct collector *c, size_t part, uint64_t va)
{
	return c->view->options->group == REPORT_BY_BRANCH
		       ? va
		       : code_group_key(c->view, &c->view->parts.items[part], va);
}

static struct branch_row *new_row(struct collector *c, size_t part, const struct map_entry *b,
				  const struct branch_site *site)
{
	struct branch_row *row = vector_push(&c->rows->items);

	if (row)
		*row = (struct branch_row){.part = part, .from = b->a, .to = b->b, .site = site};
	return row;
}

static struct branch_row *row_of(struct collector *c, size_t part, const struct map_entry *b,
				 const struct branch_site *site)
{
	struct map_entry *group;

	if (c->view->options->group == REPORT_BY_BRANCH)
		return new_row(c, part, b, site);
	group = map_at(&c->groups, key_of(c, part, b->a), key_of(c, part, b->b));
	if (!group)
		return NULL;
	if (group->n)
		return &c->rows->items.items[group->n - 1];
	group->n = c->rows->items.count + 1;
	return new_row(c, part, b, site);
}

static int add_branch(struct collector *c, size_t part, const struct map_entry *b,
		      const struct branch_site *site)
{
	const struct branch_details *details = c->view->parts.items[part].details;
	const struct map_entry *outcome = map_find(&details->outcomes, b->a, b->b);
	struct branch_row *row = row_of(c, part, b, site);
	struct map_entry *leaving;

	if (!row)
		return -1;
	leaving = map_at(&c->leaving, key_of(c, part, b->a), part);
	if (!leaving)
		return -1;
	leaving->n = source_count_add(leaving->n, b->n);
	row->count = source_count_add(row->count, b->n);
	row->branches++;
	row->predicted += outcome ? outcome->n : 0;
	row->mispredicted += outcome ? outcome->m : 0;
	c->rows->sum = source_count_add(c->rows->sum, b->n);
	return 0;
}

static int by_count(const void *x, const void *y)
{
	const struct branch_row *a = x, *b = y;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

static int collect(struct collector *c, size_t part, unsigned kinds)
{
	const struct view_part *p = &c->view->parts.items[part];
	struct map_entry **sorted = map_sorted(&p->profile->branches);
	int rc = sorted ? 0 : -1;

	for (size_t i = 0; !rc && i < p->profile->branches.count; i++) {
		const struct branch_site *site = branch_sites_at(&p->sites, sorted[i]->a);

		/* one that comes from another module is shown where it begins */
		if (site && kinds >> site->kind & 1)
			rc = add_branch(c, part, sorted[i], site);
	}
	memory_free(sorted);
	return rc;
}

int branch_rows_make(struct branch_rows *rows, struct view *v, unsigned kinds)
{
	struct collector c = {.view = v, .rows = rows};
	struct branch_row *row;
	int rc = 0;

	for (size_t part = 0; !rc && part < v->parts.count; part++)
		rc = collect(&c, part, kinds);
	vector_each (&rows->items, row) {
		struct map_entry *leaving = map_find(&c.leaving, key_of(&c, row->part, row->from),
						     row->part);

		row->leaving = leaving ? leaving->n : 0;
	}
	vector_sort(&rows->items, by_count);
	map_deinit(&c.groups);
	map_deinit(&c.leaving);
	return rc;
}

void branch_rows_deinit(struct branch_rows *rows)
{
	vector_deinit(&rows->items);
}
