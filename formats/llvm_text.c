/* SPDX-License-Identifier: MIT */
/* The text, in exactly the order and form that `llvm-profdata merge --sample --text` writes.
 * Grammar: llvm/ProfileData/SampleProfReader.h; order: SampleProfWriter.cpp. */
#include "formats/llvm_profile.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/file_output.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/text.h"
#include "formats/model/source_profile.h"

/* A function and its total, which costs a walk. */
struct ranked {
	const struct source_function *f;
	uint64_t total;
};

/* Greatest total first, then by name (whose numbers are in the order of their text). */
ORDER_BY(by_total, struct ranked, ORDER_DOWN(total) ?: ORDER_UP(f->name));

ORDER_BY(by_count, struct source_target, ORDER_DOWN(count) ?: ORDER_UP(name));

static void put_position(FILE *out, unsigned depth, struct source_position at)
{
	fprintf(out, "%*s%" PRIu32, (int)depth, "", (uint32_t)at.line);
	if (at.discriminator)
		fprintf(out, ".%" PRIu32, at.discriminator);
	fputs(": ", out);
}

static int put_line(FILE *out, const struct source_profile *p, unsigned depth,
		    const struct source_line *l)
{
	size_t count = l->targets.count;
	struct source_target *sorted = NULL;

	put_position(out, depth, l->at);
	fprintf(out, "%" PRIu64, l->count);
	if (count) {
		sorted = memory_alloc_array(count, sizeof(*sorted));
		if (!sorted)
			return -1;
		for (size_t i = 0; i < count; i++)
			sorted[i] = l->targets.items[i];
		qsort(sorted, count, sizeof(*sorted), by_count);
	}
	for (size_t i = 0; i < count; i++)
		fprintf(out, " %s:%" PRIu64, strings_text(p->strings, sorted[i].name),
			sorted[i].count);
	fputc('\n', out);
	memory_free(sorted);
	return 0;
}

static int put_body(FILE *out, const struct source_profile *p, unsigned depth,
		    const struct source_function *f)
{
	const struct source_callsite *c;
	const struct source_line *l;

	vector_each (&f->lines, l)
		if (put_line(out, p, depth, l))
			return -1;
	vector_each (&f->callsites, c) {
		put_position(out, depth, c->at);
		fprintf(out, "%s:%" PRIu64 "\n", strings_text(p->strings, c->callee.name),
			source_function_given_total(&c->callee));
		if (put_body(out, p, depth + 1, &c->callee))
			return -1;
	}
	return 0;
}

static int put_functions(FILE *out, const struct source_profile *p)
{
	struct ranked *list = memory_alloc_array(p->functions.count, sizeof(*list));
	const struct source_function *f;
	size_t n = 0;
	int rc = 0;

	if (!list && p->functions.count)
		return -1;
	vector_each (&p->functions, f)
		list[n++] = (struct ranked){f, source_function_given_total(f)};
	if (n > 1)
		qsort(list, n, sizeof(*list), by_total);
	for (size_t i = 0; !rc && i < n; i++) {
		fprintf(out, "%s:%" PRIu64 ":%" PRIu64 "\n",
			strings_text(p->strings, list[i].f->name), list[i].total, list[i].f->head);
		rc = put_body(out, p, 1, list[i].f);
	}
	memory_free(list);
	return rc;
}

int llvm_text_write_to(const struct source_profile *p, FILE *out, struct softlbr_error *e)
{
	struct source_profile named;
	int rc;

	if (source_profile_for_consumer(p, SOURCE_NAMES_LLVM, &named))
		return error_set_nomem(e);
	rc = put_functions(out, &named) ? error_set_nomem(e) : 0;
	source_profile_deinit(&named);
	return rc;
}

int llvm_text_write(const struct source_profile *p, const char *path, struct softlbr_error *e)
{
	struct file_output out;

	return file_output_open(&out, path, e)
		       ?: file_output_end(&out, llvm_text_write_to(p, out.stream, e), e);
}

