/* SPDX-License-Identifier: MIT */
/* Compressed files and compressed records: the same as plain ones, and never half of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>

#include "base/compress.h"
#include "formats/perfdata.h"
#include "perfdata_bytes.h"
#include "whole_files.h"

#define SAMPLES 50

static char path[] = "/tmp/softlbr-compress-XXXXXX";

static void write_file(const void *data, size_t size)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	fclose(f);
}

static int make_path(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 || close(fd);
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

static size_t pack_zstd(const void *in, size_t size, void *out, size_t room)
{
	return ZSTD_compress(out, room, in, size, 1);
}

static size_t pack_gzip(const void *in, size_t size, void *out, size_t room)
{
	z_stream z = {0};

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (Bytef *)in;
	z.avail_in = (uInt)size;
	z.next_out = out;
	z.avail_out = (uInt)room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return room - z.avail_out;
}

static void check_file(size_t (*pack)(const void *, size_t, void *, size_t))
{
	static uint8_t plain[700000], packed[800000];
	struct softlbr_error e = {0};
	struct file_view v;
	size_t size;

	for (size_t i = 0; i < sizeof(plain); i++)
		plain[i] = (uint8_t)(i * i >> 7 ^ i);
	size = pack(plain, sizeof(plain), packed, sizeof(packed));
	write_file(packed, size);
	assert_int_equal(compress_view_open(&v, path, &e), 0);
	assert_int_equal(v.size, sizeof(plain));
	assert_memory_equal(v.data, plain, sizeof(plain));
	file_view_close(&v);
	for (size_t cut = 8; cut < size; cut += size / 13) {
		memset(&e, 0, sizeof(e));
		write_file(packed, cut);
		assert_int_equal(compress_view_open(&v, path, &e), -SOFTLBR_E_INPUT);
		assert_non_null(strstr(e.text, "cut off"));
	}
}

static void files(void **state)
{
	(void)state;
	check_file(pack_gzip);
	check_file(pack_zstd);
}

/* ---- records ------------------------------------------------------------------------------- */

static int count_record(void *context, const struct perfdata_info *info,
			const struct perfdata_record *record, struct softlbr_error *e)
{
	unsigned *seen = context;

	(void)info;
	(void)e;
	assert_int_equal(record->type, PERF_RECORD_SAMPLE);
	assert_int_equal(record->sample.ip, 1000 + *seen);
	assert_int_equal(record->sample.branch_count, 2);
	assert_int_equal(record->sample.branches[1].to, 7 + *seen);
	(*seen)++;
	return 0;
}

static void put_samples(struct perfdata_bytes *b)
{
	for (unsigned i = 0; i < SAMPLES; i++) {
		begin_record(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
		put(b, 1000 + i, 8);
		put(b, 2, 8);
		for (unsigned j = 0; j < 2; j++) {
			put(b, 5, 8);
			put(b, 6 + j + i, 8);
			put(b, 0, 8);
		}
		end_record(b);
	}
}

/* The samples as one zstd stream in pieces of @piece bytes, as perf record -z writes them. */
static void make_compressed(struct perfdata_bytes *b, uint32_t type, size_t piece)
{
	static struct perfdata_bytes samples;
	static uint8_t packed[1 << 15];
	size_t size;

	memset(&samples, 0, sizeof(samples));
	put_samples(&samples);
	size = pack_zstd(samples.data, samples.size, packed, sizeof(packed));
	begin_file(b, false, 1, 112, PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK, 0,
		   PERF_SAMPLE_BRANCH_ANY);
	for (size_t at = 0; at < size; at += piece) {
		size_t n = size - at < piece ? size - at : piece;

		begin_record(b, type, 0);
		if (type == 83)
			put(b, n, 8);
		memcpy(b->data + b->size, packed + at, n);
		b->size += type == 83 ? (n + 7) & ~(size_t)7 : n;
		end_record(b);
	}
	finish_file(b);
}

static void records(void **state)
{
	static struct perfdata_bytes b;
	static const uint32_t types[] = {81, 83};

	(void)state;
	for (unsigned t = 0; t < 2; t++) {
		for (size_t piece = 1; piece < 400; piece = 2 * piece + 1) {
			struct softlbr_error e = {0};
			unsigned seen = 0;

			make_compressed(&b, types[t], piece);
			assert_int_equal(
				perfdata_read_bytes(b.data, b.size, "x", count_record, &seen, &e),
				0);
			assert_int_equal(seen, SAMPLES);
		}
	}
}

/* A stream that ends in the middle of a record is reported, after what was whole. */
static void cut_records(void **state)
{
	static struct perfdata_bytes b;
	struct softlbr_error e = {0};
	unsigned seen = 0;
	size_t size;

	(void)state;
	make_compressed(&b, 81, 64);
	size = b.size;
	memset(b.data + size - 40, 0xff, 40);
	assert_int_equal(perfdata_read_bytes(b.data, size, "x", count_record, &seen, &e),
			 -SOFTLBR_E_INPUT);
	assert_true(e.text[0] != 0);
	assert_true(seen < SAMPLES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(files, make_path, remove_path),
		cmocka_unit_test(records),
		cmocka_unit_test(cut_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
