/* SPDX-License-Identifier: MIT */
#include "formats/llvm_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_output.h"
#include "base/memory.h"
#include "formats/model/source_names.h"

/* A function and its total, which costs a walk. */
struct ranked {
	const struct source_function *f;
	uint64_t total;
};

/* Greatest total first, then by name (whose numbers are in the order of their text). */
static int by_total(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return a->f->name < b->f->name ? -1 : a->f->name > b->f->name;
}

static int by_count(const void *x, const void *y)
{
	const struct source_target *a = x, *b = y;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

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
	int rc = file_output_open(&out, path, e);

	return rc ? rc : file_output_end(&out, llvm_text_write_to(p, out.stream, e), e);
}
