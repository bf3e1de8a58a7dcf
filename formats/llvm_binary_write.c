/* SPDX-License-Identifier: MIT */
/* Writing LLVM's two binary forms: all sections in memory, then their table, then the file. */
#include <string.h>

#include "base/compress.h"
#include "base/error.h"
#include "base/file_output.h"
#include "base/md5.h"
#include "base/memory.h"
#include "base/order.h"
#include "formats/llvm_profile.h"
#include "formats/model/source_profile.h"

#define SECTIONS 7

struct bytes {
	VECTOR(uint8_t) v;
	bool failed; /* out of memory */
};

struct section {
	uint64_t type, flags, offset;
	struct bytes bytes;
};

/* A function, its total, and where its record begins. */
struct ranked {
	const struct source_function *f;
	uint64_t total, offset;
};

struct writer {
	const struct source_profile *p;
	const struct llvm_binary_options *options;
	uint32_t *index; /* string number -> place in the name table + 1, 0 = no name */
	uint32_t names;
	struct ranked *ranked;
	struct section sections[SECTIONS]; /* in the order of the header's table */
};

static void llvm_put(struct bytes *b, const void *data, size_t size)
{
	if (b->failed || !size)
		return;
	if (vector_reserve(&b->v, size)) {
		b->failed = true;
		return;
	}
	memcpy(b->v.items + b->v.count, data, size);
	b->v.count += size;
}

static void put_uleb(struct bytes *b, uint64_t value)
{
	uint8_t out[10];
	size_t n = 0;

	do {
		out[n] = value & 0x7f;
		value >>= 7;
		if (value)
			out[n] |= 0x80;
		n++;
	} while (value);
	llvm_put(b, out, n);
}

static void put_u64(struct bytes *b, uint64_t value)
{
	uint8_t out[8];

	for (unsigned i = 0; i < 8; i++)
		out[i] = (uint8_t)(value >> 8 * i);
	llvm_put(b, out, sizeof(out));
}

static void put_text(struct bytes *b, const char *text)
{
	llvm_put(b, text, strlen(text) + 1);
}

static void mark_names(struct writer *w, const struct source_function *f)
{
	const struct source_callsite *c;
	const struct source_target *t;
	const struct source_line *l;

	w->index[f->name] = 1;
	vector_each (&f->lines, l)
		vector_each (&l->targets, t)
			w->index[t->name] = 1;
	vector_each (&f->callsites, c)
		mark_names(w, &c->callee);
}

/* The profile's strings are sorted, so that its numbers are in the order of the table. */
static int number_names(struct writer *w)
{
	uint32_t count = strings_count(w->p->strings);
	const struct source_function *f;

	w->index = memory_alloc_array(count, sizeof(*w->index));
	if (!w->index)
		return -1;
	vector_each (&w->p->functions, f)
		mark_names(w, f);
	for (uint32_t i = 0; i < count; i++)
		if (w->index[i])
			w->index[i] = ++w->names;
	return 0;
}

static void put_name(struct writer *w, struct bytes *b, uint32_t name)
{
	put_uleb(b, w->index[name] - 1);
}

/* Flags of the table, as a section. */
static uint64_t put_names(struct writer *w, struct bytes *b)
{
	bool md5 = w->options->sections && (w->options->md5 || w->p->md5_names);
	uint64_t flags = md5 ? LLVM_NAMES_MD5 | LLVM_NAMES_FIXED : 0;

	put_uleb(b, w->names);
	for (uint32_t i = 0; i < strings_count(w->p->strings); i++) {
		const char *text = strings_text(w->p->strings, i);

		if (!w->index[i])
			continue;
		if (strstr(text, ".__uniq."))
			flags |= LLVM_NAMES_UNIQUE;
		if (md5)
			put_u64(b, w->p->md5_names ? strtoull(text, NULL, 10)
						   : md5_low64(text, strlen(text)));
		else
			put_text(b, text);
	}
	return flags;
}

ORDER_BY(by_count, struct source_target, ORDER_DOWN(count) ?: ORDER_UP(name));

