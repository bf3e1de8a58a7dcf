/* SPDX-License-Identifier: MIT */
#include "formats/ranges_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#define EXTERNAL_ADDRESS 1

/* ---- writing ------------------------------------------------------------------------------- */

static uint64_t address_of(uint64_t place)
{
	return place == BRANCH_OUTSIDE ? EXTERNAL_ADDRESS : place;
}

/* The section of @counts: from and to are joined by @joint, NULL: there is one address alone. */
static int write_section(FILE *out, const struct map *counts, const char *joint)
{
	struct map_entry **sorted = map_sorted(counts);

	if (!sorted)
		return -1;
	fprintf(out, "%zu\n", counts->count);
	for (size_t i = 0; i < counts->count; i++) {
		fprintf(out, "%" PRIx64, address_of(sorted[i]->a));
		if (joint)
			fprintf(out, "%s%" PRIx64, joint, address_of(sorted[i]->b));
		fprintf(out, ":%" PRIu64 "\n", sorted[i]->n);
	}
	memory_free(sorted);
	return 0;
}

/* Of all events. */
static int write_samples(FILE *out, const struct branch_profile *p)
{
	const struct map_entry *i;
	struct map all = {0};
	int rc = 0;

	map_each (&p->samples, i)
		rc |= map_add(&all, i->a, 0, i->n, 0);
	rc = rc ?: write_section(out, &all, NULL);
	map_deinit(&all);
	return rc;
}

int ranges_text_write_to(const struct branch_profile *p, bool autofdo, FILE *out,
			 struct softlbr_error *e)
{
	if (write_section(out, &p->ranges, "-") || (autofdo && write_samples(out, p)) ||
	    write_section(out, &p->branches, "->"))
		return error_set_nomem(e);
	return 0;
}

/* ---- reading ------------------------------------------------------------------------------- */

struct reader {
	struct text left; /* of the line at hand */
	uint64_t line;
	uint64_t expected;	   /* lines of the section that are still to come */
	unsigned sections, wanted; /* begun; that there must be */
	const char *name;
	struct branch_profile *p;
	struct branch_profile part; /* since the last file that was named */
	struct build_id id;	    /* of the file that is being named */
	struct build_tags *tags;
	bool named; /* there was a line of a build-id, behind which a path may come */
	bool files; /* there was one before */
	struct softlbr_error *e;
};

static int bad_line(const struct reader *r, const char *what)
{
	return error_set_at(r->e, SOFTLBR_E_INPUT, r->name, r->line,
			    "%s:%" PRIu64 ": %s; expected a number of lines, BEGIN-END:COUNT, "
			    "ADDRESS:COUNT or FROM->TO:COUNT",
			    r->name, r->line, what);
}

static uint64_t ranges_place(uint64_t address)
{
	return address == EXTERNAL_ADDRESS ? BRANCH_OUTSIDE : address;
}

static int read_record(struct reader *r)
{
	uint64_t a, b = 0, count;
	bool branch = false, range = false;
	int rc;

	if (!text_take_number(&r->left, 16, &a))
		return bad_line(r, "no address");
	branch = text_take(&r->left, "->");
	range = !branch && text_take(&r->left, "-");
	if ((branch || range) && !text_take_number(&r->left, 16, &b))
		return bad_line(r, "no second address");
	if (!text_take(&r->left, ":") || !text_take_number(&r->left, 10, &count) ||
	    text_length(r->left))
		return bad_line(r, "no count");
	if (branch && ranges_place(a) == BRANCH_OUTSIDE && ranges_place(b) == BRANCH_OUTSIDE)
		return 0;
	if (branch)
		rc = branch_profile_add_branch(&r->part, ranges_place(a), ranges_place(b), count,
					       0);
	else if (range)
		rc = branch_profile_add_range(&r->part, a, b, count);
	else
		rc = branch_profile_add_sample(&r->part, a, count);
	if (r->sections == 2 && !branch) /* autofdo's samples: the branches follow */
		r->wanted = 3;
	return rc ? error_set_nomem(r->e) : 0;
}

/* [CALLER @ ... @ FUNCTION], and the sections of what ran in that context: they add up. */
static int begin_context(struct reader *r)
{
	if (r->expected || (r->sections && r->sections < r->wanted))
		return bad_line(r, "a calling context in the middle of the one before");
	r->sections = 0;
	r->wanted = 2;
	return 0;
}

static bool is_out_of_file(uint64_t address)
{
	return address >= BUILD_TAG_BYTES && address != BRANCH_OUTSIDE;
}

static bool has_file_addresses(const struct branch_profile *p)
{
	const struct map_entry *i;

	map_each (&p->branches, i)
		if (is_out_of_file(i->a) || is_out_of_file(i->b))
			return false;
	map_each (&p->ranges, i)
		if (is_out_of_file(i->a) || is_out_of_file(i->b))
			return false;
	map_each (&p->samples, i)
		if (is_out_of_file(i->a))
			return false;
	return true;
}

static uint64_t moved(uint64_t address, uint64_t begin)
{
	return address == BRANCH_OUTSIDE ? address : address + begin;
}

