/* SPDX-License-Identifier: MIT */
/*
 * .gcno: gcc's control-flow graphs, written by -ftest-coverage. The layout is that of
 * gcc/gcov-io.h, of gcc 11 to 17:
 *
 *	u32 "gcno", version, stamp, [gcc 12 on: checksum]
 *	string: working directory; u32: unexecuted blocks are supported
 *	FUNCTION: ident, lineno_checksum, cfg_checksum, name, artificial, file, line, column, end
 *		line, end column
 *	BLOCKS: their number
 *	ARCS: block, then (block, flags)
 *	LINES: block, then line numbers; 0 and a file's name in between, 0 and an empty one at the
 *		end
 *
 * Records are as in .gcda (gcda.c). A string is its length with the NUL, in
 * bytes (gcc 11: in words of 4 bytes), then so much text.
 */
#include "converter/gcc/files/gcc_graph.h"

#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "converter/gcc/files/gcc_records.h"

#define MAGIC  0x67636e6fu
#define BLOCKS 0x01410000u
#define ARCS   0x01430000u
#define LINES  0x01450000u

struct reader {
	struct gcc_records records;
	struct gcc_graph *g;
	uint64_t blocks; /* of all functions */
};

/* An empty one is the number 0. */
static int read_string(struct reader *r, uint32_t *number)
{
	struct cursor *in = &r->records.in;
	uint64_t bytes = (uint64_t)cursor_u32(in) * r->records.unit;
	const char *text = bytes ? cursor_string_field(in, bytes) : "";

	if (!text)
		return gcc_records_malformed(&r->records, "a bad string");
	*number = strings_add_text(r->g->strings, text);
	return *number == STRINGS_NONE ? error_set_nomem(r->records.e) : 0;
}

/* The last function is whole. */
static void end_function(struct reader *r)
{
	size_t known = r->g->functions.count;
	struct gcc_function *f = known ? &r->g->functions.items[known - 1] : NULL;

	if (!f)
		return;
	vector_fit(&f->arcs);
	vector_fit(&f->lines);
}

static int read_function(struct reader *r)
{
	struct cursor *in = &r->records.in;
	struct gcc_function *f;
	int rc;

	end_function(r);
	f = vector_push(&r->g->functions);
	if (!f)
		return error_set_nomem(r->records.e);
	f->ident = cursor_u32(in);
	f->lineno_checksum = cursor_u32(in);
	f->cfg_checksum = cursor_u32(in);
	rc = read_string(r, &f->name);
	cursor_u32(in); /* made by the compiler */
	if (!rc)
		rc = read_string(r, &f->file);
	f->line = cursor_u32(in);
	return rc;
}

static int read_arcs(struct reader *r, struct gcc_function *f, size_t end)
{
	struct cursor *in = &r->records.in;
	uint32_t from = cursor_u32(in);

	while (!in->failed && in->at < end) {
		struct gcc_arc a = {.from = from};

		a.to = cursor_u32(in);
		a.flags = cursor_u32(in);
		if (vector_add(&f->arcs, a))
			return error_set_nomem(r->records.e);
		if (from >= f->block_count || a.to >= f->block_count)
			return gcc_records_malformed(&r->records, "an arc of no block before here");
	}
	return 0;
}

static int read_lines(struct reader *r, struct gcc_function *f, size_t end)
{
	struct cursor *in = &r->records.in;
	uint32_t block = cursor_u32(in), line, file = 0;

	if (block >= f->block_count)
		return gcc_records_malformed(&r->records, "lines of no block before here");
	while (!in->failed && in->at < end) {
		line = cursor_u32(in);
		if (!line) {
			int rc = read_string(r, &file);

			if (rc || !file)
				return rc;
			continue;
		}
		if (vector_add(&f->lines, (struct gcc_line){block, file, line}))
			return error_set_nomem(r->records.e);
	}
	return 0;
}

/* Arcs and lines are checked against it; and each block has an arc, so that a damaged file cannot
 * ask for more memory than one of its size, in however many functions. */
static int read_blocks(struct reader *r, struct gcc_function *f)
{
	if (f->block_count)
		return gcc_records_malformed(&r->records, "a function with blocks twice");
	f->block_count = cursor_u32(&r->records.in);
	r->blocks += f->block_count;
	if (r->blocks > r->records.in.size)
		return gcc_records_malformed(&r->records, "a function of too many blocks");
	return 0;
}

/* What other records say (conditions, paths) is skipped. */
static int read_record(struct reader *r, uint32_t tag)
{
	struct cursor *in = &r->records.in;
	uint64_t bytes = (uint64_t)cursor_u32(in) * r->records.unit;
	size_t known = r->g->functions.count, end = in->at + bytes;
	struct gcc_function *f = known ? &r->g->functions.items[known - 1] : NULL;
	int rc = 0;

	if (bytes > cursor_left(in))
		return gcc_records_malformed(&r->records, "it ends");
	if (tag == GCC_RECORD_FUNCTION)
		rc = read_function(r);
	else if (!f)
		return gcc_records_malformed(&r->records, "a record without a function");
	else if (tag == BLOCKS)
		rc = read_blocks(r, f);
	else if (tag == ARCS)
		rc = read_arcs(r, f, end);
	else if (tag == LINES)
		rc = read_lines(r, f, end);
	if (rc)
		return rc;
	if (in->failed || in->at > end)
		return gcc_records_malformed(&r->records,
					     "a record longer than it says before here");
	cursor_skip(in, end - in->at);
	return 0;
}

int gcno_read_bytes(const uint8_t *data, size_t size, const char *name, struct gcc_graph *g,
		    struct softlbr_error *e)
{
	struct reader r = {.records = {.name = name, .format = ".gcno"}, .g = g};
	struct cursor *in = &r.records.in;
	uint32_t tag, directory;
	int rc = gcc_graph_init(g) ? error_set_nomem(e) : 0;

	if (!rc)
		rc = gcc_records_open(&r.records, data, size, MAGIC, e);
	g->version = r.records.version;
	g->stamp = r.records.stamp;
	if (!rc)
		rc = read_string(&r, &directory);
	cursor_u32(in); /* unexecuted blocks are supported */
	while (!rc && cursor_left(in) && (tag = cursor_u32(in)))
		rc = read_record(&r, tag);
	end_function(&r);
	vector_fit(&g->functions);
	if (!rc && in->failed)
		rc = gcc_records_malformed(&r.records, "it ends");
	return rc;
}

static bool read_file(const char *path, struct gcc_graph *g)
{
	struct softlbr_error ignored = {0};
	struct file_view v;
	int rc;

	if (file_view_open(&v, path, &ignored))
		return gcc_graph_init(g), false;
	rc = gcno_read_bytes(v.data, v.size, path, g, &ignored);
	file_view_close(&v);
	return !rc;
}

int gcno_read_beside(const char *path, struct gcc_graph *g)
{
	size_t length = strlen(path), suffix = sizeof(".gcda") - 1;
	bool named = length > suffix && !strcmp(path + length - suffix, ".gcda");
	char *beside = named ? memory_alloc(length + 1) : NULL;

	if (!beside)
		return gcc_graph_init(g);
	memcpy(beside, path, length + 1);
	memcpy(beside + length - suffix, ".gcno", suffix);
	if (!read_file(beside, g)) {
		gcc_graph_deinit(g);
		*g = (struct gcc_graph){0};
	}
	memory_free(beside);
	return g->strings ? 0 : gcc_graph_init(g);
}