static void put_targets(struct writer *w, struct bytes *b, const struct source_line *l)
{
	struct source_target *sorted = memory_alloc_array(l->targets.count, sizeof(*sorted));

	if (!sorted) {
		b->failed = true;
		return;
	}
	memcpy(sorted, l->targets.items, l->targets.count * sizeof(*sorted));
	qsort(sorted, l->targets.count, sizeof(*sorted), by_count);
	for (size_t i = 0; i < l->targets.count; i++) {
		put_name(w, b, sorted[i].name);
		put_uleb(b, sorted[i].count);
	}
	memory_free(sorted);
}

static void put_position(struct bytes *b, struct source_position at)
{
	put_uleb(b, (uint32_t)at.line);
	put_uleb(b, at.discriminator);
}

static void put_record(struct writer *w, struct bytes *b, const struct source_function *f,
		       uint64_t total)
{
	const struct source_callsite *c;
	const struct source_line *l;

	put_name(w, b, f->name);
	put_uleb(b, total);
	put_uleb(b, f->lines.count);
	vector_each (&f->lines, l) {
		put_position(b, l->at);
		put_uleb(b, l->count);
		put_uleb(b, l->targets.count);
		if (l->targets.count)
			put_targets(w, b, l);
	}
	put_uleb(b, f->callsites.count);
	vector_each (&f->callsites, c) {
		put_position(b, c->at);
		put_record(w, b, &c->callee, source_function_given_total(&c->callee));
	}
}

/* Greatest total first, then by name. */
ORDER_BY(by_total, struct ranked, ORDER_DOWN(total) ?: ORDER_UP(f->name));

static int rank_functions(struct writer *w)
{
	size_t n = w->p->functions.count;

	w->ranked = memory_alloc_array(n ? n : 1, sizeof(*w->ranked));
	if (!w->ranked)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct source_function *f = &w->p->functions.items[i];

		w->ranked[i] = (struct ranked){f, source_function_given_total(f), 0};
	}
	if (n > 1)
		qsort(w->ranked, n, sizeof(*w->ranked), by_total);
	return 0;
}

static void put_functions(struct writer *w, struct bytes *b)
{
	for (size_t i = 0; i < w->p->functions.count; i++) {
		w->ranked[i].offset = b->v.count;
		put_uleb(b, w->ranked[i].f->head);
		put_record(w, b, w->ranked[i].f, w->ranked[i].total);
	}
}

static void put_offsets(struct writer *w, struct bytes *b)
{
	put_uleb(b, w->p->functions.count);
	for (size_t i = 0; i < w->p->functions.count; i++) {
		put_name(w, b, w->ranked[i].f->name);
		put_uleb(b, w->ranked[i].offset);
	}
}

static void put_summary(struct writer *w, struct bytes *b)
{
	struct profile_summary s;

	if (source_profile_summarize(w->p, &s)) {
		b->failed = true;
		return;
	}
	put_uleb(b, s.total);
	put_uleb(b, s.greatest);
	put_uleb(b, s.greatest_head);
	put_uleb(b, s.counts);
	put_uleb(b, s.functions);
	put_uleb(b, PROFILE_SUMMARY_CUTOFFS);
	for (size_t i = 0; i < PROFILE_SUMMARY_CUTOFFS; i++) {
		put_uleb(b, s.entries[i].cutoff);
		put_uleb(b, s.entries[i].least);
		put_uleb(b, s.entries[i].counts);
	}
}

static void put_plain(struct writer *w, struct bytes *b)
{
	put_uleb(b, LLVM_MAGIC(LLVM_FORM_PLAIN));
	put_uleb(b, LLVM_BINARY_VERSION);
	put_summary(w, b);
	put_names(w, b);
	put_functions(w, b);
}

static struct section *section_of(struct writer *w, uint64_t type)
{
	for (unsigned i = 0; i < SECTIONS; i++)
		if (w->sections[i].type == type)
			return &w->sections[i];
	return NULL; /* not reached: all types are in the table */
}

