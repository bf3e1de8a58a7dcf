/* SPDX-License-Identifier: MIT */
/*
 * The views of branches: which are taken most and from where to where; how probable each
 * conditional branch is to be taken, and which share each target of a switch or an indirect call
 * has; which branches the CPU predicts wrongly, where hardware recorded that.
 */
#include "base/memory.h"
#include "base/order.h"
#include "compare/confidence.h"
#include "formats/model/source_profile.h"
#include "report/views/view.h"

/* Taken branches as rows: each one, or those between two lines or two functions as one. */

struct branch_row {
	size_t part;
	uint64_t from, to; /* of one of the row's branches */
	const struct branch_site *site;
	uint64_t count, branches; /* taken; distinct ones */
	uint64_t leaving;	  /* taken from where this row's begin, to any target */
	uint64_t predicted, mispredicted;
};

struct branch_rows {
	VECTOR(struct branch_row) items; /* by falling count, then by address */
	uint64_t sum;			 /* of counts */
};

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
		       : view_group_key(c->view, &c->view->parts.items[part], va);
}

static struct branch_row *row_of(struct collector *c, size_t part, const struct map_entry *b,
				 const struct branch_site *site)
{
	const struct branch_row new = {.part = part, .from = b->a, .to = b->b, .site = site};
	struct branch_rows *rows = c->rows;

	if (c->view->options->group == REPORT_BY_BRANCH)
		return vector_add(&rows->items, new) ? NULL
						     : &rows->items.items[rows->items.count - 1];
	return map_item(&c->groups, key_of(c, part, b->a), key_of(c, part, b->b), &rows->items,
			new);
}

static int add_branch(struct collector *c, size_t part, const struct map_entry *b,
		      const struct branch_site *site)
{
	const struct branch_details *details = c->view->parts.items[part].details;
	const struct map_entry *outcome = map_find(&details->outcomes, b->a, b->b);
	struct branch_row *row = row_of(c, part, b, site);

	if (!row || map_add(&c->leaving, key_of(c, part, b->a), part, b->n, 0))
		return -1;
	row->count = source_count_add(row->count, b->n);
	row->branches++;
	row->predicted += outcome ? outcome->n : 0;
	row->mispredicted += outcome ? outcome->m : 0;
	c->rows->sum = source_count_add(c->rows->sum, b->n);
	return 0;
}

ORDER_BY(by_count, struct branch_row,
	 ORDER_DOWN(count) ?: ORDER_UP(part) ?: ORDER_UP(from) ?: ORDER_UP(to));

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

/* Make rows of the branches whose kind is in @kinds (1 << enum isa_kind). @rows starts zeroed; 0,
 * or -1 without memory. */
static int branch_rows_make(struct branch_rows *rows, struct view *v, unsigned kinds)
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

/* Branch instructions as rows: each one, or those of a line or a function as one. */

struct site_row {
	size_t part;
	struct branch_site site; /* the sums; address and kind are of one of them */
	uint64_t branches;
	uint64_t rank;
};

struct site_rows {
	VECTOR(struct site_row) items; /* by falling rank, then by address */
};

