/* SPDX-License-Identifier: MIT */
#include "formats/preagg.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/file_output.h"
#include "base/memory.h"

/* (address,0) -> n = times entered from outside of the function, m = from inside. */
static int count_entries(const struct branch_profile *p, preagg_same_function *same, void *context,
			 struct map *entries)
{
	struct map_entry *b = NULL;

	while ((b = map_next(&p->branches, b))) {
		bool inside = b->a != BRANCH_OUTSIDE && b->b != BRANCH_OUTSIDE &&
			      (!same || same(context, b->a, b->b));

		if (b->b != BRANCH_OUTSIDE &&
		    map_add(entries, b->b, 0, inside ? 0 : b->n, inside ? b->n : 0))
			return -1;
	}
	return 0;
}

/* A line being written. By hand, because printf took most of the time of writing millions. */
struct record_text {
	char text[256]; /* for five numbers of at most 20 digits, and two build-ids */
	size_t used;
};

static void put_digits(struct record_text *t, uint64_t value, unsigned base)
{
	char digits[20];
	size_t count = 0;

	do
		digits[count++] = "0123456789abcdef"[value % base];
	while ((value /= base));
	while (count)
		t->text[t->used++] = digits[--count];
}

static void put_number(struct record_text *t, uint64_t value, unsigned base)
{
	t->text[t->used++] = ' ';
	put_digits(t, value, base);
}

static void put_location(struct record_text *t, uint64_t va, const struct build_tags *tags)
{
	size_t file = tags ? build_tags_find(tags, va) : BUILD_TAGS_NONE;
	char id[41] = "X";

	if (va != BRANCH_OUTSIDE && file == BUILD_TAGS_NONE) {
		put_number(t, va, 16);
		return;
	}
	if (va != BRANCH_OUTSIDE)
		branch_profile_build_id_text(&tags->files.items[file].id, id);
	t->used += (size_t)sprintf(t->text + t->used, " %s:", id);
	put_digits(t, va != BRANCH_OUTSIDE ? va % BUILD_TAG_BYTES : 0, 16);
}

static void end_line(struct record_text *t, FILE *f)
{
	t->text[t->used++] = '\n';
	fwrite(t->text, 1, t->used, f);
}

static void write_branch(FILE *f, uint64_t from, uint64_t to, const struct map_entry *counts,
			 const struct build_tags *tags)
{
	struct record_text t = {"B", 1};

	put_location(&t, from, tags);
	put_location(&t, to, tags);
	put_number(&t, counts->n, 10);
	put_number(&t, counts->m, 10);
	end_line(&t, f);
}

static int write_branches(FILE *f, const struct branch_profile *p, const struct build_tags *tags)
{
	struct map_entry **sorted = map_sorted(&p->branches);

	if (!sorted)
		return -1;
	for (size_t i = 0; i < p->branches.count; i++)
		write_branch(f, sorted[i]->a, sorted[i]->b, sorted[i], tags);
	memory_free(sorted);
	return 0;
}

static void write_range(FILE *f, char kind, const struct map_entry *r, uint64_t count,
			const struct build_tags *tags)
{
	struct record_text t = {{kind}, 1};

	if (!count)
		return;
	put_location(&t, r->a, tags);
	put_location(&t, r->b, tags);
	put_number(&t, count, 10);
	end_line(&t, f);
}

static int write_ranges(FILE *f, const struct branch_profile *p, const struct map *entries,
			const struct build_tags *tags)
{
	struct map_entry **sorted = map_sorted(&p->ranges);

	if (!sorted)
		return -1;
	for (size_t i = 0; i < p->ranges.count; i++) {
		const struct map_entry *r = sorted[i], *at = map_find(entries, r->a, 0);
		uint64_t outer = at ? 0 : r->n;

		if (at && at->n)
			outer = (uint64_t)((double)r->n * at->n / ((double)at->n + at->m) + 0.5);
		if (outer > r->n)
			outer = r->n;
		write_range(f, 'F', r, r->n - outer, tags);
		write_range(f, 'f', r, outer, tags);
	}
	memory_free(sorted);
	return 0;
}

/* ---- traces: of each branch, which of the ranges at its target it began ------------------------
 */

#define TRACES_SINCE		  21u /* the llvm-bolt that reads T */
#define MISPREDICTED_TRACES_SINCE 23u

struct trace_lines {
	FILE *f;
	unsigned bolt;
	preagg_same_function *same;
	void *context;
	struct map_entry **ranges; /* sorted */
	size_t at, end;		   /* those that begin at the target */
	uint64_t left;		   /* of ranges[at] */
};