/* To where the addresses of its file begin; -1 without memory. */
static int move_part(struct reader *r, uint64_t begin)
{
	const struct branch_profile *part = &r->part;
	const struct map_entry *i;

	map_each (&part->branches, i)
		if (branch_profile_add_branch(r->p, moved(i->a, begin), moved(i->b, begin), i->n,
					      i->m))
			return -1;
	map_each (&part->ranges, i)
		if (branch_profile_add_range(r->p, moved(i->a, begin), moved(i->b, begin), i->n))
			return -1;
	map_each (&part->samples, i)
		if (branch_profile_add_sample(r->p, moved(i->a, begin), i->n))
			return -1;
	return 0;
}

/* What was read so far is of a file, behind which the next one's sections may come. @path may be
 * NULL. */
static int end_file(struct reader *r, const char *path)
{
	size_t file;

	if (r->expected || r->sections < r->wanted)
		return bad_line(r, "the name of a file before its sections are whole");
	if (!has_file_addresses(&r->part))
		return bad_line(r, "addresses before this line are none of a file");
	file = build_tags_add(r->tags, &r->id, path);
	if (file == BUILD_TAGS_NONE || move_part(r, build_tags_begin(file)))
		return error_set_nomem(r->e);
	branch_profile_deinit(&r->part);
	r->part = (struct branch_profile){0};
	r->sections = 0;
	r->wanted = 2;
	r->named = false;
	r->files = true;
	return 0;
}

static int read_path(struct reader *r)
{
	size_t length = text_length(r->left);
	char *path = memory_alloc(length + 1);
	int rc;

	if (!path)
		return error_set_nomem(r->e);
	memcpy(path, r->left.at, length);
	rc = end_file(r, path);
	memory_free(path);
	return rc;
}

static int read_build_id(struct reader *r)
{
	static const uint8_t none[sizeof(r->id.bytes)];

	r->named = true;
	text_skip(&r->left, " \t");
	text_take(&r->left, "0x");
	build_tags_take_digits(&r->left, &r->id);
	if (text_length(r->left))
		return bad_line(r, "a damaged build-id");
	if (!memcmp(r->id.bytes, none, r->id.size))
		r->id.size = 0;
	return 0;
}

/* Behind "//": other lines than these are comments. */
static int read_name(struct reader *r)
{
	text_skip(&r->left, " \t");
	if (text_take(&r->left, "build_id:"))
		return read_build_id(r);
	return r->named ? read_path(r) : 0;
}

static int read_line(struct reader *r)
{
	int rc;

	text_skip(&r->left, " \t");
	while (text_length(r->left) && strchr(" \t\r", r->left.end[-1]))
		r->left.end--;
	if (!text_length(r->left) || *r->left.at == '#')
		return 0;
	if (text_take(&r->left, "//"))
		return read_name(r);
	rc = r->named ? end_file(r, NULL) : 0;
	if (rc)
		return rc;
	if (*r->left.at == '[')
		return begin_context(r);
	if (r->expected) {
		r->expected--;
		return read_record(r);
	}
	if (!text_take_number(&r->left, 10, &r->expected) || text_length(r->left))
		return bad_line(r, "more lines than the section's number says");
	/* Without lines the second section is one of samples too: a program that runs branches. */
	if (++r->sections == 2 && !r->expected)
		r->wanted = 3;
	return 0;
}

int ranges_text_read_bytes(struct branch_profile *p, const uint8_t *data, size_t size,
			   const char *name, struct build_tags *tags, struct softlbr_error *e)
{
	struct text rest = {(const char *)data, (const char *)data + size};
	struct reader r = {.wanted = 2, .name = name, .p = p, .tags = tags, .e = e};
	int rc = 0;

	while (!rc && text_take_line(&rest, &r.left)) {
		r.line++;
		rc = text_is_cut(rest, r.left) ? bad_line(&r, "cut off: no line feed at the end")
					       : read_line(&r);
	}
	if (!rc && r.named)
		rc = end_file(&r, NULL);
	if (!rc && r.expected)
		rc = bad_line(&r, "cut off: fewer lines than announced");
	else if (!rc && r.sections < r.wanted && (r.sections || !r.files))
		rc = bad_line(&r, "cut off: a section is missing");
	if (!rc && move_part(&r, 0))
		rc = error_set_nomem(e);
	branch_profile_deinit(&r.part);
	return rc;
}

/* The length of a line that is a context alone; else 0. */
static size_t context_length(const char *text, size_t size)
{
	const char *newline = size && *text == '[' ? memchr(text, '\n', size) : NULL;

	return newline && newline[-1] == ']' ? (size_t)(newline + 1 - text) : 0;
}

/* The line behind @text, without the blanks before it; NULL if there is none that is whole. */
static const char *next_line(const char *text, const char *end, const char **line_end)
{
	while (text < end && (*text == ' ' || *text == '\t'))
		text++;
	*line_end = memchr(text, '\n', (size_t)(end - text));
	return *line_end ? text : NULL;
}

/* A number alone, then a record; in front of them there may be a context, and they are indented. */
bool ranges_text_is(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *end = text + size, *stop, *p, *colon;

	p = text = next_line(text + context_length(text, size), end, &stop);
	while (p && p < stop && ((*p >= '0' && *p <= '9') || *p == '\r'))
		p++;
	if (!p || p < stop || text == stop)
		return false;
	p = next_line(stop + 1, end, &stop);
	colon = p ? memchr(p, ':', (size_t)(stop - p)) : NULL;
	return colon && colon - p < 40 && memchr(p, '-', (size_t)(colon - p)) &&
	       strspn(p, "0123456789abcdefABCDEF->") == (size_t)(colon - p);
}
