/* SPDX-License-Identifier: MIT */
/*
 *	kind SP name SP hexoffset SP kind SP name SP hexoffset SP mispredicted SP count LF
 *
 * kind 1 = symbol (2, which older tools wrote for local ones, is read alike), 0 = none. In names a
 * blank and a backslash have a backslash before them. Counters are signed 64-bit decimals there.
 */
#include "formats/fdata.h"

#include <string.h>

#include "base/error.h"
#include "base/file_output.h"
#include "base/memory.h"
#include "base/text.h"

static void write_location(FILE *f, const struct bolt_profile *p, const struct bolt_location *at)
{
	if (!at->symbol) {
		fputs("0 [unknown] 0 ", f);
		return;
	}
	fputs("1 ", f);
	for (const char *c = strings_text(p->strings, at->symbol); *c; c++) {
		if (*c == ' ' || *c == '\\')
			putc('\\', f);
		putc(*c, f);
	}
	fprintf(f, " %llx ", (unsigned long long)at->offset);
}

static unsigned long long counter(uint64_t value)
{
	return value < INT64_MAX ? value : INT64_MAX;
}

int fdata_write_to(const struct bolt_profile *p, FILE *out, struct softlbr_error *e)
{
	const struct bolt_branch *b;

	if (!p->branches.count)
		return error_set(e, SOFTLBR_E_EMPTY, NULL,
				 "fdata is not written: the profile holds no branch record for "
				 "llvm-bolt. Record for longer, and the binary that ran");
	vector_each (&p->branches, b) {
		write_location(out, p, &b->from);
		write_location(out, p, &b->to);
		fprintf(out, "%llu %llu\n", counter(b->mispredicted), counter(b->count));
	}
	return 0;
}

int fdata_write(const struct bolt_profile *p, const char *path, struct softlbr_error *e)
{
	struct file_output out;

	return file_output_open(&out, path, e)
		       ?: file_output_end(&out, fdata_write_to(p, out.stream, e), e);
}

/* One line at a time. */
struct parser {
	struct text left; /* of the line */
	const char *name; /* of the file */
	uint64_t line;
	struct bolt_profile *out;
	struct softlbr_error *e;
};

static int bad_line(struct parser *p, const char *what)
{
	return error_set_at(p->e, SOFTLBR_E_INPUT, p->name, p->line, "%s:%llu: %s", p->name,
			    (unsigned long long)p->line, what);
}

static bool read_number(struct parser *p, unsigned base, uint64_t *out)
{
	text_skip(&p->left, " ");
	return text_take_number(&p->left, base, out) &&
	       (!text_length(p->left) || *p->left.at == ' ');
}

/* llvm-bolt's are signed; offsets are not: perf2bolt writes the kernel's whole addresses. */
static bool read_counter(struct parser *p, uint64_t *out)
{
	return read_number(p, 10, out) && *out <= INT64_MAX;
}

/* The next field, unescaped, interned. */
static int read_name(struct parser *p, uint32_t *number)
{
	size_t length = 0;
	char *text;

	text_skip(&p->left, " ");
	text = memory_alloc(text_length(p->left) + 1);
	if (!text)
		return error_set_nomem(p->e);
	for (; text_length(p->left) && *p->left.at != ' '; p->left.at++) {
		if (*p->left.at == '\\' && text_length(p->left) > 1)
			p->left.at++;
		text[length++] = *p->left.at;
	}
	*number = strings_add(p->out->strings, text, length);
	memory_free(text);
	if (*number == STRINGS_NONE)
		return error_set_nomem(p->e);
	return length ? 0 : bad_line(p, "a symbol's name is missing");
}

static int read_location(struct parser *p, struct bolt_location *at)
{
	uint64_t kind;
	int rc;

	if (!read_number(p, 10, &kind))
		return bad_line(p, "not a branch record: it must begin with 0, 1 or 2");
	if (kind >= 3 && kind <= 5)
		return bad_line(p, "memory records are not supported; record branches only");
	if (kind > 2)
		return bad_line(p, "not a branch record: the kind must be 0, 1 or 2");
	rc = read_name(p, &at->symbol);
	if (rc)
		return rc;
	if (!read_number(p, 16, &at->offset))
		return bad_line(p, "the offset is not a hexadecimal number");
	if (!kind)
		*at = (struct bolt_location){0};
	return 0;
}

static int read_record(struct parser *p)
{
	struct bolt_location from = {0}, to = {0};
	uint64_t mispredicted, count;
	int rc = read_location(p, &from) ?: read_location(p, &to);

	if (rc)
		return rc;
	if (!read_counter(p, &mispredicted) || !read_counter(p, &count))
		return bad_line(p, "the counters must be two decimal numbers, mispredicted first");
	text_skip(&p->left, " ");
	if (text_length(p->left))
		return bad_line(p, "more than eight fields");
	return bolt_profile_add(p->out, from, to, count, mispredicted) ? error_set_nomem(p->e) : 0;
}

static int read_line(struct parser *p)
{
	if (text_begins(p->left, "no_lbr"))
		return bad_line(p, "samples without branches (no_lbr) are not supported; record "
				   "with branch stacks");
	if (text_begins(p->left, "boltedcollection"))
		return bad_line(p, "a profile of a binary that BOLT has optimized is not "
				   "supported; record the original one");
	if (text_length(p->left) && p->left.end[-1] == '\r')
		return bad_line(p, "ends in CR LF; BOLT wants LF alone");
	return read_record(p);
}

int fdata_read_bytes(const char *data, size_t size, const char *name, struct bolt_profile *out,
		     struct softlbr_error *e)
{
	struct parser p = {.name = name, .out = out, .e = e};
	struct text rest = {data, data + size};
	int rc = 0;

	if (!size)
		return error_set_at(e, SOFTLBR_E_INPUT, name, 1, "%s: empty", name);
	while (!rc && text_take_line(&rest, &p.left)) {
		p.line++;
		rc = text_is_cut(rest, p.left)
			     ? bad_line(&p, "cut off: the last line has no line feed")
			     : read_line(&p);
	}
	if (!rc)
		bolt_profile_sort(out);
	return rc;
}

uint64_t fdata_line_of(const char *data, size_t size, const char *name)
{
	struct bolt_profile read;
	struct parser p = {.out = &read};
	struct text rest = {data, data + size};
	uint64_t line = 0;

	if (bolt_profile_init(&read))
		return 0;
	while (!line && text_take_line(&rest, &p.left)) {
		p.line++;
		if (text_is_cut(rest, p.left) || read_record(&p))
			break;
		if (strings_find(read.strings, name, strlen(name)) != STRINGS_NONE)
			line = p.line;
	}
	bolt_profile_deinit(&read);
	return line;
}
