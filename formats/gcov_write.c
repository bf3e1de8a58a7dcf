/* SPDX-License-Identifier: MIT */
/* Writing a gcov profile for one version of GCC, with what that compiler does to it in mind. */
#include "formats/gcov.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file_output.h"
#include "base/memory.h"
#include "formats/model/source_profile.h"

/*
 * GCC up to 15 early-inlines whatever was inlined in the profiled binary and has a total of 2 or
 * more, whatever its size (early_inliner with a hot threshold of 0). Instances that ran less than
 * this are left out; those that never ran stay, since their zeros are knowledge.
 */
#define INLINE_NOISE_TOTAL 2

unsigned gcov_version_for(unsigned gcc_version)
{
	if (gcc_version <= 11)
		return 1;
	return gcc_version <= 15 ? 2 : 3;
}

unsigned gcov_newest_gcc_for(unsigned version)
{
	static const unsigned newest[] = {0, 11, 15, GCOV_NEWEST_GCC};

	return version < sizeof(newest) / sizeof(*newest) ? newest[version] : 0;
}

struct writer {
	FILE *out;
	const struct source_profile *p;
	unsigned version;
	uint32_t *name_index; /* number in p->strings -> index in the name table, 0 = unused */
	uint32_t *name_file;  /* number in p->strings -> number of the file's text */
	uint32_t *file_index; /* number in p->strings -> index in the file table + 1, 0 = unused */
	uint32_t name_count, file_count;
};

static void put_u32(struct writer *w, uint32_t v)
{
	v = htole32(v);
	fwrite(&v, sizeof(v), 1, w->out);
}

static void put_u64(struct writer *w, uint64_t v)
{
	v = htole64(v); /* low word first: the same bytes */
	fwrite(&v, sizeof(v), 1, w->out);
}

/* Words of 4 bytes that a string takes in version 1; the section lengths count so in all. */
static uint32_t string_words(const char *text)
{
	return (uint32_t)((strlen(text) + 4) / 4);
}

static void put_string(struct writer *w, const char *text)
{
	static const char zeros[4];
	size_t length = strlen(text);

	if (w->version >= 2) {
		put_u32(w, (uint32_t)length + 1);
		fwrite(text, length + 1, 1, w->out);
		return;
	}
	put_u32(w, string_words(text));
	fwrite(text, 1, length, w->out);
	fwrite(zeros, 1, string_words(text) * 4 - length, w->out);
}

/* A position as the file has it; false if its discriminator does not fit (it would be taken for
 * another line's). */
static bool offset_word(struct source_position at, uint32_t *word)
{
	*word = (uint32_t)at.line << 16 | (at.discriminator & 0xffff);
	return at.discriminator <= 0xffff;
}

static void mark_names(struct writer *w, const struct source_function *f)
{
	const struct source_callsite *c;
	const struct source_target *t;
	const struct source_line *l;

	w->name_index[f->name] = 1;
	if (f->file) {
		w->name_file[f->name] = f->file;
		w->file_index[f->file] = 1;
	}
	vector_each (&f->lines, l)
		vector_each (&l->targets, t)
			w->name_index[t->name] = 1;
	vector_each (&f->callsites, c)
		mark_names(w, &c->callee);
}

/* p->strings is in byte order, so counting up gives the table's order. 0 is the empty name. */
static void number_names(struct writer *w)
{
	uint32_t count = strings_count(w->p->strings);

	w->name_count = 1;
	for (uint32_t i = 0; i < count; i++) {
		if (w->name_index[i])
			w->name_index[i] = w->name_count++;
		if (w->file_index[i])
			w->file_index[i] = ++w->file_count;
	}
}

static void put_summary(struct writer *w, const struct profile_summary *s)
{
	put_u32(w, GCOV_TAG_SUMMARY);
	put_u64(w, s->total);
	put_u64(w, s->greatest);
	put_u64(w, s->greatest_head);
	put_u64(w, s->counts);
	put_u64(w, s->functions);
	put_u64(w, PROFILE_SUMMARY_CUTOFFS);
	for (size_t i = 0; i < PROFILE_SUMMARY_CUTOFFS; i++) {
		put_u32(w, s->entries[i].cutoff);
		put_u64(w, s->entries[i].least);
		put_u64(w, s->entries[i].counts);
	}
}