#define DEEPEST_NESTING 512

struct reader {
	const char *source;
	uint64_t line;
	struct text left; /* of the line */
	struct source_profile *p;
	struct softlbr_error *e;
	/* Open functions by depth; the callees of one move when another is made, but not what is
	 * open itself. */
	struct source_function *open[DEEPEST_NESTING];
	size_t depth; /* how many are open */
};

static int bad_line(struct reader *r, const char *what)
{
	return error_set_at(r->e, SOFTLBR_E_INPUT, r->source, r->line,
			    "%s:%" PRIu64 ": %s; expected LLVM's sample profile as text", r->source,
			    r->line, what);
}

static int refused(struct reader *r, const char *what)
{
	return error_set_at(r->e, SOFTLBR_E_INPUT, r->source, r->line,
			    "%s:%" PRIu64 ": a profile %s cannot be read; make one without",
			    r->source, r->line, what);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A decimal number in [@at,@end), all of it. */
static bool parse_number(const char *at, const char *end, uint64_t most, uint64_t *out)
{
	uint64_t value = 0;

	if (at == end)
		return false;
	for (; at < end; at++)
		if (!is_digit(*at) || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (unsigned)(*at - '0'), &value))
			return false;
	*out = value;
	return value <= most;
}

static const char *last_colon(const char *begin, const char *end)
{
	return end > begin ? memrchr(begin, ':', (size_t)(end - begin)) : NULL;
}

/* NAME:TOTAL:HEAD */
static int read_header(struct reader *r)
{
	const char *second = last_colon(r->left.at, r->left.end);
	const char *first = second ? last_colon(r->left.at, second) : NULL;
	struct source_function *f;
	uint64_t total, head;
	uint32_t name;

	if (*r->left.at == '[')
		return refused(r, "with calling contexts");
	if (!first || first == r->left.at || !parse_number(first + 1, second, UINT64_MAX, &total) ||
	    !parse_number(second + 1, r->left.end, UINT64_MAX, &head))
		return bad_line(r, "not FUNCTION:TOTAL:HEAD");
	name = strings_add(r->p->strings, r->left.at, (size_t)(first - r->left.at));
	f = name == STRINGS_NONE ? NULL : source_profile_function(r->p, name);
	if (!f)
		return error_set_nomem(r->e);
	f->head = source_count_add(f->head, head);
	f->stored_total = source_count_add(f->stored_total, total);
	r->open[0] = f;
	r->depth = 1;
	return 0;
}

/* LINE[.DISCRIMINATOR]: */
static bool take_position(struct reader *r, struct source_position *at)
{
	const char *colon = memchr(r->left.at, ':', text_length(r->left));
	const char *dot = colon ? memchr(r->left.at, '.', (size_t)(colon - r->left.at)) : NULL;
	uint64_t line, discriminator = 0;

	if (!colon || !parse_number(r->left.at, dot ? dot : colon, UINT16_MAX, &line) ||
	    (dot && !parse_number(dot + 1, colon, UINT32_MAX, &discriminator)))
		return false;
	*at = (struct source_position){(int32_t)line, (uint32_t)discriminator};
	r->left.at = colon + 1;
	text_skip(&r->left, " ");
	return text_length(r->left);
}

/* NAME:COUNT, where the name may hold blanks and colons: a blank or the line ends the count. */
static int read_target(struct reader *r, struct source_line *l)
{
	const char *begin = r->left.at, *colon = begin;

	while ((colon = memchr(colon, ':', (size_t)(r->left.end - colon)))) {
		const char *end = colon + 1;
		uint64_t count;

		while (end < r->left.end && is_digit(*end))
			end++;
		if (colon > begin && (end == r->left.end || *end == ' ') &&
		    parse_number(colon + 1, end, UINT64_MAX, &count)) {
			uint32_t name = strings_add(r->p->strings, begin, (size_t)(colon - begin));

			r->left.at = end;
			text_skip(&r->left, " ");
			return name == STRINGS_NONE || source_line_add_target(l, name, count)
				       ? error_set_nomem(r->e)
				       : 0;
		}
		colon++;
	}
	return bad_line(r, "not CALLEE:COUNT");
}

