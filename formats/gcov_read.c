/* SPDX-License-Identifier: MIT */
/* Reading a gcov profile, of any version: from bytes to the model, and no deeper than is honest. */
#include "formats/gcov.h"

#include <string.h>

#include "base/cursor.h"
#include "base/error.h"

/* Inlined calls nest no deeper than this in any honest profile. */
#define DEEPEST_NESTING 512

struct reader {
	struct cursor in;
	const char *source;
	struct softlbr_error *e;
	struct source_profile *p;
	unsigned version;
	bool byte_strings;
	VECTOR(uint32_t) files; /* index in the file -> number in p->strings */
	VECTOR(uint32_t) names;
	VECTOR(uint32_t) name_files;
};

static int malformed(struct reader *r, const char *what)
{
	return error_set_at(r->e, SOFTLBR_E_INPUT, r->source, r->in.at,
			    "%s is not a whole profile for GCC: %s at byte %zu of %zu", r->source,
			    what, r->in.at, r->in.size);
}

/* Low word first, as cursor_u64 reads little-endian data. */
static uint64_t get_u64(struct reader *r)
{
	return cursor_u64(&r->in);
}

static int get_string(struct reader *r, uint32_t *number)
{
	uint64_t bytes = cursor_u32(&r->in);
	const char *text;

	if (!r->byte_strings)
		bytes *= 4;
	text = bytes ? cursor_string_field(&r->in, bytes) : NULL;
	if (!text)
		return malformed(r, "bad string");
	*number = strings_add_text(r->p->strings, text);
	return *number == STRINGS_NONE ? error_set_nomem(r->e) : 0;
}

static int get_tag(struct reader *r, uint32_t tag, const char *section)
{
	return cursor_u32(&r->in) == tag ? 0 : malformed(r, section);
}

/* A number of things of which each takes at least @bytes. */
static int get_count(struct reader *r, size_t bytes, uint32_t *count)
{
	*count = cursor_u32(&r->in);
	if (r->in.failed || *count > cursor_left(&r->in) / bytes)
		return malformed(r, "a number larger than the file");
	return 0;
}

static int skip_summary(struct reader *r)
{
	uint64_t entries;

	if (get_tag(r, GCOV_TAG_SUMMARY, "no summary"))
		return -SOFTLBR_E_INPUT;
	cursor_skip(&r->in, 5 * 8);
	entries = get_u64(r);
	if (r->in.failed || entries > cursor_left(&r->in) / 20)
		return malformed(r, "bad summary");
	cursor_skip(&r->in, entries * 20);
	return 0;
}

static int get_files(struct reader *r)
{
	uint32_t count = 0, *slot;
	int rc = get_count(r, 5, &count);

	for (uint32_t i = 0; !rc && i < count; i++) {
		slot = vector_push(&r->files);
		rc = slot ? get_string(r, slot) : error_set_nomem(r->e);
	}
	return rc;
}

static int get_names(struct reader *r)
{
	uint32_t count = 0, file, *name, *name_file;
	int rc = get_tag(r, GCOV_TAG_NAMES, "no name table");

	cursor_u32(&r->in);
	if (!rc && r->version >= 3)
		rc = get_files(r);
	if (!rc)
		rc = get_count(r, 5, &count);
	for (uint32_t i = 0; !rc && i < count; i++) {
		name = vector_push(&r->names);
		name_file = vector_push(&r->name_files);
		rc = name && name_file ? get_string(r, name) : error_set_nomem(r->e);
		if (rc || r->version < 3)
			continue;
		file = cursor_u32(&r->in);
		if (file < r->files.count)
			*name_file = r->files.items[file];
		else if (file != GCOV_NO_FILE)
			rc = malformed(r, "bad file number");
	}
	return rc;
}

static int get_name(struct reader *r, uint64_t index, uint32_t *name, uint32_t *file)
{
	if (r->in.failed || index >= r->names.count)
		return malformed(r, "bad name number");
	*name = r->names.items[index];
	if (file)
		*file = r->name_files.items[index];
	return 0;
}

static struct source_position position(uint32_t word)
{
	return (struct source_position){(int32_t)(word >> 16), word & 0xffff};
}

static int get_line(struct reader *r, struct source_function *f)
{
	uint32_t word = cursor_u32(&r->in), targets, name = 0;
	struct source_line *l;
	uint64_t count;
	int rc = get_count(r, 1, &targets);

	count = get_u64(r);
	if (rc || r->in.failed || targets > cursor_left(&r->in) / 20)
		return malformed(r, "bad position");
	l = source_function_line(f, position(word));
	if (!l)
		return error_set_nomem(r->e);
	l->count = count;
	for (uint32_t i = 0; i < targets; i++) {
		cursor_u32(&r->in); /* kind of histogram: one only */
		rc = get_name(r, get_u64(r), &name, NULL);
		if (rc)
			return rc;
		if (source_line_add_target(l, name, get_u64(r)))
			return error_set_nomem(r->e);
	}
	return 0;
}

