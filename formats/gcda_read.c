/* SPDX-License-Identifier: MIT */
#include "formats/gcda.h"

#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/memory.h"
#include "formats/gcda_layout.h"

/* A version word is the compiler's number in characters. autofdo's is a small number, or "*704"
 * with its bytes the other way round (gcov_layout.h). */
static bool is_version(uint32_t word)
{
	struct counter_profile p = {.version = word};

	return (word & 0xff) == '*' && counter_profile_gcc(&p);
}

bool gcda_is(const uint8_t *data, size_t size)
{
	struct cursor c;

	cursor_init(&c, data, size, size && data[0] == 'g');
	return cursor_u32(&c) == GCDA_MAGIC && is_version(cursor_u32(&c)) && !c.failed;
}

struct reader {
	struct cursor in;
	const char *name;
	struct softlbr_error *e;
	struct counter_profile *p;
	unsigned unit; /* bytes that a length of 1 stands for */
};

static int malformed(struct reader *r, size_t at, const char *what)
{
	return error_set_at(r->e, SOFTLBR_E_INPUT, r->name, at,
			    "%s is not a whole .gcda: %s at byte %zu of %zu", r->name, what, at,
			    r->in.size);
}

static int read_header(struct reader *r)
{
	unsigned gcc;

	if (!gcda_is(r->in.data, r->in.size))
		return malformed(r, 0, "no magic number and version of gcc");
	cursor_skip(&r->in, 4);
	r->p->version = cursor_u32(&r->in);
	gcc = counter_profile_gcc(r->p);
	if (gcc < GCDA_OLDEST_GCC || gcc > GCDA_NEWEST_GCC)
		return error_set_at(r->e, SOFTLBR_E_INPUT, r->name, 4,
				    "%s was written by gcc %u; the counters of gcc %d to %d can be "
				    "read",
				    r->name, gcc, GCDA_OLDEST_GCC, GCDA_NEWEST_GCC);
	r->unit = gcc < GCDA_CHECKSUM_GCC ? 4 : 1;
	r->p->stamp = cursor_u32(&r->in);
	if (gcc >= GCDA_CHECKSUM_GCC)
		r->p->checksum = cursor_u32(&r->in);
	return r->in.failed ? malformed(r, r->in.at, "it ends") : 0;
}

static int read_function(struct reader *r, uint64_t bytes)
{
	struct counter_function *f = counter_profile_add(r->p);

	if (!f)
		return error_set_nomem(r->e);
	f->absent = !bytes;
	if (!bytes)
		return 0;
	if (bytes != 12)
		return malformed(r, r->in.at, "a function's head of another size");
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

/* So many zeros as the file claims without having them: no more than gcc's arcs could be. */
#define ZEROS_MOST (1u << 24)

static int read_counters(struct reader *r, uint32_t tag, int32_t length)
{
	uint32_t kind = (tag - GCDA_TAG_COUNTERS) / GCDA_KIND_STEP;
	uint64_t bytes = (uint64_t)(length < 0 ? -(int64_t)length : length) * r->unit;
	struct counter_function *f = r->p->functions.count
					     ? &r->p->functions.items[r->p->functions.count - 1]
					     : NULL;
	struct counter_set *s;

	if (!f || f->absent)
		return malformed(r, r->in.at, "counters without a function");
	if (bytes % 8 || (length < 0 ? bytes / 8 > ZEROS_MOST : bytes > cursor_left(&r->in)))
		return malformed(r, r->in.at, "a bad number of counters");
	s = counter_function_add(f, (enum counter_kind)kind);
	if (!s || vector_reserve(&s->counts, bytes / 8))
		return error_set_nomem(r->e);
	for (uint64_t i = 0; i < bytes / 8; i++)
		*vector_push(&s->counts) = length < 0 ? 0 : read_count(&r->in);
	return 0;
}

static int read_summary(struct reader *r, uint64_t bytes)
{
	if (bytes != 8 || r->p->has_summary || r->p->functions.count)
		return malformed(r, r->in.at, "a bad summary");
	r->p->has_summary = true;
	r->p->runs = cursor_u32(&r->in);
	r->p->sum_max = cursor_u32(&r->in);
	return 0;
}

static int read_record(struct reader *r, uint32_t tag)
{
	int32_t length = (int32_t)cursor_u32(&r->in);
	uint64_t bytes = (uint64_t)(uint32_t)length * r->unit;

	if (tag == GCDA_TAG_SUMMARY)
		return read_summary(r, bytes);
	if (tag == GCDA_TAG_FUNCTION)
		return read_function(r, bytes);
	if (tag >= GCDA_TAG_COUNTERS && (tag - GCDA_TAG_COUNTERS) % GCDA_KIND_STEP == 0 &&
	    (tag - GCDA_TAG_COUNTERS) / GCDA_KIND_STEP < COUNTER_KINDS)
		return read_counters(r, tag, length);
	return malformed(r, r->in.at - 8, "an unknown record");
}

int gcda_read_bytes(const uint8_t *data, size_t size, const char *name, struct counter_profile *p,
		    struct softlbr_error *e)
{
	struct reader r = {.name = name, .e = e, .p = p};
	uint32_t tag = 0;
	int rc;

	*p = (struct counter_profile){0};
	cursor_init(&r.in, data, size, size && data[0] == 'g');
	rc = read_header(&r);
	while (!rc && (tag = cursor_u32(&r.in)))
		rc = read_record(&r, tag);
	if (!rc && r.in.failed)
		rc = malformed(&r, r.in.at, "it ends");
	if (!rc && cursor_left(&r.in))
		rc = malformed(&r, r.in.at, "bytes behind the end");
	return rc;
}
