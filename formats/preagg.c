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

static int write_branches(FILE *f, const struct branch_profile *p, const struct build_tags *tags)
{
	struct map_entry **sorted = map_sorted(&p->branches);

	if (!sorted)
		return -1;
	for (size_t i = 0; i < p->branches.count; i++) {
		struct record_text t = {"B", 1};

		put_location(&t, sorted[i]->a, tags);
		put_location(&t, sorted[i]->b, tags);
		put_number(&t, sorted[i]->n, 10);
		put_number(&t, sorted[i]->m, 10);
		end_line(&t, f);
	}
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
		uint64_t outer = 0;

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
		    FILE *out, struct softlbr_error *e)
{
	return preagg_write_records(p, same, context, NULL, out, e);
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

/* The end of T and R is all ones if nothing is known behind the branch. */
static int read_trace(struct branch_profile *p, struct line *l, struct softlbr_error *e)
{
	uint64_t from, to, end, count, mispredicted = 0;
	bool known = true;

	if (!take_location(l, &from) || !take_location(l, &to))
		return bad_line(l, "a damaged trace record", e);
	skip_blanks(l);
	if (text_length(l->left) > 2 && text_begins(l->left, "-1") &&
	    strchr(" \t", l->left.at[2])) {
		known = false;
		l->left.at += 2;
	} else if (!take_location(l, &end)) {
		return bad_line(l, "a damaged trace record", e);
	}
	if (!take_number(l, 10, &count))
		return bad_line(l, "a damaged trace record", e);
	skip_blanks(l);
	if (text_length(l->left) && !take_number(l, 10, &mispredicted))
		return bad_line(l, "a damaged trace record", e);
	if ((from != BRANCH_OUTSIDE || to != BRANCH_OUTSIDE) &&
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