static void write_trace(const struct trace_lines *w, const struct map_entry *branch, uint64_t end,
			uint64_t count, uint64_t *mispredicted)
{
	struct record_text t = {"T", 1};
	uint64_t wrong = count < *mispredicted ? count : *mispredicted;

	put_location(&t, branch->b, NULL);
	put_location(&t, branch->a, NULL);
	put_number(&t, end, 16);
	put_number(&t, count, 10);
	if (wrong)
		put_number(&t, wrong, 10);
	*mispredicted -= wrong;
	end_line(&t, w->f);
}

/* The branch (to, from), which began the next @runs of the ranges. */
static void write_arrival(struct trace_lines *w, const struct map_entry *branch, uint64_t runs)
{
	const bool outside = branch->b == BRANCH_OUTSIDE;
	const bool apart = outside || (branch->m && w->bolt < MISPREDICTED_TRACES_SINCE);
	const char kind = outside || (w->same && !w->same(w->context, branch->b, branch->a)) ? 'f'
											     : 'F';
	uint64_t rest = branch->n, mispredicted = branch->m;

	if (apart)
		write_branch(w->f, branch->b, branch->a, branch, NULL);
	while (runs && w->at < w->end) {
		const struct map_entry *r = w->ranges[w->at];
		uint64_t count = runs < w->left ? runs : w->left;

		if (apart)
			write_range(w->f, kind, r, count, NULL);
		else if (count)
			write_trace(w, branch, r->b, count, &mispredicted);
		runs -= count;
		rest -= count;
		w->left -= count;
		if (!w->left && ++w->at < w->end)
			w->left = w->ranges[w->at]->n;
	}
	if (rest && !apart)
		write_trace(w, branch, UINT64_MAX, rest, &mispredicted);
}

/* The branches [0,count) to one target: together they began its ranges, each its share. What there
 * is more of ranges was begun by none that was seen. */
static void write_target(struct trace_lines *w, struct map_entry *const *branches, size_t count)
{
	unsigned __int128 arrivals = 0, runs = 0, seen = 0;

	for (size_t i = 0; i < count; i++)
		arrivals += branches[i]->n;
	for (size_t i = w->at; i < w->end; i++)
		runs += w->ranges[i]->n;
	if (runs > arrivals)
		runs = arrivals;
	w->left = w->at < w->end ? w->ranges[w->at]->n : 0;
	for (size_t i = 0; i < count; i++) {
		unsigned __int128 before = arrivals ? seen * runs / arrivals : 0;

		seen += branches[i]->n;
		write_arrival(w, branches[i],
			      arrivals ? (uint64_t)(seen * runs / arrivals - before) : 0);
	}
	for (; w->at < w->end; w->at++, w->left = w->at < w->end ? w->ranges[w->at]->n : 0)
		write_range(w->f, 'F', w->ranges[w->at], w->left, NULL);
}

/* @branches: (to, from), sorted. */
static void write_targets(struct trace_lines *w, struct map_entry *const *branches, size_t count,
			  size_t range_count)
{
	for (size_t i = 0, same; i < count; i += same) {
		const uint64_t to = branches[i]->a;

		for (same = 1; i + same < count && branches[i + same]->a == to;)
			same++;
		for (; w->at < range_count && w->ranges[w->at]->a < to; w->at++)
			write_range(w->f, 'f', w->ranges[w->at], w->ranges[w->at]->n, NULL);
		for (w->end = w->at; w->end < range_count && w->ranges[w->end]->a == to;)
			w->end++;
		write_target(w, branches + i, same);
	}
	for (; w->at < range_count; w->at++)
		write_range(w->f, 'f', w->ranges[w->at], w->ranges[w->at]->n, NULL);
}

static int write_traces(struct trace_lines *w, const struct branch_profile *p)
{
	struct map by_target = {0};
	struct map_entry **branches = NULL;
	const struct map_entry *b;
	int rc = 0;

	map_each (&p->branches, b)
		rc |= map_add(&by_target, b->b, b->a, b->n, b->m);
	w->ranges = map_sorted(&p->ranges);
	if (!rc)
		branches = map_sorted(&by_target);
	if (w->ranges && branches)
		write_targets(w, branches, by_target.count, p->ranges.count);
	else
		rc = -1;
	memory_free(branches);
	memory_free(w->ranges);
	map_deinit(&by_target);
	return rc;
}

static int preagg_write_records(const struct branch_profile *p, preagg_same_function *same,
				void *context, const struct build_tags *tags, FILE *out,
				struct softlbr_error *e)
{
	struct map entries = {0};
	int rc = 0;

	if (count_entries(p, same, context, &entries) || write_branches(out, p, tags) ||
	    write_ranges(out, p, &entries, tags))
		rc = error_set_nomem(e);
	map_deinit(&entries);
	return rc;
}

int preagg_write_to(const struct branch_profile *p, preagg_same_function *same, void *context,
		    unsigned bolt, FILE *out, struct softlbr_error *e)
{
	struct trace_lines w = {.f = out, .bolt = bolt, .same = same, .context = context};

	if (bolt < TRACES_SINCE)
		return preagg_write_records(p, same, context, NULL, out, e);
	return write_traces(&w, p) ? error_set_nomem(e) : 0;
}

