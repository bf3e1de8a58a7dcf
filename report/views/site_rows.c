/* SPDX-License-Identifier: MIT */
#include "report/views/site_rows.h"

#include "base/memory.h"

static struct site_row *row_of(struct site_rows *rows, struct map *groups, struct view *v,
			       size_t part, const struct branch_site *site)
{
	struct map_entry *group = NULL;
	struct site_row *row;

	if (v->options->group != REPORT_BY_BRANCH) {
		group = map_at(groups, code_group_key(v, &v->parts.items[part], site->va), 0);
		if (!group)
			return NULL;
		if (group->n)
			return &rows->items.items[group->n - 1];
		group->n = rows->items.count + 1;
	}
	row = vector_push(&rows->items);
	if (row)
		*row = (struct site_row){.part = part,
					 .site = {.va = site->va, .kind = site->kind}};
	return row;
}

static void add_site(struct site_row *row, const struct branch_site *site, uint64_t rank)
{
	struct branch_site *sum = &row->site;

	sum->taken += site->taken;
	sum->ended += site->ended;
	sum->passed += site->passed;
	sum->predicted += site->predicted;
	sum->mispredicted += site->mispredicted;
	row->branches++;
	row->rank += rank;
}

static int by_rank(const void *x, const void *y)
{
	const struct site_row *a = x, *b = y;

	if (a->rank != b->rank)
		return a->rank < b->rank ? 1 : -1;
	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	return (a->site.va > b->site.va) - (a->site.va < b->site.va);
}

int site_rows_make(struct site_rows *rows, struct view *v,
		   uint64_t (*rank)(const struct branch_site *site))
{
	struct map groups = {0};
	int rc = 0;

	for (size_t part = 0; part < v->parts.count; part++) {
		const struct branch_site *site;

		vector_each (&v->parts.items[part].sites.items, site) {
			uint64_t weight = rank(site);
			struct site_row *row = weight ? row_of(rows, &groups, v, part, site) : NULL;

			if (row)
				add_site(row, site, weight);
			else if (weight)
				rc = -1;
		}
	}
	vector_sort(&rows->items, by_rank);
	map_deinit(&groups);
	return rc;
}

void site_rows_deinit(struct site_rows *rows)
{
	vector_deinit(&rows->items);
}
