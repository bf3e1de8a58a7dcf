/* SPDX-License-Identifier: MIT */
/* Hand-made recordings of /bin/program, which is at 0x400000, and what becomes of them. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "converter/samples/aggregate.h"
#include "fake_binary.h"
#include "perfdata_bytes.h"

#define TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_BRANCH_STACK)

static struct perfdata_bytes file;
static struct binary program = {.path = "/bin/program", .bias = 0x400000, .size = 0x100000};

static inline void begin(void)
{
	begin_file(&file, false, 1, 112, TYPE, 0, PERF_SAMPLE_BRANCH_ANY);
}

static inline void trailer(uint32_t pid, uint64_t time)
{
	put(&file, pid, 4);
	put(&file, pid, 4);
	put(&file, time, 8);
	end_record(&file);
}

static inline void map_of(uint64_t time, uint32_t pid, uint64_t start, uint64_t offset,
			  const char *path, uint8_t id)
{
	begin_record(&file, PERF_RECORD_MMAP2,
		     PERF_RECORD_MISC_USER | (id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0));
	put(&file, pid, 4);
	put(&file, pid, 4);
	put(&file, start, 8);
	put(&file, 0x1000, 8);
	put(&file, offset, 8);
	put(&file, id ? 20 : 0, 4);
	for (unsigned i = 0; i < 20; i++)
		put(&file, id, 1);
	put(&file, 5, 4);
	put(&file, 2, 4);
	put_text(&file, path);
	trailer(pid, time);
}

static inline void map_id(uint64_t time, uint32_t pid, uint64_t start, const char *path, uint8_t id)
{
	map_of(time, pid, start, 0, path, id);
}

static inline void map(uint64_t time, uint32_t pid, uint64_t start, const char *path)
{
	map_id(time, pid, start, path, 0);
}

static inline void task(uint32_t type, uint64_t time, uint32_t pid, uint32_t parent)
{
	begin_record(&file, type, 0);
	put(&file, pid, 4);
	put(&file, parent, 4);
	put(&file, pid, 4);
	put(&file, parent, 4);
	put(&file, time, 8);
	trailer(pid, time);
}

static inline void exec(uint64_t time, uint32_t pid)
{
	begin_record(&file, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	put(&file, pid, 4);
	put(&file, pid, 4);
	put_text(&file, "program");
	trailer(pid, time);
}

struct pair {
	uint64_t from, to, flags;
};

static inline void sample(uint64_t time, uint32_t pid, const struct pair *stack, size_t n)
{
	begin_record(&file, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put(&file, n ? stack[0].to : 0, 8);
	put(&file, pid, 4);
	put(&file, pid, 4);
	put(&file, time, 8);
	put(&file, n, 8);
	for (size_t i = 0; i < n; i++) {
		put(&file, stack[i].from, 8);
		put(&file, stack[i].to, 8);
		put(&file, stack[i].flags, 8);
	}
	end_record(&file);
}

/* Two branches at @base: +0x100 -> +0x20 (older), then +0x80 -> +0x10. */
static inline void sample_at(uint64_t time, uint32_t pid, uint64_t base)
{
	struct pair stack[] = {{base + 0x80, base + 0x10, 0}, {base + 0x100, base + 0x20, 1}};

	sample(time, pid, stack, 2);
}

static struct aggregate a;
static struct softlbr_error error;

/* What the funnel says is in the binary is what the profile holds. */
static inline void check_funnel(void)
{
	const struct funnel *f = &a.result.funnel;
	uint64_t branches = 0, ranges = 0;
	struct map_entry *i;

	for (i = NULL; (i = map_next(&a.result.profile.branches, i));)
		branches += i->n;
	for (i = NULL; (i = map_next(&a.result.profile.ranges, i));)
		ranges += i->n;
	assert_true(funnel_adds_up(f));
	assert_int_equal(branches, f->branches_inside + f->branches_entering + f->branches_leaving);
	assert_int_equal(ranges, f->ranges_kept);
}

static inline void convert_with(struct binary *b, const struct aggregate_options *options)
{
	int rc;

	memset(&error, 0, sizeof(error));
	finish_file(&file);
	assert_int_equal(aggregate_init(&a, b, options, &error), 0);
	rc = aggregate_add_bytes(&a, file.data, file.size, "test", 1, &error);
	if (rc)
		print_error("%s\n", error.text);
	assert_int_equal(rc, 0);
	assert_int_equal(aggregate_estimate(&a, &error), 0);
	check_funnel();
}

static inline void convert(struct binary *b)
{
	convert_with(b, NULL);
}

static inline uint64_t branch(uint64_t from, uint64_t to)
{
	struct map_entry *e = map_find(&a.result.profile.branches, from, to);

	return e ? e->n : 0;
}

static inline uint64_t range(uint64_t from, uint64_t to)
{
	struct map_entry *e = map_find(&a.result.profile.ranges, from, to);

	return e ? e->n : 0;
}

/* sample_at was seen @n times in the program, and nothing else. */
static inline void check_count(uint64_t n)
{
	assert_int_equal(branch(0x400080, 0x400010), n);
	assert_int_equal(branch(0x400100, 0x400020), n);
	assert_int_equal(range(0x400020, 0x400080), n);
	assert_int_equal(a.result.profile.branches.count, 2);
	assert_int_equal(a.result.profile.ranges.count, 1);
	assert_int_equal(a.result.funnel.branches_inside, 2 * n);
	assert_int_equal(a.result.funnel.ranges_kept, n);
	aggregate_deinit(&a);
}
