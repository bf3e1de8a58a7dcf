/* SPDX-License-Identifier: MIT */
/* Counters for gcc -fprofile-use, from the model to bytes. */
#include "converter/gcc/files/gcda.h"

#include <endian.h>
#include <stdio.h>

#include "base/file.h"
#include "base/file_output.h"
#include "converter/gcc/files/gcc_records.h"

static void put(FILE *out, uint32_t word)
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

	put(out, GCDA_COUNTERS + (uint32_t)s->kind * GCDA_KIND_STEP);
	put(out, zero ? -length : length);
	if (zero)
		return;
	vector_each (&s->counts, count) {
		put(out, (uint32_t)*count);
		put(out, (uint32_t)(*count >> 32));
	}
}

static void put_function(FILE *out, const struct counter_function *f, unsigned unit)
{
	const struct counter_set *s;

	put(out, GCC_RECORD_FUNCTION);
	put(out, f->absent ? 0 : 12 / unit);
	if (f->absent)
		return;
	put(out, f->ident);
	put(out, f->lineno_checksum);
	put(out, f->cfg_checksum);
	vector_each (&f->sets, s)
		put_set(out, s, unit);
}

void gcda_write_to(const struct counter_profile *p, FILE *out)
{
	bool has_checksum = gcc_records_compiler(p->version) >= GCC_RECORDS_BYTES;
	unsigned unit = has_checksum ? 1 : 4;
	const struct counter_function *f;

	put(out, GCDA_MAGIC);
	put(out, p->version);
	put(out, p->stamp);
	if (has_checksum)
		put(out, p->checksum);
	if (p->has_summary) {
		put(out, GCDA_SUMMARY);
		put(out, 8 / unit);
		put(out, p->runs);
		put(out, p->sum_max);
	}
	vector_each (&p->functions, f)
		put_function(out, f, unit);
	put(out, 0);
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