static void put_names(struct writer *w)
{
	const struct strings *strings = w->p->strings;
	uint32_t length = 1 + 1 + string_words("");

	for (uint32_t i = 0; i < strings_count(strings); i++)
		if (w->name_index[i])
			length += 1 + string_words(strings_text(strings, i));
	put_u32(w, GCOV_TAG_NAMES);
	put_u32(w, length);
	if (w->version >= 3) {
		put_u32(w, w->file_count);
		for (uint32_t i = 0; i < strings_count(strings); i++)
			if (w->file_index[i])
				put_string(w, strings_text(strings, i));
	}
	put_u32(w, w->name_count);
	put_string(w, "");
	if (w->version >= 3)
		put_u32(w, GCOV_NO_FILE);
	for (uint32_t i = 0; i < strings_count(strings); i++) {
		if (!w->name_index[i])
			continue;
		put_string(w, strings_text(strings, i));
		if (w->version >= 3)
			put_u32(w, w->name_file[i] ? w->file_index[w->name_file[i]] - 1
						   : GCOV_NO_FILE);
	}
}

static bool has_place(const struct source_callsite *c)
{
	uint64_t total = source_function_total(&c->callee);
	uint32_t word;

	return offset_word(c->at, &word) && (!total || total >= INLINE_NOISE_TOTAL);
}

static uint32_t body_words(const struct source_function *f)
{
	const struct source_callsite *c;
	const struct source_line *l;
	uint32_t words = 3, unused;

	vector_each (&f->lines, l)
		if (offset_word(l->at, &unused))
			words += 4 + 5 * (uint32_t)l->targets.count;
	vector_each (&f->callsites, c)
		if (has_place(c))
			words += 1 + body_words(&c->callee);
	return words;
}

static void put_line(struct writer *w, const struct source_line *l)
{
	const struct source_target *t;
	uint32_t word;

	if (!offset_word(l->at, &word))
		return;
	put_u32(w, word);
	put_u32(w, (uint32_t)l->targets.count);
	put_u64(w, l->count);
	vector_each (&l->targets, t) {
		put_u32(w, GCOV_INDIRECT_CALL_TOPN);
		put_u64(w, w->name_index[t->name]);
		put_u64(w, t->count);
	}
}

static void put_body(struct writer *w, const struct source_function *f)
{
	uint32_t lines = 0, callsites = 0, word;
	const struct source_callsite *c;
	const struct source_line *l;

	vector_each (&f->lines, l)
		lines += offset_word(l->at, &word);
	vector_each (&f->callsites, c)
		callsites += has_place(c);
	put_u32(w, w->name_index[f->name]);
	put_u32(w, lines);
	put_u32(w, callsites);
	vector_each (&f->lines, l)
		put_line(w, l);
	vector_each (&f->callsites, c)
		if (has_place(c)) {
			offset_word(c->at, &word);
			put_u32(w, word);
			put_body(w, &c->callee);
		}
}

static void put_functions(struct writer *w)
{
	const struct source_function *f;
	uint32_t length = 1;

	vector_each (&w->p->functions, f)
		length += 2 + body_words(f);
	put_u32(w, GCOV_TAG_FUNCTIONS);
	put_u32(w, length);
	put_u32(w, (uint32_t)w->p->functions.count);
	vector_each (&w->p->functions, f) {
		put_u64(w, f->head);
		if (w->version >= 3)
			put_u64(w, f->first_run_ns);
		put_body(w, f);
	}
}

/* Two sections that GCC's readers want to see, or ignore: no modules, an empty working set. */
static void put_tail(struct writer *w)
{
	put_u32(w, GCOV_TAG_MODULES);
	put_u32(w, 0);
	put_u32(w, 0);
	put_u32(w, GCOV_TAG_WORKING_SET);
	put_u32(w, 3 * GCOV_WORKING_SET_BUCKETS);
	for (unsigned i = 0; i < GCOV_WORKING_SET_BUCKETS; i++) {
		put_u32(w, 0);
		put_u64(w, 0);
	}
}

static int put_file(struct writer *w, struct softlbr_error *e)
{
	const struct source_function *f;
	struct profile_summary summary;

	vector_each (&w->p->functions, f)
		mark_names(w, f);
	number_names(w);
	if (source_profile_summarize(w->p, &summary))
		return error_set_nomem(e);
	put_u32(w, GCOV_MAGIC);
	put_u32(w, w->version);
	put_u32(w, 0);
	if (w->version >= 3)
		put_summary(w, &summary);
	put_names(w);
	put_functions(w);
	put_tail(w);
	return 0;
}

static int write_named(const struct source_profile *named, unsigned version, FILE *out,
		       struct softlbr_error *e)
{
	struct writer w = {.p = named, .version = version, .out = out};
	uint32_t count = strings_count(named->strings);
	int rc;