/* Read the rest of a function, behind its name. */
static int get_body(struct reader *r, struct source_function *f, uint32_t lines, uint32_t callsites,
		    unsigned depth)
{
	int rc = 0;

	if (depth > DEEPEST_NESTING)
		return malformed(r, "calls nested too deep");
	for (uint32_t i = 0; !rc && i < lines; i++)
		rc = get_line(r, f);
	for (uint32_t i = 0; !rc && i < callsites; i++) {
		uint32_t word = cursor_u32(&r->in), name = 0, file = 0;
		uint32_t its_lines, its_callsites;
		struct source_function *callee;

		rc = get_name(r, cursor_u32(&r->in), &name, &file)
		       ?: get_count(r, 16, &its_lines)
		       ?: get_count(r, 16, &its_callsites);
		if (rc)
			break;
		callee = source_function_callee(f, position(word), name);
		if (!callee)
			return error_set_nomem(r->e);
		callee->file = file;
		rc = get_body(r, callee, its_lines, its_callsites, depth + 1);
	}
	return rc;
}

static int get_functions(struct reader *r)
{
	uint32_t count = 0, name = 0, file = 0, lines, callsites;
	struct source_function *f;
	uint64_t head, first_run = 0;
	int rc = get_tag(r, GCOV_TAG_FUNCTIONS, "no function table");

	cursor_u32(&r->in);
	if (!rc)
		rc = get_count(r, 20, &count);
	for (uint32_t i = 0; !rc && i < count; i++) {
		head = get_u64(r);
		if (r->version >= 3)
			first_run = get_u64(r);
		rc = get_name(r, cursor_u32(&r->in), &name, &file)
		       ?: get_count(r, 16, &lines)
		       ?: get_count(r, 16, &callsites);
		if (rc)
			break;
		f = source_profile_function(r->p, name);
		if (!f)
			return error_set_nomem(r->e);
		f->head = head;
		f->first_run_ns = first_run;
		f->file = file;
		rc = get_body(r, f, lines, callsites, 0);
	}
	return rc;
}

static int get_tail(struct reader *r)
{
	int rc = get_tag(r, GCOV_TAG_MODULES, "no module table");

	cursor_u32(&r->in);
	if (!rc && cursor_u32(&r->in))
		rc = malformed(r, "modules, which no GCC since 5 writes or reads");
	if (!rc)
		rc = get_tag(r, GCOV_TAG_WORKING_SET, "no working set");
	cursor_u32(&r->in);
	if (!rc && !cursor_skip(&r->in, GCOV_WORKING_SET_BUCKETS * 12))
		rc = malformed(r, "cut off");
	if (!rc && cursor_left(&r->in))
		rc = malformed(r, "bytes behind the end");
	return rc;
}

static int get_sections(struct reader *r)
{
	int rc = r->version >= 3 ? skip_summary(r) : 0;

	if (!rc)
		rc = get_names(r);
	if (!rc)
		rc = get_functions(r);
	if (!rc)
		rc = get_tail(r);
	if (!rc && r->in.failed)
		rc = malformed(r, "cut off");
	return rc;
}

static int get_header(struct reader *r, uint32_t *word)
{
	if (cursor_u32(&r->in) != GCOV_MAGIC)
		return error_set_at(r->e, SOFTLBR_E_INPUT, r->source, 0,
				    "%s is no profile for GCC: it does not begin with \"adcg\"",
				    r->source);
	*word = cursor_u32(&r->in);
	cursor_u32(&r->in);
	return r->in.failed ? malformed(r, "cut off") : 0;
}

/* One try, with one layout, into a fresh profile. */
static int read_as(const uint8_t *data, size_t size, const char *name, unsigned version,
		   bool byte_strings, struct source_profile *p, struct softlbr_error *e)
{
	struct reader r = {.source = name, .e = e, .p = p};
	uint32_t word = 0;
	int rc = 0;

	if (source_profile_init(p))
		return error_set_nomem(e);
	cursor_init(&r.in, data, size, false);
	rc = get_header(&r, &word);
	r.version = version ? version : word;
	r.byte_strings = byte_strings;
	if (!rc && (r.version < 1 || r.version > 3))
		rc = error_set_at(e, SOFTLBR_E_INPUT, name, 4,
				  "%s has version %u, but GCC has only 1 to 3", name, r.version);
	if (!rc)
		rc = get_sections(&r);
	if (!rc && source_profile_sort(p))
		rc = error_set_nomem(e);
	vector_deinit(&r.files);
	vector_deinit(&r.names);
	vector_deinit(&r.name_files);
	return rc;
}

int gcov_read_bytes(const uint8_t *data, size_t size, const char *name, struct source_profile *p,
		    unsigned *version, struct softlbr_error *e)
{
	struct cursor c;
	uint32_t word;
	int rc;

	cursor_init(&c, data, size, false);
	cursor_skip(&c, 4);
	word = cursor_u32(&c);
	if (word == 2 || word == GCOV_AUTOFDO_DEFAULT) {
		/* Debian's create_gcov writes strings in words whatever the version word says. */
		rc = read_as(data, size, name, 1, false, p, NULL);
		if (!rc) {
			if (version)
				*version = 1;
			return 0;
		}
		source_profile_deinit(p);
	}
	if (word == GCOV_AUTOFDO_DEFAULT)
		word = 3; /* what autofdo's current source writes under it */
	rc = read_as(data, size, name, word, word != 1, p, e);
	if (version)
		*version = word;
	return rc;
}
