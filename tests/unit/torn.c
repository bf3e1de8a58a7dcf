/* SPDX-License-Identifier: MIT */
/*
 * Files cut at every byte, for each reader of profiles: an error that names the file, never a
 * success, but for text that ends with a line. The files are the fuzz targets' corpora.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "converter/gcc/files/counter_profile.h"
#include "formats/callgrind.h"
#include "formats/fdata.h"
#include "formats/perfdata.h"
#include "formats/perfscript.h"
#include "formats/profile_kind.h"
#include "whole_files.h"

#define CORPUS	   "tests/fuzz/corpus"
#define BYTES_MOST 16384

static int pass_over(void *context, const struct perfdata_info *info,
		     const struct perfdata_record *record, struct softlbr_error *e)
{
	(void)context;
	(void)info;
	(void)record;
	(void)e;
	return 0;
}

static int read_source(enum profile_kind kind, const uint8_t *data, size_t size,
		       struct softlbr_error *e)
{
	struct source_profile p;
	int rc = profile_kind_read_source(kind, data, size, "torn", &p, NULL, e);

	source_profile_deinit(&p);
	return rc;
}

static int read_counts(enum profile_kind kind, const uint8_t *data, size_t size,
		       struct softlbr_error *e)
{
	struct branch_profile p = {0};
	int rc = profile_kind_read_only_file(kind, data, size, "torn", &p, e);

	branch_profile_deinit(&p);
	return rc;
}

static int read_script(const uint8_t *data, size_t size, struct softlbr_error *e)
{
	struct perfscript *s = perfscript_open(data, size, "torn", e);
	int rc = s ? perfscript_each(s, pass_over, NULL, e) : -e->code;

	perfscript_close(s);
	return rc;
}

static int read_fdata(const uint8_t *data, size_t size, struct softlbr_error *e)
{
	struct bolt_profile p;
	int rc;

	assert_int_equal(bolt_profile_init(&p), 0);
	rc = fdata_read_bytes((const char *)data, size, "torn", &p, e);
	bolt_profile_deinit(&p);
	return rc;
}

static int read_callgrind(const uint8_t *data, size_t size, struct softlbr_error *e)
{
	struct callgrind c = {0};
	int rc = callgrind_read_bytes(&c, data, size, "torn", e);

	callgrind_deinit(&c);
	return rc;
}

static int read_counters(const uint8_t *data, size_t size, struct softlbr_error *e)
{
	struct counter_profile p;
	int rc = gcda_read_bytes(data, size, "torn", &p, e);

	counter_profile_deinit(&p);
	return rc;
}

static int read_as(enum profile_kind kind, const uint8_t *data, size_t size,
		   struct softlbr_error *e)
{
	switch (kind) {
	case PROFILE_PERFDATA:
		return perfdata_read_bytes(data, size, "torn", pass_over, NULL, e);
	case PROFILE_PERFSCRIPT:
		return read_script(data, size, e);
	case PROFILE_FDATA:
		return read_fdata(data, size, e);
	case PROFILE_CALLGRIND:
		return read_callgrind(data, size, e);
	case PROFILE_GCDA:
		return read_counters(data, size, e);
	default:
		return profile_kind_is_source(kind) ? read_source(kind, data, size, e)
						    : read_counts(kind, data, size, e);
	}
}

/* Formats whose files are lines, with nothing that says how many. */
static bool is_of_lines(enum profile_kind kind)
{
	return kind == PROFILE_PERFSCRIPT || kind == PROFILE_PREAGG || kind == PROFILE_FDATA ||
	       kind == PROFILE_LLVM_TEXT;
}

/* Does a line end at @n, or blanks behind one, which perf script's text may end with? */
static bool ends_line(enum profile_kind kind, const uint8_t *data, size_t n)
{
	while (kind == PROFILE_PERFSCRIPT && n && data[n - 1] == ' ')
		n--;
	return !n || data[n - 1] == '\n';
}

/* What perf writes to a pipe is records, with nothing that says how many: does one end at @n? Each
 * has its size in the two bytes before its ninth (linux/perf_event.h); little-endian here. */
static bool is_of_records(enum profile_kind kind, const uint8_t *data, size_t n)
{
	size_t at = 16; /* the size of a pipe's header, which stands at its ninth byte */

	if (kind != PROFILE_PERFDATA || n < at || data[8] != at)
		return false;
	while (at + 9 <= n && (data[at + 6] || data[at + 7])) {
		/* behind a record of tracing data (66) come so many bytes, rounded up */
		size_t behind = data[at] == 66 ? (data[at + 8] + 7u) & ~7u : 0;

		at += (data[at + 6] | (size_t)data[at + 7] << 8) + behind;
	}
	return at == n;
}

/* Nothing says how many calling contexts there are: does one begin at @n? */
static bool is_of_contexts(enum profile_kind kind, const uint8_t *data, size_t n)
{
	return kind == PROFILE_RANGES && n && data[n - 1] == '\n' && data[n] == '[';
}

static void cut_everywhere(const char *path, enum profile_kind kind, const uint8_t *data,
			   size_t size)
{
	for (size_t n = 0; n < size; n++) {
		uint8_t *cut = malloc(n ? n : 1); /* exact, so that ASan sees a step past it */
		struct softlbr_error e = {0};
		bool whole = is_of_lines(kind) && ends_line(kind, data, n);
		int rc;

		whole |= is_of_records(kind, data, n) || is_of_contexts(kind, data, n);
		assert_non_null(cut);
		memcpy(cut, data, n);
		rc = read_as(kind, cut, n, &e);
		free(cut);
		if (rc != -e.code || (!rc && !whole) || (rc && !strstr(e.text, "torn")))
			fail_msg("%s (%s) cut at %zu of %zu: %d, \"%s\"", path,
				 profile_kind_name(kind), n, size, rc, e.text);
	}
}

/* Files that are whole; a corpus has others too. 1 if it was one. */
static unsigned try_file(const char *path, bool *seen)
{
	static uint8_t data[BYTES_MOST + 1];
	struct softlbr_error e = {0};
	FILE *f = fopen(path, "rb");
	enum profile_kind kind;
	size_t size;

	if (!f)
		return 0;
	size = fread(data, 1, sizeof(data), f);
	fclose(f);
	kind = profile_kind_of(data, size);
	if (size > BYTES_MOST || kind == PROFILE_UNKNOWN || read_as(kind, data, size, &e))
		return 0;
	seen[kind] = true;
	cut_everywhere(path, kind, data, size);
	return 1;
}

static unsigned try_directory(const char *path, bool *seen)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	unsigned files = 0;
	char file[1024];

	assert_non_null(directory);
	while ((entry = readdir(directory))) {
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		files += try_file(file, seen);
	}
	closedir(directory);
	return files;
}

static void no_reader_takes_a_part_for_the_whole(void **state)
{
	DIR *corpora = opendir(CORPUS);
	bool seen[PROFILE_KINDS] = {false};
	unsigned files = 0;
	struct dirent *entry;
	char path[512];

	(void)state;
	assert_non_null(corpora);
	while ((entry = readdir(corpora))) {
		snprintf(path, sizeof(path), "%s/%s", CORPUS, entry->d_name);
		if (entry->d_name[0] != '.')
			files += try_directory(path, seen);
	}
	closedir(corpora);
	assert_true(files > 12);
	for (int kind = PROFILE_UNKNOWN + 1; kind < PROFILE_KINDS; kind++)
		if (!seen[kind])
			fail_msg("no %s was tried", profile_kind_name((enum profile_kind)kind));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_reader_takes_a_part_for_the_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
