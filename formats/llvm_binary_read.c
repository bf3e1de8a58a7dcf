/* SPDX-License-Identifier: MIT */
/* Reading LLVM's two binary forms; each name table, section and offset is checked before use. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/compress.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/memory.h"
#include "formats/llvm_profile.h"

#define DEEPEST_NESTING 512
/* The size that a compressed section may grow to: zlib packs no better than 1 to 1032. */
#define GREATEST_RATIO 1100

struct reader {
	struct cursor in;
	const uint8_t *data;
	size_t size;
	const char *source;
	struct source_profile *p;
	struct softlbr_error *e;
	VECTOR(uint32_t) names;
	uint8_t *expanded;	       /* of the section being read */
	uint64_t announced, functions; /* by the summary; that were read */
};

static int malformed(struct reader *r, const char *what)
{
	return error_set_at(r->e, SOFTLBR_E_INPUT, r->source, r->in.at,
			    "%s is not a whole profile of LLVM: %s at byte %zu; copy or make it "
			    "again",
			    r->source, what, r->in.at);
}

static int refused(struct reader *r, const char *what)
{
	return error_set(r->e, SOFTLBR_E_INPUT, r->source,
			 "%s is a profile %s, which cannot be read; make one without, or let "
			 "llvm-profdata convert it",
			 r->source, what);
}

static uint64_t get_uleb(struct reader *r)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte = cursor_u8(&r->in);

		if (shift == 63 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	r->in.failed = true;
	return 0;
}

/* A number of things of which each takes at least @bytes. */
static int get_count(struct reader *r, size_t bytes, uint64_t *count)
{
	*count = get_uleb(r);
	return r->in.failed || *count > cursor_left(&r->in) / bytes
		       ? malformed(r, "a number larger than the file")
		       : 0;
}

static int get_name(struct reader *r, uint32_t *name)
{
	uint64_t i = get_uleb(r);

	if (r->in.failed || i >= r->names.count)
		return malformed(r, "a name that is not in the table");
	*name = r->names.items[i];
	return 0;
}

static int get_position(struct reader *r, struct source_position *at)
{
	uint64_t line = get_uleb(r), discriminator = get_uleb(r);

	if (r->in.failed || line > UINT16_MAX || discriminator > UINT32_MAX)
		return malformed(r, "a bad position");
	*at = (struct source_position){(int32_t)line, (uint32_t)discriminator};
	return 0;
}

static int get_line(struct reader *r, struct source_function *f)
{
	struct source_position at;
	struct source_line *l;
	uint64_t count, targets;
	int rc = get_position(r, &at);

	if (rc)
		return rc;
	count = get_uleb(r);
	rc = get_count(r, 2, &targets);
	if (rc)
		return rc;
	l = source_function_line(f, at);
	if (!l)
		return error_set_nomem(r->e);
	l->count = source_count_add(l->count, count);
	while (!rc && targets--) {
		uint32_t name = 0;

		rc = get_name(r, &name);
		count = get_uleb(r);
		if (!rc && source_line_add_target(l, name, count))
			rc = error_set_nomem(r->e);
	}
	return rc || !r->in.failed ? rc : malformed(r, "a cut line");
}

static int get_body(struct reader *r, struct source_function *f, unsigned depth)
{
	uint64_t lines, callsites;
	int rc;

	if (depth > DEEPEST_NESTING)
		return malformed(r, "calls nested too deeply");
	f->stored_total = source_count_add(f->stored_total, get_uleb(r));
	rc = get_count(r, 4, &lines);
	while (!rc && lines--)
		rc = get_line(r, f);
	if (!rc)
		rc = get_count(r, 6, &callsites);
	while (!rc && callsites--) {
		struct source_function *callee;
		struct source_position at = {0};
		uint32_t name = 0;

		rc = get_position(r, &at) ?: get_name(r, &name);
		if (rc)
			break;
		callee = source_function_callee(f, at, name);
		rc = callee ? get_body(r, callee, depth + 1) : error_set_nomem(r->e);
	}
	return rc;
}

static int get_functions(struct reader *r)
{
	int rc = 0;

	while (!rc && cursor_left(&r->in)) {
		uint64_t head = get_uleb(r);
		struct source_function *f;
		uint32_t name = 0;

		rc = get_name(r, &name);
		if (rc)
			break;
		f = source_profile_function(r->p, name);
		if (!f)
			return error_set_nomem(r->e);
		r->functions++;
		f->head = source_count_add(f->head, head);
		rc = get_body(r, f, 0);
	}
	return rc;
}

static int get_summary(struct reader *r)
{
	uint64_t entries = 0;
	int rc;

	for (unsigned i = 0; i < 4; i++) /* total, greatest counts, number of counts */
		get_uleb(r);
	r->announced = get_uleb(r);
	rc = get_count(r, 3, &entries);
	for (uint64_t i = 0; !rc && i < 3 * entries; i++)
		get_uleb(r);
	return rc || !r->in.failed ? rc : malformed(r, "a cut summary");
}

static int add_name(struct reader *r, const char *text)
{
	uint32_t name = strings_add_text(r->p->strings, text);

	return name == STRINGS_NONE || vector_add(&r->names, name) ? error_set_nomem(r->e) : 0;
}