static int preagg_write_file(const struct branch_profile *p, preagg_same_function *same,
			     void *context, const struct build_tags *tags, const char *path,
			     struct softlbr_error *e)
{
	struct file_output o;

	return file_output_open(&o, path, e)
		       ?: file_output_end(
				  &o, preagg_write_records(p, same, context, tags, o.stream, e), e);
}

int preagg_write(const struct branch_profile *p, preagg_same_function *same, void *context,
		 const char *path, struct softlbr_error *e)
{
	return preagg_write_file(p, same, context, NULL, path, e);
}

int preagg_write_tagged(const struct branch_profile *p, const struct build_tags *tags,
			const char *path, struct softlbr_error *e)
{
	return preagg_write_file(p, NULL, NULL, tags, path, e);
}

struct line {
	struct text left; /* of it */
	uint64_t number;
	const char *name; /* of the file */
	struct build_tags *tags;
};

static int bad_line(const struct line *l, const char *what, struct softlbr_error *e)
{
	return error_set_at(e, SOFTLBR_E_INPUT, l->name, l->number,
			    "%s:%" PRIu64 ": %s; expected `B FROM TO COUNT MISPREDICTED` or "
			    "`F BEGIN END COUNT` with hexadecimal addresses without 0x",
			    l->name, l->number, what);
}

static void skip_blanks(struct line *l)
{
	text_skip(&l->left, " \t\r");
}

static bool take_number(struct line *l, unsigned base, uint64_t *value)
{
	skip_blanks(l);
	return text_take_number(&l->left, base, value) &&
	       (l->left.at == l->left.end || strchr(" \t\r", *l->left.at));
}

/* [BUILDID:]HEX or X:HEX */
static bool take_location(struct line *l, uint64_t *va)
{
	size_t file = BUILD_TAGS_NONE;
	struct build_id id;
	bool outside, tagged;

	skip_blanks(l);
	outside = text_length(l->left) > 2 && text_take(&l->left, "X:");
	tagged = !outside && build_tags_take(&l->left, &id);
	if (!take_number(l, 16, va))
		return false;
	if (outside)
		*va = BRANCH_OUTSIDE;
	if (!tagged)
		return true;
	if (*va < BUILD_TAG_BYTES)
		file = build_tags_add(l->tags, &id, NULL);
	if (file == BUILD_TAGS_NONE)
		return false;
	*va += build_tags_begin(file);
	return true;
}

static int read_branch(struct branch_profile *p, struct line *l, struct softlbr_error *e)
{
	uint64_t from, to, count, mispredicted;

	if (!take_location(l, &from) || !take_location(l, &to) || !take_number(l, 10, &count) ||
	    !take_number(l, 10, &mispredicted))
		return bad_line(l, "a damaged branch record", e);
	if (from == BRANCH_OUTSIDE && to == BRANCH_OUTSIDE)
		return 0;
	if (branch_profile_add_branch(p, from, to, count, mispredicted))
		return error_set_nomem(e);
	return 0;
}

static int read_range(struct branch_profile *p, struct line *l, struct softlbr_error *e)
{
	uint64_t begin, end, count;

	if (!take_location(l, &begin) || !take_location(l, &end) || !take_number(l, 10, &count))
		return bad_line(l, "a damaged range record", e);
	if (begin == BRANCH_OUTSIDE || end == BRANCH_OUTSIDE)
		return 0;
	if (branch_profile_add_range(p, begin, end, count))
		return error_set_nomem(e);
	return 0;
}

/* An end of a trace. Where nothing is known of it stand -1, -2 or -3, also in hexadecimal: *known
 * is false. */
static bool take_end(struct line *l, uint64_t *va, bool *known)
{
	uint64_t number;

	skip_blanks(l);
	*known = false;
	if (text_take(&l->left, "-"))
		return take_number(l, 10, &number) && number >= 1 && number <= 3;
	if (text_length(l->left) > 2 && text_begins(l->left, "X:"))
		*known = true;
	if (!take_location(l, va))
		return false;
	*known |= *va < (uint64_t)-3;
	return true;
}

static int read_trace(struct branch_profile *p, struct line *l, struct softlbr_error *e)
{
	uint64_t from, to, end, count, mispredicted = 0;
	bool arrived, known;

	if (!take_end(l, &from, &arrived) || !take_location(l, &to) || !take_end(l, &end, &known) ||
	    !take_number(l, 10, &count))
		return bad_line(l, "a damaged trace record", e);
	skip_blanks(l);
	if (text_length(l->left) && !take_number(l, 10, &mispredicted))
		return bad_line(l, "a damaged trace record", e);
	if (arrived && (from != BRANCH_OUTSIDE || to != BRANCH_OUTSIDE) &&
	    branch_profile_add_branch(p, from, to, count, mispredicted))
		return error_set_nomem(e);
	if (known && to != BRANCH_OUTSIDE && end != BRANCH_OUTSIDE && end &&
	    branch_profile_add_range(p, to, end, count))
		return error_set_nomem(e);
	return 0;
}

