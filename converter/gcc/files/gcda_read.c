/* SPDX-License-Identifier: MIT */
/* Counters for gcc -fprofile-use, from bytes to the model. */
#include "converter/gcc/files/gcda.h"

#include "base/error.h"
#include "base/memory.h"
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
