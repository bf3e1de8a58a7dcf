/* SPDX-License-Identifier: MIT */
#include "formats/unified_diff.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"

struct reading {
	struct unified_diff *d;
	struct text rest;
	uint64_t number; /* of the line that was taken last */
	struct softlbr_error *e;
};

static bool take_line(struct reading *r, struct text *line)
{
	if (!text_take_line(&r->rest, line))
		return false;
	r->number++;
	return true;
}

static int refuse(const struct reading *r, const char *why)
{
	return error_set_at(r->e, SOFTLBR_E_INPUT, r->d->name, r->number,
			    "%s:%" PRIu64 ": %s: give a unified diff (git diff, diff -ru)",
			    r->d->name, r->number, why);
}

/* What follows "--- " or "+++ ", up to a date. */
static struct text read_path(struct text line)
{
	const char *tab;

	line.at += 4;
	tab = memchr(line.at, '\t', text_length(line));
	if (tab)
		line.end = tab;
	if (line.end > line.at && line.end[-1] == '\r')
		line.end--;
	if (text_length(line) == strlen("/dev/null") && text_begins(line, "/dev/null"))
		line.end = line.at;
	return line;
}

/* "12,3", or "12" for one line. */
static bool take_range(struct text *t, uint64_t *line, uint64_t *count)
{
	*count = 1;
	return text_take_number(t, 10, line) &&
	       (!text_take(t, ",") || text_take_number(t, 10, count)) && *line <= UINT32_MAX &&
	       *count <= UINT32_MAX;
}

static bool is_mark(char c)
{
	return c == ' ' || c == '+' || c == '-' || c == '\\';
}

/* The lines of a hunk, as many as its head says. */
static int take_hunk_lines(struct reading *r, struct unified_diff_hunk *h)
{
	uint64_t before = 0, after = 0;
	struct text line;

	h->lines = r->rest;
	while (before < h->old_count || after < h->new_count) {
		if (!take_line(r, &line))
			return refuse(r, "the diff is cut off in a hunk");
		before += !text_length(line) || *line.at == ' ' || *line.at == '-';
		after += !text_length(line) || *line.at == ' ' || *line.at == '+';
		if (text_length(line) && !is_mark(*line.at))
			return refuse(r, "a line of a hunk begins with neither of ' ', '+', '-'");
	}
	if (before != h->old_count || after != h->new_count)
		return refuse(r, "a hunk has more lines than its head says");
	while (text_begins(r->rest, "\\"))
		take_line(r, &line);
	h->lines.end = r->rest.at;
	return 0;
}

static int take_hunk(struct reading *r, struct text head)
{
	struct unified_diff_hunk h = {.where = r->number};
	struct unified_diff_file *file = vector_at(&r->d->files, r->d->files.count - 1);
	int rc;

	if (!r->d->files.count)
		return refuse(r, "a hunk of no file");
	if (!text_take(&head, "@@ -") || !take_range(&head, &h.old_line, &h.old_count) ||
	    !text_take(&head, " +") || !take_range(&head, &h.new_line, &h.new_count) ||
	    !text_take(&head, " @@"))
		return refuse(r, "the head of a hunk is not @@ -N,N +N,N @@");
	rc = take_hunk_lines(r, &h);
	if (rc)
		return rc;
	/* diff -N names a file that is not there */
	if (!h.old_line && !h.old_count)
		file->old_path.end = file->old_path.at;
	if (!h.new_line && !h.new_count)
		file->new_path.end = file->new_path.at;
	file->count++;
	return vector_add(&r->d->hunks, h) ? error_set_nomem(r->e) : 0;
}

static int add_file(struct reading *r, struct text old_path, struct text new_path, bool renamed)
{
	struct unified_diff_file file = {.old_path = old_path,
					 .new_path = new_path,
					 .renamed = renamed,
					 .first = r->d->hunks.count};
	struct unified_diff_file *last = vector_at(&r->d->files, r->d->files.count - 1);

	/* the paths of a renamed file are told twice, if it has hunks */
	if (r->d->files.count && last->renamed && !last->count && !renamed) {
		*last = file;
		return 0;
	}
	return vector_add(&r->d->files, file) ? error_set_nomem(r->e) : 0;
}

/* A file's head: a line with its older path, and one with its newer one. */
static int take_head(struct reading *r, struct text line)
{
	bool renames = text_begins(line, "rename from ");
	struct text second;

	if (!text_begins(r->rest, renames ? "rename to " : "+++ ") || !take_line(r, &second))
		return renames ? refuse(r, "\"rename from\" without \"rename to\"") : 0;
	if (!renames)
		return add_file(r, read_path(line), read_path(second), false);
	text_take(&line, "rename from ");
	text_take(&second, "rename to ");
	return add_file(r, line, second, true);
}