static struct site_row *site_row_of(struct site_rows *rows, struct map *groups, struct view *v,
				    size_t part, const struct branch_site *site)
{
	const struct site_row new = {.part = part, .site = {.va = site->va, .kind = site->kind}};

	if (v->options->group == REPORT_BY_BRANCH)
		return vector_add(&rows->items, new) ? NULL
						     : &rows->items.items[rows->items.count - 1];
	return map_item(groups, view_group_key(v, &v->parts.items[part], site->va), 0, &rows->items,
			new);
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

ORDER_BY(by_rank, struct site_row, ORDER_DOWN(rank) ?: ORDER_UP(part) ?: ORDER_UP(site.va));

/* Make rows of the sites whose @rank, a sum over a row, is not 0. @rows starts zeroed; 0, or -1
 * without memory. */
static int site_rows_make(struct site_rows *rows, struct view *v,
			  uint64_t (*rank)(const struct branch_site *site))
{
	struct map groups = {0};
	int rc = 0;

	for (size_t part = 0; part < v->parts.count; part++) {
		const struct branch_site *site;

		vector_each (&v->parts.items[part].sites.items, site) {
			uint64_t weight = rank(site);
			struct site_row *row = weight ? site_row_of(rows, &groups, v, part, site)
						      : NULL;

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

/* Hot branches: which are taken most, from where to where. */

/* How often a conditional branch is taken, or how often an indirect one goes to this target. */
static void put_probability(struct document *s, const struct branch_row *row)
{
	if (row->site->kind == ISA_JUMP_CONDITIONAL)
		document_put_share(s, row->site->ended, row->site->ended + row->site->passed);
	else if (row->site->kind == ISA_JUMP_INDIRECT || row->site->kind == ISA_CALL_INDIRECT)
		document_put_share(s, row->count, row->leaving);
	else
		document_put_none(s);
}

static void put_taken(struct view *v, const struct branch_row *row, uint64_t sum)
{
	struct view_part *p = &v->parts.items[row->part];
	bool each = v->options->group == REPORT_BY_BRANCH;
	struct document *s = v->out;

	document_put_number(s, row->count);
	document_put_share(s, row->count, sum);
	if (each) {
		document_put_text(s, view_branch_kind(row->site->kind));
		put_probability(s, row);
	} else {
		document_put_number(s, row->branches);
	}
	document_put_share(s, row->mispredicted, row->predicted + row->mispredicted);
	view_put_group(v, p, row->from);
	view_put_group(v, p, row->to);
	if (each) {
		view_put_source(v, p, row->from);
		view_put_source(v, p, row->to);
	}
}

int view_branches(struct view *v)
{
	struct branch_rows rows = {0};
	const struct branch_row *row;
	int rc = branch_rows_make(&rows, v, ~0u);

	if (v->options->group == REPORT_BY_BRANCH)
		document_table(v->out, "branches", "Hot branches",
			       "count, share, kind, probability, mispredicted, from, to, "
			       "from_source: source, to_source: target's source");
	else
		document_table(v->out, "branches", "Hot branches",
			       "count, share, branches, mispredicted, from, to");
	view_each_shown (v, &rows.items, row)
		put_taken(v, row, rows.sum);
	document_end(v->out, rows.items.count);
	vector_deinit(&rows.items);
	return rc;
}

/*
 * How probable each conditional branch is to be taken, with the interval that sampling noise
 * leaves; and which share each target of a switch or an indirect call has.
 */

static uint64_t executions(const struct branch_site *site)
{
	return site->ended + site->passed;
}

static void put_probable_site(struct view *v, const struct site_row *row)
{
	struct view_part *p = &v->parts.items[row->part];
	const uint64_t whole = executions(&row->site);
	struct document *s = v->out;
	double low, high;

	confidence_of_share(row->site.ended, whole, &low, &high);
	document_put_number(s, whole);
	document_put_number(s, row->site.ended);
	document_put_number(s, row->site.passed);
	document_put_share(s, row->site.ended, whole);
	document_put_fraction(s, low);
	document_put_fraction(s, high);
	if (v->options->group != REPORT_BY_BRANCH)
		document_put_number(s, row->branches);
	view_put_group(v, p, row->site.va);
	if (v->options->group == REPORT_BY_BRANCH)
		view_put_source(v, p, row->site.va);
}

#define PROBABILITY_COLUMNS \
	"executions, taken, not_taken: not taken, probability, low: at least, high: at most, "

static int put_conditional(struct view *v)
{
	struct site_rows rows = {0};
	const struct site_row *row;
	int rc = site_rows_make(&rows, v, executions);

	document_table(
		v->out, "probabilities",
		"Probability of conditional branches (of being taken; at least, at most: 95 % interval)",
		v->options->group == REPORT_BY_BRANCH ? PROBABILITY_COLUMNS "branch, source"
						      : PROBABILITY_COLUMNS "branches, place");
	view_each_shown (v, &rows.items, row)
		put_probable_site(v, row);
	document_end(v->out, rows.items.count);
	vector_deinit(&rows.items);
	return rc;
}

static int put_targets(struct view *v)
{
	struct branch_rows rows = {0};
	const struct branch_row *row;
	int rc = branch_rows_make(&rows, v, 1 << ISA_JUMP_INDIRECT | 1 << ISA_CALL_INDIRECT);

	document_table(v->out, "targets",
		       "Targets of switches and indirect calls (share: of where they begin)",
		       "count, share, kind, from, to, from_source: source, "
		       "to_source: target's source");
	view_each_shown (v, &rows.items, row) {
		struct view_part *p = &v->parts.items[row->part];

		document_put_number(v->out, row->count);
		document_put_share(v->out, row->count, row->leaving);
		document_put_text(v->out, view_branch_kind(row->site->kind));
		view_put_group(v, p, row->from);
		view_put_group(v, p, row->to);
		view_put_source(v, p, row->from);
		view_put_source(v, p, row->to);
	}
	document_end(v->out, rows.items.count);
	vector_deinit(&rows.items);
	return rc;
}

int view_probability(struct view *v)
{
	return put_conditional(v) ?: put_targets(v);
}

/*
 * Which branches the CPU predicts wrongly, where hardware recorded that: of those taken, since a
 * branch stack has no others.
 */

static uint64_t mispredictions(const struct branch_site *site)
{
	return site->mispredicted;
}

static void put_mispredicted_site(struct view *v, const struct site_row *row, uint64_t all)
{
	const uint64_t told = row->site.predicted + row->site.mispredicted;
	struct view_part *p = &v->parts.items[row->part];
	bool each = v->options->group == REPORT_BY_BRANCH;
	struct document *s = v->out;

	document_put_number(s, row->site.mispredicted);
	document_put_share(s, row->site.mispredicted, all);
	document_put_number(s, told);
	document_put_share(s, row->site.mispredicted, told);
	if (each)
		document_put_text(s, view_branch_kind(row->site.kind));
	else
		document_put_number(s, row->branches);
	view_put_group(v, p, row->site.va);
	if (each)
		view_put_source(v, p, row->site.va);
}

int view_misprediction(struct view *v)
{
	struct site_rows rows = {0};
	const struct site_row *row;
	uint64_t all = 0;
	int rc = site_rows_make(&rows, v, mispredictions);

	vector_each (&rows.items, row)
		all += row->site.mispredicted;
	if (v->options->group == REPORT_BY_BRANCH)
		document_table(v->out, "mispredictions", "Mispredicted branches",
			       "mispredicted, share, taken, rate: rate of taken, kind, branch, "
			       "source");
	else
		document_table(v->out, "mispredictions", "Mispredicted branches",
			       "mispredicted, share, taken, rate: rate of taken, branches, place");
	view_each_shown (v, &rows.items, row)
		put_mispredicted_site(v, row, all);
	document_end(v->out, rows.items.count);
	vector_deinit(&rows.items);
	return rc;
}