	w.name_index = memory_alloc_array(count, sizeof(*w.name_index));
	w.name_file = memory_alloc_array(count, sizeof(*w.name_file));
	w.file_index = memory_alloc_array(count, sizeof(*w.file_index));
	if (w.name_index && w.name_file && w.file_index)
		rc = put_file(&w, e);
	else
		rc = error_set_nomem(e);
	memory_free(w.name_index);
	memory_free(w.name_file);
	memory_free(w.file_index);
	return rc;
}

/*
 * One record per line, for GCC up to 12.
 *
 * That GCC's reader masks the discriminator off and lets the last record of a line overwrite the
 * others, so one count has to stand for all basic blocks of a line: the greatest, which of the
 * rules that were measured is the simplest among the best (docs/formats/gcov.md).
 */

static int collapse_lines(struct source_function *f)
{
	struct source_line *to = f->lines.items, *l;
	const struct source_target *t;

	if (!f->lines.count)
		return 0;
	to->at.discriminator = 0;
	vector_each (&f->lines, l) {
		if (l == to)
			continue;
		if (l->at.line != to->at.line) {
			if (++to != l) {
				*to = *l;
				*l = (struct source_line){0};
			}
			to->at.discriminator = 0;
			continue;
		}
		if (l->count > to->count)
			to->count = l->count;
		vector_each (&l->targets, t)
			if (source_line_add_target(to, t->name, t->count))
				return -1;
		vector_deinit(&l->targets);
	}
	f->lines.count = (size_t)(to - f->lines.items) + 1;
	return 0;
}

/* Two inlined copies of one callee on one line: their counts add up. */
static int collapse_callsites(struct source_function *f)
{
	struct source_function merged = {0};
	struct source_callsite *c;
	int rc = 0;

	vector_each (&f->callsites, c) {
		struct source_position at = {.line = c->at.line};
		struct source_function *to = source_function_callee(&merged, at, c->callee.name);

		rc = to ? source_function_merge(to, &c->callee, NULL) : -1;
		if (rc)
			break;
	}
	if (rc) {
		source_function_deinit(&merged);
		return rc;
	}
	vector_each (&f->callsites, c)
		source_function_deinit(&c->callee);
	vector_deinit(&f->callsites);
	f->callsites.items = merged.callsites.items;
	f->callsites.count = merged.callsites.count;
	f->callsites.capacity = merged.callsites.capacity;
	return 0;
}

static int collapse_function(struct source_function *f)
{
	struct source_callsite *c;

	/* Callsites first: copies are merged by discriminator before a line becomes one record. */
	if (collapse_callsites(f) || collapse_lines(f))
		return -1;
	vector_each (&f->callsites, c)
		if (collapse_function(&c->callee))
			return -1;
	return 0;
}

int gcov_collapse_profile(struct source_profile *p)
{
	struct source_function *f;

	vector_each (&p->functions, f)
		if (collapse_function(f))
			return -1;
	return 0;
}

static void drop_unseen_callsites(struct source_function *f)
{
	struct source_callsite *c, *keep = f->callsites.items;

	vector_each (&f->callsites, c) {
		drop_unseen_callsites(&c->callee);
		if (source_function_total(&c->callee))
			*keep++ = *c;
		else
			source_function_deinit(&c->callee);
	}
	f->callsites.count = (size_t)(keep - f->callsites.items);
}

void gcov_drop_unseen(struct source_profile *p)
{
	struct source_function *f;

	vector_each (&p->functions, f)
		drop_unseen_callsites(f);
}

int gcov_write_to(const struct source_profile *p, unsigned gcc_version, FILE *out,
		  struct softlbr_error *e)
{
	enum source_name_rule rule = gcc_version >= 16 ? SOURCE_NAMES_GCC16 : SOURCE_NAMES_GCC;
	unsigned version = gcov_version_for(gcc_version);
	struct source_profile named;
	int rc;

	if (gcc_version < GCOV_OLDEST_GCC)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "GCC %u reads no profile: -fauto-profile is in GCC %d and later",
				 gcc_version, GCOV_OLDEST_GCC);
	if (source_profile_for_consumer(p, rule, &named))
		return error_set_nomem(e);
	if (version >= 3)
		gcov_drop_unseen(&named);
	if (gcc_version <= 12 && gcov_collapse_profile(&named))
		rc = error_set_nomem(e);
	else
		rc = write_named(&named, version, out, e);
	source_profile_deinit(&named);
	return rc;
}

int gcov_write(const struct source_profile *p, unsigned gcc_version, const char *path,
	       struct softlbr_error *e)
{
	struct file_output out;

	return file_output_open(&out, path, e)
		       ?: file_output_end(&out, gcov_write_to(p, gcc_version, out.stream, e), e);
}