static int get_names(struct reader *r, uint64_t flags)
{
	uint64_t count = 0;
	int rc = get_count(r, 1, &count);

	r->p->md5_names |= flags & (LLVM_NAMES_FIXED | LLVM_NAMES_MD5);
	while (!rc && count--) {
		char number[24];
		const char *text = number;

		if (flags & LLVM_NAMES_FIXED)
			snprintf(number, sizeof(number), "%" PRIu64, cursor_u64(&r->in));
		else if (flags & LLVM_NAMES_MD5)
			snprintf(number, sizeof(number), "%" PRIu64, get_uleb(r));
		else
			text = cursor_string(&r->in);
		rc = text && !r->in.failed ? add_name(r, text) : malformed(r, "a cut name table");
	}
	return rc;
}

struct section {
	uint64_t type, flags, offset, size;
};

/* Point r->in at the section's bytes. */
static int open_section(struct reader *r, const struct section *s)
{
	uint64_t size, packed;
	const void *bytes;

	if (s->offset > r->size || s->size > r->size - s->offset)
		return malformed(r, "a section beyond the end");
	cursor_init(&r->in, r->data + s->offset, (size_t)s->size, false);
	if (!(s->flags & LLVM_FLAG_COMPRESSED) || !s->size)
		return 0;
	size = get_uleb(r);
	packed = get_uleb(r);
	bytes = packed <= cursor_left(&r->in) ? cursor_bytes(&r->in, (size_t)packed) : NULL;
	if (!bytes || size / GREATEST_RATIO > packed)
		return malformed(r, "a damaged compressed section");
	memory_free(r->expanded);
	r->expanded = memory_alloc(size ? (size_t)size : 1);
	if (!r->expanded)
		return error_set_nomem(r->e);
	if (!compress_inflate_zlib(bytes, (size_t)packed, r->expanded, (size_t)size))
		return malformed(r, "a damaged compressed section");
	cursor_init(&r->in, r->expanded, (size_t)size, false);
	return 0;
}

static int read_section(struct reader *r, const struct section *s)
{
	int rc = 0;

	if (s->type == LLVM_SECTION_SUMMARY && s->flags & LLVM_SUMMARY_CONTEXTS)
		return refused(r, "with calling contexts");
	if (s->type == LLVM_SECTION_SUMMARY && s->flags & LLVM_SUMMARY_FLOW)
		return refused(r, "with flow-sensitive discriminators");
	if (s->type == LLVM_SECTION_METADATA && s->flags & LLVM_METADATA_PROBES)
		return refused(r, "of pseudo probes");
	if (s->type != LLVM_SECTION_SUMMARY && s->type != LLVM_SECTION_NAMES &&
	    s->type != LLVM_SECTION_PROFILE)
		return 0;
	rc = open_section(r, s);
	if (rc)
		return rc;
	if (s->type == LLVM_SECTION_SUMMARY)
		rc = get_summary(r);
	else if (s->type == LLVM_SECTION_NAMES)
		rc = get_names(r, s->flags);
	else
		rc = get_functions(r);
	return !rc && cursor_left(&r->in) ? malformed(r, "something behind a section's end") : rc;
}

static int read_sections(struct reader *r)
{
	uint64_t count = cursor_u64(&r->in), end = 0;
	struct cursor table = r->in;
	bool functions = false;
	int rc = 0;

	if (r->in.failed || count > cursor_left(&r->in) / 32)
		return malformed(r, "a bad section table");
	for (uint64_t i = 0; !rc && i < count; i++) {
		struct section s;

		s.type = cursor_u64(&table);
		s.flags = cursor_u64(&table);
		s.offset = cursor_u64(&table);
		s.size = cursor_u64(&table);
		if (s.offset > r->size || s.size > r->size - s.offset)
			return malformed(r, "a section beyond the end");
		if (s.offset + s.size > end)
			end = s.offset + s.size;
		functions |= s.type == LLVM_SECTION_PROFILE;
		rc = read_section(r, &s);
	}
	if (!rc && (!functions || end != r->size))
		rc = malformed(r, functions ? "something behind the last section" : "no functions");
	return rc;
}

static int read_plain(struct reader *r)
{
	int rc = get_summary(r) ?: get_names(r, 0) ?: get_functions(r);

	/* nothing else says where the file ends */
	return !rc && r->functions < r->announced ? malformed(r, "fewer functions than announced")
						  : rc;
}

bool llvm_binary_is(const uint8_t *data, size_t size)
{
	/* ULEB128 of the magic number: all of it but the form's seven low bits */
	return size >= 9 && !memcmp(data + 2, "\xd0\xb1\xf4\xc9\x94\xa8\x53", 7);
}

int llvm_binary_read_bytes(const uint8_t *data, size_t size, const char *name,
			   struct source_profile *p, struct softlbr_error *e)
{
	struct reader r = {.data = data, .size = size, .source = name, .p = p, .e = e};
	uint64_t magic, version;
	int rc;

	if (source_profile_init(p))
		return error_set_nomem(e);
	p->llvm_producer = true;
	p->llvm_finished = true;
	cursor_init(&r.in, data, size, false);
	magic = get_uleb(&r);
	version = get_uleb(&r);
	if (magic != LLVM_MAGIC(LLVM_FORM_PLAIN) && magic != LLVM_MAGIC(LLVM_FORM_SECTIONS))
		rc = malformed(&r, "an unknown form");
	else if (version != LLVM_BINARY_VERSION)
		rc = refused(&r, "of another version of the format than 103");
	else
		rc = magic == LLVM_MAGIC(LLVM_FORM_PLAIN) ? read_plain(&r) : read_sections(&r);
	if (!rc && source_profile_sort(p))
		rc = error_set_nomem(e);
	vector_deinit(&r.names);
	memory_free(r.expanded);
	return rc;
}
