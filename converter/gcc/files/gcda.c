/* SPDX-License-Identifier: MIT */
/*
 * .gcda: the counters that gcc -fprofile-use reads, one file per object file. The layout is that of
 * gcc/gcov-io.h (its head describes it) and gcc/gcov-counter.def, of gcc 11 to 17:
 *
 *	u32 "gcda", version, stamp, [gcc 12 on: checksum]
 *	[OBJECT_SUMMARY: runs, sum_max]
 *	FUNCTION: ident, lineno_checksum, cfg_checksum; or empty: not in this file
 *	  COUNTERS of a kind: u64 each; a negative length: so many, all zero
 *	u32 0
 *
 * A record is a tag, a length in bytes (gcc 11: in words of 4 bytes), and data
 * (converter/gcc/files/gcc_records.h). Files of both byte orders are read; those of little-endian
 * machines are written.
 */
#include "converter/gcc/files/counter_profile.h"

#include <endian.h>

#include "base/error.h"
#include "base/file_output.h"
#include "converter/gcc/files/gcc_records.h"

bool gcda_is(const uint8_t *data, size_t size)
{
	return gcc_records_is(data, size, GCDA_MAGIC);
}

static int read_function(struct gcc_records *r, struct counter_profile *p, uint64_t bytes)
{
	struct counter_function *f = counter_profile_add(p);

	if (!f)
		return error_set_nomem(r->e);
	f->absent = !bytes;
	if (!bytes)
		return 0;
	if (bytes != 12)
		return gcc_records_malformed(r, "a function's head of another size");
	f->ident = cursor_u32(&r->in);
	f->lineno_checksum = cursor_u32(&r->in);
	f->cfg_checksum = cursor_u32(&r->in);
	return 0;
}

/* u64 as two words, the low one first, whatever the byte order (gcov_read_counter). */
static uint64_t read_count(struct cursor *in)
{
	uint64_t low = cursor_u32(in);

	return low | (uint64_t)cursor_u32(in) << 32;
}

/* So many zeros a set may claim without having them: more arcs than any function's. */
#define ZEROS_MOST (1u << 20)

/* A negative length: so many, all zero. */
static int read_counters(struct gcc_records *r, struct counter_profile *p, enum counter_kind kind,
			 int32_t length)
{
	uint64_t bytes = (uint64_t)(length < 0 ? -(int64_t)length : length) * r->unit;
	size_t known = p->functions.count;
	struct counter_function *f = known ? &p->functions.items[known - 1] : NULL;
	struct counter_set *s;

	if (!f || f->absent)
		return gcc_records_malformed(r, "counters without a function");
	if (counter_function_set(f, kind))
		return gcc_records_malformed(r, "counters of a kind twice");
	if (bytes % 8 || (length < 0 ? bytes / 8 > ZEROS_MOST : bytes > cursor_left(&r->in)))
		return gcc_records_malformed(r, "a bad number of counters");
	s = counter_function_add(f, kind);
	if (!s || vector_reserve(&s->counts, bytes / 8))
		return error_set_nomem(r->e);
	for (uint64_t i = 0; i < bytes / 8; i++)
		*(uint64_t *)vector_push(&s->counts) = length < 0 ? 0 : read_count(&r->in);
	return 0;
}

static int read_summary(struct gcc_records *r, struct counter_profile *p, uint64_t bytes)
{
	if (bytes != 8 || p->has_summary || p->functions.count)
		return gcc_records_malformed(r, "a bad summary");
	p->has_summary = true;
	p->runs = cursor_u32(&r->in);
	p->sum_max = cursor_u32(&r->in);
	return 0;
}

