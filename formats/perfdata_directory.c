/* SPDX-License-Identifier: MIT */
/*
 * Recordings that are a directory: perf record --threads writes the header and its own records to
 * DIR/data, and those of each of its threads to DIR/data.0, DIR/data.1 ...
 * (tools/perf/Documentation/perf.data-directory-format.txt).
 */
#include "formats/perfdata_reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compress.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/memory.h"

/* Places in the file's header: the size of the data, and the bits of the features behind it. */
#define DATA_OFFSET_AT 40
#define DATA_SIZE_AT   48
#define FEATURES_AT    72
#define FEATURE_WORDS  4
#define HEADER_BYTES   104
#define SECTION_BYTES  16
#define PATH_BYTES     4096
#define THREADS_MAX    65536

struct joiner {
	const char *path;
	int spool;
	struct softlbr_error *e;
	uint8_t *main; /* a copy of DIR/data, to be changed */
	size_t main_size;
	bool big_endian;
};

static uint64_t number_at(const struct joiner *j, size_t at)
{
	struct cursor c;

	cursor_init(&c, j->main + at, 8, j->big_endian);
	return cursor_u64(&c);
}

static void set_number(const struct joiner *j, size_t at, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		j->main[at + (j->big_endian ? 7 - i : i)] = (uint8_t)(value >> 8 * i);
}

static int perfdata_part_put(const struct joiner *j, const uint8_t *from, size_t size)
{
	while (size) {
		ssize_t n = write(j->spool, from, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return error_set_errno(j->e, j->path,
					       "cannot keep the records of %s in a temporary file",
					       j->path);
		from += n;
		size -= (size_t)n;
	}
	return 0;
}

/* DIR/data.N: 1 = there is one, 0 = none. */
static int put_thread(const struct joiner *j, unsigned number, uint64_t *added)
{
	char path[PATH_BYTES];
	struct file_view v;
	int rc;

	if (snprintf(path, sizeof(path), "%s/data.%u", j->path, number) >= (int)sizeof(path) ||
	    access(path, F_OK))
		return 0;
	rc = file_view_open(&v, path, j->e);
	if (rc)
		return rc;
	rc = perfdata_part_put(j, v.data, v.size);
	*added += v.size;
	file_view_close(&v);
	return rc ?: 1;
}

/* The features' places, behind the records, move with what was added before them. */
static void move_features(const struct joiner *j, uint64_t end, uint64_t added)
{
	uint64_t at = end;

	for (unsigned word = 0; word < FEATURE_WORDS; word++) {
		uint64_t bits = number_at(j, FEATURES_AT + 8 * word);

		for (; bits; bits &= bits - 1) {
			if (at > j->main_size - SECTION_BYTES)
				return;
			if (number_at(j, (size_t)at) >= end)
				set_number(j, (size_t)at, number_at(j, (size_t)at) + added);
			at += SECTION_BYTES;
		}
	}
}

static int perfdata_part_join(struct joiner *j)
{
	uint64_t begin, size, added = 0;
	int rc = 1;

	if (j->main_size < HEADER_BYTES ||
	    (memcmp(j->main, "PERFILE2", 8) != 0 && memcmp(j->main, "2ELIFREP", 8) != 0))
		return error_set(
			j->e, SOFTLBR_E_INPUT, j->path,
			"%s/data is not a perf.data file: %s is no recording of perf record "
			"--threads",
			j->path, j->path);
	j->big_endian = j->main[0] == '2';
	begin = number_at(j, DATA_OFFSET_AT);
	size = number_at(j, DATA_SIZE_AT);
	if (begin > j->main_size || !size || size > j->main_size - begin) {
		/* the recorder was killed: all behind is records, and there are no features */
		size = 0;
		begin = j->main_size;
	}
	if (perfdata_part_put(j, j->main, (size_t)(begin + size)))
		return -j->e->code;
	for (unsigned i = 0; i < THREADS_MAX && rc > 0; i++)
		rc = put_thread(j, i, &added);
	if (rc < 0 || !size)
		return rc;
	move_features(j, begin + size, added);
	rc = perfdata_part_put(j, j->main + begin + size, j->main_size - (size_t)(begin + size));
	set_number(j, DATA_SIZE_AT, size + added);
	if (!rc && pwrite(j->spool, j->main, HEADER_BYTES, 0) != HEADER_BYTES)
		rc = error_set_errno(j->e, j->path, "cannot keep %s in a temporary file", j->path);
	return rc;
}

static int read_main(struct joiner *j)
{
	char path[PATH_BYTES];
	struct file_view v;
	int rc;

	snprintf(path, sizeof(path), "%s/data", j->path);
	rc = file_view_open(&v, path, j->e);
	if (rc)
		return rc;
	j->main_size = v.size;
	j->main = memory_resize_array(NULL, v.size + 1, 1);
	if (j->main)
		memcpy(j->main, v.data, v.size);
	else
		rc = error_set_nomem(j->e);
	file_view_close(&v);
	return rc;
}

static bool is_directory(const char *path)
{
	char data[PATH_BYTES];
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode) &&
	       snprintf(data, sizeof(data), "%s/data", path) < (int)sizeof(data) &&
	       !access(data, F_OK);
}

int perfdata_view_open(struct file_view *v, const char *path, struct softlbr_error *e)
{
	struct softlbr_error own = {0};
	struct joiner j = {.path = path, .e = e ? e : &own};
	int rc;

	if (!is_directory(path))
		return compress_view_open(v, path, e);
	j.spool = file_spool_open(path, j.e);
	if (j.spool < 0)
		return -j.e->code;
	rc = read_main(&j) ?: perfdata_part_join(&j);
	if (!rc)
		rc = file_view_take(v, j.spool, path, j.e);
	else
		close(j.spool);
	memory_free(j.main);
	return rc;
}