int unified_diff_read(struct unified_diff *d, struct text text, const char *name,
		      struct softlbr_error *e)
{
	struct reading r = {.d = d, .rest = text, .e = e};
	struct text line;
	int rc = 0;

	d->name = name;
	while (!rc && take_line(&r, &line)) {
		if (text_begins(line, "--- ") || text_begins(line, "rename from "))
			rc = take_head(&r, line);
		else if (text_begins(line, "@@ "))
			rc = take_hunk(&r, line);
	}
	if (!rc && !d->files.count && text_length(text))
		rc = refuse(&r, "there is no file in it");
	return rc;
}

void unified_diff_deinit(struct unified_diff *d)
{
	vector_deinit(&d->files);
	vector_deinit(&d->hunks);
}

bool unified_diff_path_is(struct text of_diff, const char *path)
{
	size_t length = strlen(path);
	const char *slash = memchr(of_diff.at, '/', text_length(of_diff));

	if (text_length(of_diff) == length && !memcmp(of_diff.at, path, length))
		return true;
	return slash && (size_t)(of_diff.end - slash - 1) == length &&
	       !memcmp(slash + 1, path, length);
}

/* ---- applying it --------------------------------------------------------------------------- */

struct patch {
	const struct unified_diff *d;
	struct text rest; /* of the text */
	uint64_t number;  /* the line at its front */
	FILE *out;
	char from, to; /* what lines of either side begin with */
};

static int refuse_hunk(const struct patch *p, const struct unified_diff_hunk *h,
		       struct softlbr_error *e)
{
	return error_set_at(e, SOFTLBR_E_INPUT, p->d->name, h->where,
			    "%s:%" PRIu64 ": the hunk does not fit the sources: give those that "
			    "the diff was made of",
			    p->d->name, h->where);
}

/* The line at the front, with its line feed. */
static struct text take_whole_line(struct patch *p)
{
	struct text whole = p->rest, line;

	text_take_line(&p->rest, &line);
	whole.end = p->rest.at;
	p->number++;
	return whole;
}

static bool is_line(struct text whole, struct text line)
{
	if (text_length(whole) && whole.end[-1] == '\n')
		whole.end--;
	return text_length(whole) == text_length(line) &&
	       !memcmp(whole.at, line.at, text_length(line));
}

static int apply_hunk(struct patch *p, const struct unified_diff_hunk *h, struct softlbr_error *e)
{
	bool reverse = p->from == '+';
	uint64_t first = (reverse ? h->new_line : h->old_line) +
			 !(reverse ? h->new_count : h->old_count);
	struct text lines = h->lines, line;

	if (first < p->number)
		return refuse_hunk(p, h, e);
	while (p->number < first && text_length(p->rest)) {
		struct text whole = take_whole_line(p);

		fwrite(whole.at, 1, text_length(whole), p->out);
	}
	while (text_take_line(&lines, &line)) {
		char kind = text_length(line) ? *line.at : ' ';

		line.at += text_length(line) > 0;
		if (kind == '\\')
			continue;
		if (kind != p->to && (!text_length(p->rest) || !is_line(take_whole_line(p), line)))
			return refuse_hunk(p, h, e);
		if (kind != p->from) {
			fwrite(line.at, 1, text_length(line), p->out);
			fputc('\n', p->out);
		}
	}
	return 0;
}

char *unified_diff_apply(const struct unified_diff *d, const struct unified_diff_file *file,
			 struct text text, bool reverse, size_t *size, struct softlbr_error *e)
{
	struct patch p = {.d = d,
			  .rest = text,
			  .number = 1,
			  .from = reverse ? '+' : '-',
			  .to = reverse ? '-' : '+'};
	char *made = NULL;
	int rc = 0;

	p.out = open_memstream(&made, size);
	if (!p.out) {
		error_set_nomem(e);
		return NULL;
	}
	for (size_t i = file->first; !rc && i < file->first + file->count; i++)
		rc = apply_hunk(&p, &d->hunks.items[i], e);
	fwrite(p.rest.at, 1, text_length(p.rest), p.out);
	if (fclose(p.out) && !rc)
		rc = error_set_nomem(e);
	if (rc) {
		memory_free(made);
		made = NULL;
	}
	return made;
}