static void fill_sections(struct writer *w)
{
	static const uint64_t order[SECTIONS] = {
		LLVM_SECTION_SUMMARY,  LLVM_SECTION_NAMES,   LLVM_SECTION_CONTEXTS,
		LLVM_SECTION_OFFSETS,  LLVM_SECTION_PROFILE, LLVM_SECTION_SYMBOLS,
		LLVM_SECTION_METADATA,
	};

	for (unsigned i = 0; i < SECTIONS; i++)
		w->sections[i].type = order[i];
	put_summary(w, &section_of(w, LLVM_SECTION_SUMMARY)->bytes);
	section_of(w, LLVM_SECTION_NAMES)->flags = put_names(
		w, &section_of(w, LLVM_SECTION_NAMES)->bytes);
	put_uleb(&section_of(w, LLVM_SECTION_CONTEXTS)->bytes, 0);
	put_functions(w, &section_of(w, LLVM_SECTION_PROFILE)->bytes);
	put_offsets(w, &section_of(w, LLVM_SECTION_OFFSETS)->bytes);
	for (size_t i = 0; i < w->options->symbol_count; i++)
		put_text(&section_of(w, LLVM_SECTION_SYMBOLS)->bytes, w->options->symbols[i]);
}

static void compress_section(struct section *s)
{
	struct bytes packed = {.failed = s->bytes.failed};
	size_t size = 0;
	uint8_t *z;

	s->flags |= LLVM_FLAG_COMPRESSED;
	if (!s->bytes.v.count || s->bytes.failed)
		return;
	z = compress_zlib(s->bytes.v.items, s->bytes.v.count, &size);
	put_uleb(&packed, s->bytes.v.count);
	put_uleb(&packed, size);
	llvm_put(&packed, z, z ? size : 0);
	packed.failed |= !z;
	memory_free(z);
	vector_deinit(&s->bytes.v);
	s->bytes = packed;
}

static void put_sections(struct writer *w, struct bytes *b)
{
	/* as LLVM lays them out, which is not the order of the table */
	static const uint64_t order[SECTIONS] = {
		LLVM_SECTION_SUMMARY,  LLVM_SECTION_NAMES,   LLVM_SECTION_CONTEXTS,
		LLVM_SECTION_PROFILE,  LLVM_SECTION_SYMBOLS, LLVM_SECTION_OFFSETS,
		LLVM_SECTION_METADATA,
	};
	uint64_t at;

	fill_sections(w);
	for (unsigned i = 0; w->options->compressed && i < SECTIONS; i++)
		compress_section(&w->sections[i]);
	put_uleb(b, LLVM_MAGIC(LLVM_FORM_SECTIONS));
	put_uleb(b, LLVM_BINARY_VERSION);
	put_u64(b, SECTIONS);
	at = b->v.count + SECTIONS * 4 * sizeof(uint64_t);
	for (unsigned i = 0; i < SECTIONS; i++) {
		struct section *s = section_of(w, order[i]);

		s->offset = at;
		at += s->bytes.v.count;
	}
	for (unsigned i = 0; i < SECTIONS; i++) {
		put_u64(b, w->sections[i].type);
		put_u64(b, w->sections[i].flags);
		put_u64(b, w->sections[i].offset);
		put_u64(b, w->sections[i].bytes.v.count);
	}
	for (unsigned i = 0; i < SECTIONS; i++) {
		const struct section *s = section_of(w, order[i]);

		llvm_put(b, s->bytes.v.items, s->bytes.v.count);
		b->failed |= s->bytes.failed;
	}
}

static int llvm_make(struct writer *w, struct bytes *b)
{
	if (number_names(w) || rank_functions(w))
		return -1;
	if (w->options->sections)
		put_sections(w, b);
	else
		put_plain(w, b);
	return b->failed ? -1 : 0;
}

int llvm_binary_write_to(const struct source_profile *p, const struct llvm_binary_options *options,
			 FILE *out, struct softlbr_error *e)
{
	struct writer w = {.options = options};
	struct source_profile named;
	struct bytes b = {0};
	int rc = 0;

	if (source_profile_for_consumer(p, SOURCE_NAMES_LLVM, &named))
		return error_set_nomem(e);
	w.p = &named;
	if (llvm_make(&w, &b))
		rc = error_set_nomem(e);
	else
		fwrite(b.v.items, 1, b.v.count, out);
	for (unsigned i = 0; i < SECTIONS; i++)
		vector_deinit(&w.sections[i].bytes.v);
	vector_deinit(&b.v);
	memory_free(w.ranked);
	memory_free(w.index);
	source_profile_deinit(&named);
	return rc;
}

int llvm_binary_write(const struct source_profile *p, const struct llvm_binary_options *options,
		      const char *path, struct softlbr_error *e)
{
	struct file_output out;

	return file_output_open(&out, path, e)
		       ?: file_output_end(&out, llvm_binary_write_to(p, options, out.stream, e), e);
}