static int read_record(struct gcc_records *r, struct counter_profile *p, uint32_t tag)
{
	uint32_t length = cursor_u32(&r->in), kind = (tag - GCDA_COUNTERS) / GCDA_KIND_STEP;
	uint64_t bytes = (uint64_t)length * r->unit;

	if (tag == GCDA_SUMMARY)
		return read_summary(r, p, bytes);
	if (tag == GCC_RECORD_FUNCTION)
		return read_function(r, p, bytes);
	if (tag == GCDA_COUNTERS + kind * GCDA_KIND_STEP && kind < COUNTER_KINDS)
		return read_counters(r, p, (enum counter_kind)kind, (int32_t)length);
	return gcc_records_malformed(r, "an unknown record before here");
}

int gcda_read_bytes(const uint8_t *data, size_t size, const char *name, struct counter_profile *p,
		    struct softlbr_error *e)
{
	struct gcc_records r = {.name = name, .format = ".gcda"};
	uint32_t tag = 0;
	int rc;

	*p = (struct counter_profile){0};
	rc = gcc_records_open(&r, data, size, GCDA_MAGIC, e);
	p->version = r.version;
	p->stamp = r.stamp;
	p->checksum = r.checksum;
	while (!rc && (tag = cursor_u32(&r.in)))
		rc = read_record(&r, p, tag);
	if (!rc && r.in.failed)
		rc = gcc_records_malformed(&r, "it ends");
	if (!rc && cursor_left(&r.in))
		rc = gcc_records_malformed(&r, "bytes behind the end");
	return rc;
}

static void gcda_put(FILE *out, uint32_t word)
{
	word = htole32(word);
	fwrite(&word, sizeof(word), 1, out);
}

/* Written as a negative length; gcc never does so for lists of values (write_topn_counters). */
static bool is_left_out(const struct counter_set *s)
{
	const uint64_t *count;

	if (s->kind == COUNTER_KIND_TOPN || s->kind == COUNTER_KIND_INDIRECT)
		return false;
	vector_each (&s->counts, count)
		if (*count)
			return false;
	return true;
}

/* Lengths are in bytes, of gcc 11 in words. */
static void put_set(FILE *out, const struct counter_set *s, unsigned unit)
{
	uint32_t length = (uint32_t)(s->counts.count * 8 / unit);
	bool zero = is_left_out(s);
	const uint64_t *count;

	gcda_put(out, GCDA_COUNTERS + (uint32_t)s->kind * GCDA_KIND_STEP);
	gcda_put(out, zero ? -length : length);
	if (zero)
		return;
	vector_each (&s->counts, count) {
		gcda_put(out, (uint32_t)*count);
		gcda_put(out, (uint32_t)(*count >> 32));
	}
}

static void put_function(FILE *out, const struct counter_function *f, unsigned unit)
{
	const struct counter_set *s;

	gcda_put(out, GCC_RECORD_FUNCTION);
	gcda_put(out, f->absent ? 0 : 12 / unit);
	if (f->absent)
		return;
	gcda_put(out, f->ident);
	gcda_put(out, f->lineno_checksum);
	gcda_put(out, f->cfg_checksum);
	vector_each (&f->sets, s)
		put_set(out, s, unit);
}

void gcda_write_to(const struct counter_profile *p, FILE *out)
{
	bool has_checksum = gcc_records_compiler(p->version) >= GCC_RECORDS_BYTES;
	unsigned unit = has_checksum ? 1 : 4;
	const struct counter_function *f;

	gcda_put(out, GCDA_MAGIC);
	gcda_put(out, p->version);
	gcda_put(out, p->stamp);
	if (has_checksum)
		gcda_put(out, p->checksum);
	if (p->has_summary) {
		gcda_put(out, GCDA_SUMMARY);
		gcda_put(out, 8 / unit);
		gcda_put(out, p->runs);
		gcda_put(out, p->sum_max);
	}
	vector_each (&p->functions, f)
		put_function(out, f, unit);
	gcda_put(out, 0);
}

int gcda_write(const struct counter_profile *p, const char *path, struct softlbr_error *e)
{
	struct file_output o;
	int rc = file_output_open(&o, path, e);

	if (rc)
		return rc;
	gcda_write_to(p, o.stream);
	return file_output_end(&o, 0, e);
}