/* COUNT CALLEE:COUNT ... */
static int read_counts(struct reader *r, struct source_position at)
{
	const char *end = r->left.at;
	struct source_line *l;
	uint64_t count;
	int rc = 0;

	while (end < r->left.end && is_digit(*end))
		end++;
	if (!parse_number(r->left.at, end, UINT64_MAX, &count) ||
	    (end < r->left.end && *end != ' '))
		return bad_line(r, "not a count");
	l = source_function_line(r->open[r->depth - 1], at);
	if (!l)
		return error_set_nomem(r->e);
	l->count = source_count_add(l->count, count);
	r->left.at = end;
	text_skip(&r->left, " ");
	while (!rc && text_length(r->left))
		rc = read_target(r, l);
	return rc;
}

/* CALLEE:TOTAL, an inlined call */
static int read_callsite(struct reader *r, struct source_position at)
{
	const char *colon = last_colon(r->left.at, r->left.end);
	struct source_function *callee;
	uint64_t total;
	uint32_t name;

	if (!colon || colon == r->left.at ||
	    !parse_number(colon + 1, r->left.end, UINT64_MAX, &total))
		return bad_line(r, "not CALLEE:TOTAL");
	if (r->depth == DEEPEST_NESTING)
		return bad_line(r, "calls nested too deeply");
	name = strings_add(r->p->strings, r->left.at, (size_t)(colon - r->left.at));
	callee = name == STRINGS_NONE ? NULL
				      : source_function_callee(r->open[r->depth - 1], at, name);
	if (!callee)
		return error_set_nomem(r->e);
	callee->stored_total = source_count_add(callee->stored_total, total);
	r->open[r->depth++] = callee;
	return 0;
}

static int read_line(struct reader *r)
{
	const char *begin = r->left.at;
	struct source_position at;
	size_t depth;

	if (text_length(r->left) && r->left.end[-1] == '\r')
		r->left.end--;
	text_skip(&r->left, " ");
	if (!text_length(r->left) || *r->left.at == '#')
		return 0;
	depth = (size_t)(r->left.at - begin);
	if (!depth)
		return read_header(r);
	if (!r->depth)
		return bad_line(r, "a line of no function");
	if (depth < r->depth)
		r->depth = depth;
	if (*r->left.at == '!')
		return text_begins(r->left, "!CFGChecksum") ? refused(r, "of pseudo probes") : 0;
	if (!take_position(r, &at))
		return bad_line(r, "not LINE[.DISCRIMINATOR]: COUNT");
	return is_digit(*r->left.at) ? read_counts(r, at) : read_callsite(r, at);
}

int llvm_text_read_bytes(const uint8_t *data, size_t size, const char *name,
			 struct source_profile *p, struct softlbr_error *e)
{
	struct reader r = {.source = name, .p = p, .e = e};
	struct text rest = {(const char *)data, (const char *)data + size};
	int rc = source_profile_init(p) ? error_set_nomem(e) : 0;

	p->llvm_producer = true;
	p->llvm_finished = true;
	while (!rc && text_take_line(&rest, &r.left)) {
		r.line++;
		rc = text_is_cut(rest, r.left)
			     ? bad_line(&r, "cut off: the last line has no line feed")
			     : read_line(&r);
	}
	if (!rc && !p->functions.count)
		rc = error_set(e, SOFTLBR_E_INPUT, name, "%s: holds no function", name);
	if (!rc && source_profile_sort(p))
		rc = error_set_nomem(e);
	return rc;
}