static int read_sample(struct branch_profile *p, struct line *l, struct softlbr_error *e)
{
	uint64_t at, count;

	if (!take_location(l, &at) || !take_number(l, 10, &count))
		return bad_line(l, "a damaged sample record", e);
	if (at != BRANCH_OUTSIDE && branch_profile_add_sample(p, at, count))
		return error_set_nomem(e);
	return 0;
}

static int read_line(struct branch_profile *p, struct line *l, struct softlbr_error *e)
{
	char kind;
	int rc;

	skip_blanks(l);
	if (l->left.at == l->left.end)
		return 0;
	kind = *l->left.at++;
	if (l->left.at == l->left.end || !strchr(" \t", *l->left.at))
		return bad_line(l, "not a pre-aggregated record", e);
	if (kind == 'B')
		rc = read_branch(p, l, e);
	else if (kind == 'F' || kind == 'f' || kind == 'r')
		rc = read_range(p, l, e);
	else if (kind == 'T' || kind == 'R')
		rc = read_trace(p, l, e);
	else if (kind == 'S')
		rc = read_sample(p, l, e);
	else if (kind == 'E')
		return 0;
	else
		return bad_line(l, "not a pre-aggregated record", e);
	skip_blanks(l);
	if (!rc && text_length(l->left))
		return bad_line(l, "something follows the record", e);
	return rc;
}

bool preagg_is(const uint8_t *data, size_t size)
{
	static const char kinds[] = {'B', 'F', 'f', 'T', 'R', 'r', 'S', 'E'};

	return size > 3 && memchr(kinds, data[0], sizeof(kinds)) && data[1] == ' ' &&
	       memchr(data, '\n', size);
}

int preagg_read_bytes(struct branch_profile *p, const uint8_t *data, size_t size, const char *name,
		      struct build_tags *tags, struct softlbr_error *e)
{
	struct text rest = {(const char *)data, (const char *)data + size};
	struct line l = {.name = name, .tags = tags};
	int rc = 0;

	while (!rc && text_take_line(&rest, &l.left)) {
		l.number++;
		rc = text_is_cut(rest, l.left)
			     ? bad_line(&l, "cut off: the last line has no line feed", e)
			     : read_line(p, &l, e);
	}
	return rc;
}

/* The only file of @own, at most, is the only one of @tags, too, and has the same number there. */
static int add_only_tag(struct build_tags *tags, const struct build_tags *own, const char *name,
			struct softlbr_error *e)
{
	const struct build_tag *file = own->files.items;
	int rc = build_tags_check_only(own, name, e);
	char first[41], second[41];

	if (rc || !own->files.count)
		return rc;
	if (build_tags_add(tags, &file->id, file->path) == BUILD_TAGS_NONE)
		return error_set_nomem(e);
	if (tags->files.count == 1)
		return 0;
	branch_profile_build_id_text(&tags->files.items[0].id, first);
	branch_profile_build_id_text(&file->id, second);
	return error_set(e, SOFTLBR_E_INPUT, name,
			 "%s is of another build of the binary than what it is added to: its "
			 "build-id is %s, not %s",
			 name, second, first);
}

static uint64_t times(uint64_t n, uint64_t weight)
{
	uint64_t product;

	return __builtin_mul_overflow(n, weight, &product) ? UINT64_MAX : product;
}

int preagg_read_weighed(struct branch_profile *p, struct build_tags *tags, const uint8_t *data,
			size_t size, const char *name, uint64_t weight, struct softlbr_error *e)
{
	struct branch_profile one = {0};
	struct build_tags own = {0};
	struct map_entry *i;
	int rc = preagg_read_bytes(&one, data, size, name, &own, e)
			 ?: add_only_tag(tags, &own, name, e);
	bool good = true;

	for (i = NULL; !rc && good && (i = map_next(&one.branches, i));)
		good = !branch_profile_add_branch(p, i->a, i->b, times(i->n, weight),
						  times(i->m, weight));
	for (i = NULL; !rc && good && (i = map_next(&one.ranges, i));)
		good = !branch_profile_add_range(p, i->a, i->b, times(i->n, weight));
	for (i = NULL; !rc && good && (i = map_next(&one.samples, i));)
		good = !branch_profile_add_sample(p, i->a, times(i->n, weight));
	branch_profile_deinit(&one);
	build_tags_deinit(&own);
	return rc || good ? rc : error_set_nomem(e);
}
