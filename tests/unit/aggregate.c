/* SPDX-License-Identifier: MIT */
/*
 * Recordings to branch profiles: hand-made recordings of processes that come, go, fork and remap.
 * `aggregate recordings`: real ones of SOFTLBR_SHARED, with the counts that autofdo gets from them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "converter/samples/aggregate.h"
#include "fake_binary.h"
#include "perfdata_bytes.h"

/* ---- recordings ---------------------------------------------------------------------------- */

#define TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_BRANCH_STACK)

static struct perfdata_bytes file;
static struct binary program = {.path = "/bin/program", .bias = 0x400000, .size = 0x100000};

static void begin(void)
{
	begin_file(&file, false, 1, 112, TYPE, 0, PERF_SAMPLE_BRANCH_ANY);
}

static void trailer(uint32_t pid, uint64_t time)
{
	put(&file, pid, 4);
	put(&file, pid, 4);
	put(&file, time, 8);
	end_record(&file);
}

static void map_id(uint64_t time, uint32_t pid, uint64_t start, const char *path, uint8_t id)
{
	begin_record(&file, PERF_RECORD_MMAP2,
		     PERF_RECORD_MISC_USER | (id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0));
	put(&file, pid, 4);
	put(&file, pid, 4);
	put(&file, start, 8);
	put(&file, 0x1000, 8);
	put(&file, 0, 8);
	put(&file, id ? 20 : 0, 4);
	for (unsigned i = 0; i < 20; i++)
		put(&file, id, 1);
	put(&file, 5, 4);
	put(&file, 2, 4);
	put_text(&file, path);
	trailer(pid, time);
}

static void map(uint64_t time, uint32_t pid, uint64_t start, const char *path)
{
	map_id(time, pid, start, path, 0);
}

static void task(uint32_t type, uint64_t time, uint32_t pid, uint32_t parent)
{
	begin_record(&file, type, 0);
	put(&file, pid, 4);
	put(&file, parent, 4);
	put(&file, pid, 4);
	put(&file, parent, 4);
	put(&file, time, 8);
	trailer(pid, time);
}

static void exec(uint64_t time, uint32_t pid)
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

static void sample(uint64_t time, uint32_t pid, const struct pair *stack, size_t n)
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
static void sample_at(uint64_t time, uint32_t pid, uint64_t base)
{
	struct pair stack[] = {{base + 0x80, base + 0x10, 0}, {base + 0x100, base + 0x20, 1}};

	sample(time, pid, stack, 2);
}

static struct aggregate a;
static struct softlbr_error error;

/* What the funnel says is in the binary is what the profile holds. */
static void check_funnel(void)
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

static void convert_with(struct binary *b, const struct aggregate_options *options)
{
	int rc;

	memset(&error, 0, sizeof(error));
	finish_file(&file);
	assert_int_equal(aggregate_init(&a, b, options, &error), 0);
	rc = aggregate_add_bytes(&a, file.data, file.size, "test", 1, &error);
	if (rc)
		print_error("%s\n", error.text);
	assert_int_equal(rc, 0);
	check_funnel();
}

static void convert(struct binary *b)
{
	convert_with(b, NULL);
}

static uint64_t branch(uint64_t from, uint64_t to)
{
	struct map_entry *e = map_find(&a.result.profile.branches, from, to);

	return e ? e->n : 0;
}

static uint64_t range(uint64_t from, uint64_t to)
{
	struct map_entry *e = map_find(&a.result.profile.ranges, from, to);

	return e ? e->n : 0;
}

/* sample_at was seen @n times in the program, and nothing else. */
static void check_count(uint64_t n)
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

static void sums_processes_at_different_addresses(void **state)
{
	(void)state;
	begin();
	map(1, 10, 0x555500000000, "/bin/program");
	map(1, 11, 0x556600000000, "/bin/program");
	sample_at(5, 10, 0x555500000000);
	sample_at(6, 11, 0x556600000000);
	sample_at(7, 11, 0x555500000000); /* nothing there in this process */
	convert(&program);
	assert_int_equal(a.result.funnel.branches_unmapped, 2);
	assert_int_equal(a.result.funnel.ranges_unmapped, 1);
	assert_int_equal(map_find(&a.result.profile.branches, 0x400100, 0x400020)->m, 2);
	check_count(2);
}

static void forked_children_have_their_parents_maps(void **state)
{
	(void)state;
	begin();
	map(1, 10, 0x10000, "/bin/program");
	task(PERF_RECORD_FORK, 3, 11, 10);
	map(4, 10, 0x20000, "/lib/only-in-parent.so");
	map(4, 11, 0x20000, "/bin/program");
	sample_at(5, 11, 0x10000);
	sample_at(5, 11, 0x20000);
	sample_at(5, 10, 0x20000);
	convert(&program);
	assert_int_equal(a.result.funnel.branches_elsewhere, 2);
	check_count(2);
}

static void exec_starts_anew(void **state)
{
	(void)state;
	begin();
	map(1, 10, 0x10000, "/bin/shell");
	sample_at(2, 10, 0x10000);
	sample_at(2, 10, 0x90000); /* before the exec nothing was there */
	exec(3, 10);
	map(4, 10, 0x90000, "/bin/program");
	sample_at(5, 10, 0x90000);
	sample_at(5, 10, 0x10000); /* the shell is gone */
	convert(&program);
	assert_int_equal(a.result.funnel.branches_elsewhere, 2);
	assert_int_equal(a.result.funnel.branches_unmapped, 4);
	check_count(1);
}

static void a_library_takes_the_place_of_another(void **state)
{
	(void)state;
	begin();
	map(1, 10, 0x10000, "/bin/program");
	sample_at(2, 10, 0x10000);
	map(3, 10, 0x10000, "/lib/other.so"); /* dlclose, dlopen: unmapping leaves no record */
	sample_at(4, 10, 0x10000);
	map(5, 10, 0x10000, "/bin/program");
	sample_at(6, 10, 0x10000);
	convert(&program);
	assert_int_equal(a.result.funnel.branches_elsewhere, 2);
	check_count(2);
}

static void half_covered_maps_keep_the_other_half(void **state)
{
	(void)state;
	begin();
	map(1, 10, 0x10000, "/bin/program"); /* to 0x11000 */
	map(2, 10, 0x10800, "/lib/other.so");
	sample_at(4, 10, 0x10000);
	sample_at(4, 10, 0x10800);
	sample_at(4, 10, 0x11600); /* still the other's */
	convert(&program);
	assert_int_equal(a.result.funnel.branches_elsewhere, 4);
	check_count(1);
}

static void records_need_not_be_in_order(void **state)
{
	(void)state;
	begin();
	sample_at(6, 10, 0x10000);
	sample_at(2, 10, 0x10000);
	map(3, 10, 0x10000, "/lib/other.so");
	sample_at(4, 10, 0x10000);
	map(5, 10, 0x10000, "/bin/program");
	map(1, 10, 0x10000, "/bin/program");
	convert(&program);
	assert_int_equal(a.result.funnel.branches_elsewhere, 2);
	check_count(2);
}

static void process_numbers_are_used_again(void **state)
{
	(void)state;
	begin();
	map(1, 10, 0x10000, "/bin/program");
	sample_at(2, 10, 0x10000);
	task(PERF_RECORD_EXIT, 3, 10, 1);
	map(1, 5, 0x10000, "/bin/shell");
	task(PERF_RECORD_FORK, 4, 10, 5);
	sample_at(5, 10, 0x10000);
	convert(&program);
	assert_int_equal(a.result.funnel.branches_elsewhere, 2);
	check_count(1);
}

static void other_modules_are_outside_and_the_kernel_is_apart(void **state)
{
	struct pair stack[] = {
		{0x10300, 0x20000, 0},		  /* newest: program -> library */
		{0xffffffff81000010, 0x10200, 0}, /* kernel -> program */
		{0x10180, 0xffffffff81000000, 0}, /* program -> kernel */
		{0x20010, 0x10100, 0},		  /* library -> program */
		{0x20100, 0x20000, 0},		  /* oldest: library */
	};
	size_t top[4];

	(void)state;
	begin();
	map(1, 10, 0x10000, "/bin/program");
	map(1, 10, 0x20000, "/lib/library.so");
	sample(2, 10, stack, 5);
	convert(&program);
	assert_int_equal(branch(0x400300, BRANCH_OUTSIDE), 1);
	assert_int_equal(branch(BRANCH_OUTSIDE, 0x400100), 1);
	assert_int_equal(a.result.profile.branches.count, 2);
	assert_int_equal(a.result.funnel.branches_leaving, 1);
	assert_int_equal(a.result.funnel.branches_entering, 1);
	assert_int_equal(a.result.funnel.branches_kernel, 2);
	assert_int_equal(a.result.funnel.branches_elsewhere, 1);
	assert_int_equal(range(0x400200, 0x400300), 1);
	assert_int_equal(range(0x400100, 0x400180), 1);
	assert_int_equal(a.result.profile.ranges.count, 2);
	assert_int_equal(a.result.funnel.ranges_kernel, 1);
	assert_int_equal(a.result.funnel.ranges_elsewhere, 1);
	assert_int_equal(aggregate_top_modules(&a.result, top, 4), 2);
	assert_string_equal(modules_path(&a.result.modules, top[0]), "/bin/program");
	aggregate_deinit(&a);
}

static void code_that_is_mapped_from_nowhere_is_outside(void **state)
{
	struct pair stack[] = {
		{0x10300, 0x70000, 0}, /* newest: into generated code */
		{0x70080, 0x10200, 0}, /* out of it */
		{0x70100, 0x70020, 0}, /* oldest: within */
	};

	(void)state;
	begin();
	map(1, 10, 0x10000, "/bin/program");
	sample(2, 10, stack, 3);
	convert(&program);
	assert_int_equal(branch(0x400300, BRANCH_OUTSIDE), 1);
	assert_int_equal(branch(BRANCH_OUTSIDE, 0x400200), 1);
	assert_int_equal(range(0x400200, 0x400300), 1);
	assert_int_equal(a.result.funnel.branches_unmapped, 1);
	assert_int_equal(a.result.funnel.ranges_unmapped, 1);
	aggregate_deinit(&a);
}

static void ranges_across_modules_are_dropped(void **state)
{
	struct pair stack[] = {{0x20010, 0x20000, 0}, {0x10300, 0x10000, 0}};
	struct pair reversed[] = {{0x10010, 0x10000, 0}, {0x10300, 0x10100, 0}};

	(void)state;
	begin();
	map(1, 10, 0x10000, "/bin/program");
	map(1, 10, 0x20000, "/lib/library.so");
	sample(2, 10, stack, 2);
	sample(2, 10, reversed, 2);
	convert(&program);
	assert_int_equal(a.result.funnel.ranges_crossing, 1);
	assert_int_equal(a.result.funnel.ranges_reversed, 1);
	assert_int_equal(a.result.profile.ranges.count, 0);
	assert_int_equal(a.result.funnel.branches_inside, 3);
	aggregate_deinit(&a);
}

static void wrong_path_and_empty_entries_are_skipped(void **state)
{
	struct pair stack[] = {
		{0x10999, 0x10888, 1 << 24},
		{0x10080, 0x10010, 0},
		{0x10777, 0x10666, 1 << 24},
		{0x10100, 0x10020, 0},
		{0, 0, 0},
	};

	(void)state;
	begin();
	map(1, 10, 0x10000, "/bin/program");
	sample(2, 10, stack, 5);
	convert(&program);
	assert_int_equal(a.result.funnel.entries, 5);
	assert_int_equal(a.result.funnel.entries_wrong_path, 2);
	assert_int_equal(a.result.funnel.entries_empty, 1);
	check_count(1);
}

static void doubled_newest_entries(void **state)
{
	struct pair forward[] = {{0x10080, 0x10100, 0}, {0x10080, 0x10100, 0}};
	struct pair loop[] = {{0x10080, 0x10010, 0}, {0x10080, 0x10010, 0}};
	struct pair far_loop[] = {{0x12080, 0x10010, 0}, {0x12080, 0x10010, 0}};

	(void)state;
	begin();
	for (unsigned i = 0; i < 3; i++)
		map(1, 10, 0x10000 + 0x1000 * i, i ? "/lib/l.so" : "/bin/program");
	sample(2, 10, forward, 2);
	sample(2, 10, loop, 2);
	sample(2, 10, far_loop, 2);
	convert(&program);
	assert_int_equal(a.result.funnel.entries_doubled, 2);
	assert_int_equal(branch(0x400080, 0x400100), 1);
	assert_int_equal(branch(0x400080, 0x400010), 2); /* a real loop */
	assert_int_equal(range(0x400010, 0x400080), 1);
	aggregate_deinit(&a);
}

static void filtered_stacks_give_no_ranges(void **state)
{
	(void)state;
	begin_file(&file, false, 1, 112, TYPE, 0, PERF_SAMPLE_BRANCH_ANY_CALL);
	map(1, 10, 0x10000, "/bin/program");
	sample_at(2, 10, 0x10000);
	convert(&program);
	assert_int_equal(a.result.funnel.ranges_filtered, 1);
	assert_int_equal(a.result.profile.ranges.count, 0);
	assert_int_equal(a.result.funnel.branches_inside, 2);
	aggregate_deinit(&a);
}

/* Make the open file a recording of softlbr. */
static void sign_as_softlbr(void)
{
	size_t at;

	finish_file(&file);
	put_at(&file, 72, 1 << 5, 8);
	at = file.size;
	put(&file, at + 16, 8);
	put(&file, 20, 8);
	put(&file, 16, 4);
	put_text(&file, "softlbr 0.1.0");
	put_at(&file, 48, at - file.data_begin, 8);
}

static void long_traces_of_softlbr_are_joined(void **state)
{
	/* one trace A B C D, newest first, cut at B/C with the repeat of C: [C D] after [A B C] */
	struct pair older[] = {{0x10080, 0x10010, 0}, {0x10100, 0x10020, 0}};
	struct pair newer[] = {{0x10200, 0x10210, 0}, {0x10180, 0x10190, 0}, {0x10080, 0x10010, 0}};
	struct pair other[] = {{0x10400, 0x10420, 0}};

	(void)state;
	for (unsigned order = 0; order < 3; order++) {
		begin();
		map(1, 10, 0x10000, "/bin/program");
		sample(2, 10, order == 1 ? newer : older, order == 1 ? 3 : 2);
		if (order == 2)
			sample(2, 11, other, 1); /* another thread's */
		sample(2, 10, order == 1 ? older : newer, order == 1 ? 2 : 3);
		sample(3, 10, older, 2); /* another trace */
		sign_as_softlbr();
		memset(&error, 0, sizeof(error));
		assert_int_equal(aggregate_init(&a, &program, NULL, &error), 0);
		assert_int_equal(aggregate_add_bytes(&a, file.data, file.size, "test", 1, &error),
				 0);
		assert_true(a.result.all_softlbr);
		check_funnel();
		assert_int_equal(a.result.funnel.samples, order == 2 ? 3 : 2);
		assert_int_equal(a.result.events.items[0].samples, a.result.funnel.samples);
		assert_int_equal(a.result.funnel.entries_repeated, 1);
		assert_int_equal(branch(0x400080, 0x400010), 2);
		assert_int_equal(range(0x400010, 0x400180), 1);
		assert_int_equal(range(0x400020, 0x400080), 2);
		assert_int_equal(range(0x400190, 0x400200), 1);
		aggregate_deinit(&a);
	}
}

static void the_build_id_decides(void **state)
{
	struct binary b = {.path = "/bin/program", .build_id = {.size = 20}, .bias = 0x400000};

	(void)state;
	memset(b.build_id.bytes, 7, 20);
	begin();
	map_id(1, 10, 0x10000, "/elsewhere/renamed", 7);
	map_id(1, 10, 0x20000, "/bin/program", 8);
	sample_at(2, 10, 0x10000);
	sample_at(2, 10, 0x20000);
	convert(&b);
	assert_int_equal(a.result.match.kind, MATCH_BUILD_ID);
	check_count(1);

	begin();
	map_id(1, 10, 0x20000, "/bin/program", 8);
	sample_at(2, 10, 0x20000);
	convert(&b);
	assert_int_equal(a.result.match.kind, MATCH_NONE);
	assert_int_equal(a.result.match.other_build, 0);
	assert_int_equal(a.result.profile.branches.count, 0);
	aggregate_deinit(&a);

	begin();
	map(1, 10, 0x10000, "/elsewhere/program");
	sample_at(2, 10, 0x10000);
	convert(&b);
	assert_int_equal(a.result.match.kind, MATCH_BASE_NAME);
	check_count(1);

	begin(); /* built anew while it ran */
	map(1, 10, 0x10000, "/bin/program (deleted)");
	sample_at(2, 10, 0x10000);
	convert(&b);
	assert_int_equal(a.result.match.kind, MATCH_BASE_NAME);
	check_count(1);
}

/* ---- synthetic recordings ------------------------------------------------------------------ */

/*
 * Not recorded anywhere: made here, to stand in for hardware where there is none. Stacks of 16 with
 * what software does not know, mispredictions and cycles, and sums of them that are counted apart.
 */
#define PLACES 24
#define DEPTH  16

struct sums {
	uint64_t branches[PLACES][PLACES], mispredicted[PLACES][PLACES], ranges[PLACES][PLACES];
	uint64_t all_branches, all_mispredicted, all_ranges, samples[PLACES];
};

static unsigned drawn;

static unsigned draw(unsigned below)
{
	drawn = drawn * 1664525u + 1013904223u;
	return (drawn >> 8) % below;
}

/* A stack at @base, of branches from and to multiples of 16; @sums counts it if it is not NULL. */
static void synthetic_stack(uint64_t time, uint32_t pid, uint64_t base, bool cycles,
			    struct sums *sums)
{
	struct pair stack[DEPTH];
	unsigned newer_from = 0, newer_to = PLACES;

	for (unsigned i = 0; i < DEPTH; i++) {
		unsigned from = draw(PLACES), to = draw(PLACES), missed = draw(4) == 0;

		/* a newest entry that is there twice is another test's */
		if (i == 1 && from == newer_from && to == newer_to)
			to = (to + 1) % PLACES;
		stack[i] = (struct pair){base + 16 * from, base + 16 * to, missed ? 1 : 2};
		if (cycles)
			stack[i].flags |= (uint64_t)draw(500) << 4;
		if (sums) {
			sums->branches[from][to]++;
			sums->mispredicted[from][to] += missed;
			sums->all_branches++;
			sums->all_mispredicted += missed;
			if (i && to <= newer_from) {
				sums->ranges[to][newer_from]++;
				sums->all_ranges++;
			}
		}
		newer_from = from;
		newer_to = to;
	}
	if (sums)
		sums->samples[(stack[0].to - base) / 16]++;
	sample(time, pid, stack, DEPTH);
}

/* The profile has these sums, at @va, and nothing else. */
static void check_sums_at(const struct sums *sums, uint64_t va)
{
	uint64_t branches = 0, mispredicted = 0, ranges = 0;
	struct map_entry *e = NULL;

	while ((e = map_next(&a.result.profile.branches, e))) {
		assert_int_equal(e->n, sums->branches[(e->a - va) / 16][(e->b - va) / 16]);
		assert_int_equal(e->m, sums->mispredicted[(e->a - va) / 16][(e->b - va) / 16]);
		branches += e->n;
		mispredicted += e->m;
	}
	while ((e = map_next(&a.result.profile.ranges, e))) {
		assert_int_equal(e->n, sums->ranges[(e->a - va) / 16][(e->b - va) / 16]);
		ranges += e->n;
	}
	while ((e = map_next(&a.result.profile.samples, e)))
		assert_int_equal(e->n, sums->samples[(e->a - va) / 16]);
	assert_int_equal(branches, sums->all_branches);
	assert_int_equal(mispredicted, sums->all_mispredicted);
	assert_int_equal(ranges, sums->all_ranges);
	assert_true(mispredicted > branches / 8 && ranges > branches / 4);
}

static void synthetic_hardware_stacks_are_summed_up(void **state)
{
	static struct sums sums;

	(void)state;
	for (unsigned threads = 1; threads <= 8; threads += 7) {
		const struct aggregate_options options = {.threads = threads};

		memset(&sums, 0, sizeof(sums));
		drawn = 1;
		begin();
		map(1, 10, 0x10000, "/bin/program");
		map(1, 11, 0x555500000000, "/bin/program");
		map(1, 11, 0x7f0000000000, "/lib/library.so");
		for (unsigned i = 0; i < 45; i++) {
			synthetic_stack(10 + i, 10, 0x10000, true, &sums);
			synthetic_stack(10 + i, 11, 0x555500000000, true, &sums);
			synthetic_stack(10 + i, 11, 0x7f0000000000, true, NULL);
		}
		convert_with(&program, &options);
		assert_int_equal(a.result.funnel.branches_elsewhere, 45 * DEPTH);
		check_sums_at(&sums, 0x400000);
		aggregate_deinit(&a);
	}
}

/* What an AArch64 kernel's trace hardware gives: one map of the kernel for all, no predictions. */
static void synthetic_kernel_stacks_are_summed_up(void **state)
{
	const uint64_t start = 0xffffffc008080000;
	struct binary kernel = {.path = "[kernel.kallsyms]_stext"};
	static struct sums sums;

	(void)state;
	memset(&sums, 0, sizeof(sums));
	drawn = 7;
	begin();
	begin_record(&file, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	put(&file, UINT32_MAX, 4);
	put(&file, 0, 4);
	put(&file, start, 8);
	put(&file, 0x100000, 8);
	put(&file, start, 8);
	put_text(&file, kernel.path);
	trailer(UINT32_MAX, 0);
	map(1, 10, 0x10000, "/bin/program");
	for (unsigned i = 0; i < 65; i++) {
		synthetic_stack(10 + i, 10, start, false, &sums);
		synthetic_stack(10 + i, 10, 0x10000, false, NULL);
	}
	convert(&kernel);
	assert_int_equal(a.result.match.kind, MATCH_PATH);
	check_sums_at(&sums, start);
	aggregate_deinit(&a);
}

/* A newest entry that is there twice: a short loop, unless it goes further back than the stride. */
static void the_stride_decides_what_is_doubled(void **state)
{
	struct pair loop[] = {{0x10080, 0x10010, 0}, {0x10080, 0x10010, 0}};

	(void)state;
	for (uint64_t stride = 0x6f; stride <= 0x70; stride++) {
		const struct aggregate_options options = {.stride = stride};

		begin();
		map(1, 10, 0x10000, "/bin/program");
		sample(2, 10, loop, 2);
		convert_with(&program, &options);
		assert_int_equal(a.result.funnel.entries_doubled, stride < 0x70);
		assert_int_equal(branch(0x400080, 0x400010), stride < 0x70 ? 1 : 2);
		assert_int_equal(range(0x400010, 0x400080), stride < 0x70 ? 0 : 1);
		aggregate_deinit(&a);
	}
}

/* ---- real recordings ----------------------------------------------------------------------- */

static const char *shared(const char *name)
{
	static char path[512];
	const char *root = getenv("SOFTLBR_SHARED");

	snprintf(path, sizeof(path), "%s/data/hardware-lbr/%s", root, name);
	return path;
}

static void add_real(const char *name, struct binary *b, uint64_t stride)
{
	struct aggregate_options options = {.stride = stride};
	int rc;

	memset(&error, 0, sizeof(error));
	assert_int_equal(aggregate_init(&a, b, &options, &error), 0);
	rc = aggregate_add(&a, shared(name), 1, &error);
	if (rc)
		print_error("%s\n", error.text);
	assert_int_equal(rc, 0);
	check_funnel();
}

static void check_sums(uint64_t ranges, uint64_t bytes)
{
	uint64_t n = 0, size = 0;
	struct map_entry *e = NULL;

	while ((e = map_next(&a.result.profile.ranges, e))) {
		n += e->n;
		size += e->n * (1 + e->b - e->a);
	}
	assert_int_equal(n, ranges);
	if (bytes)
		assert_int_equal(size, bytes);
}

/* One section of autofdo's text: every line is in the map with the same count, and no other. */
static void check_section(FILE *f, const struct map *m, const char *format)
{
	unsigned count;

	assert_int_equal(fscanf(f, "%u", &count), 1);
	assert_int_equal(m->count, count);
	for (unsigned i = 0; i < count; i++) {
		unsigned long x, y = 0, n;
		struct map_entry *e;

		if (strchr(format, '>') || strchr(format, '-'))
			assert_int_equal(fscanf(f, format, &x, &y, &n), 3);
		else
			assert_int_equal(fscanf(f, format, &x, &n), 2);
		e = map_find(m, x, y);
		assert_non_null(e);
		assert_int_equal(e->n, n);
	}
}

static void gzip_equals_autofdo(void **state)
{
	struct binary gzip = {.path = "test.binary"};
	FILE *f;

	(void)state;
	add_real("gzip_westmere/test.lbr", &gzip, 0);
	assert_int_equal(a.result.funnel.samples, 9232);
	assert_int_equal(a.result.funnel.entries, 147712);
	assert_int_equal(a.result.match.kind, MATCH_BASE_NAME);
	check_sums(134677, 5390972);
	f = fopen(shared("gzip_westmere/test.debian019.samples.txt"), "r");
	assert_non_null(f);
	check_section(f, &a.result.profile.ranges, "%lx-%lx:%lu");
	check_section(f, &a.result.profile.samples, "%lx:%lu");
	fclose(f);
	aggregate_deinit(&a);

	add_real("gzip_westmere/test.lbr", &gzip, 0x50);
	check_sums(134622, 5383657);
	aggregate_deinit(&a);
}

/* autofdo lists only branches inside of the binary. */
static void gzip_branches_equal_autofdo(void **state)
{
	struct binary gzip = {.path = "test.binary"};
	struct map inside = {0};
	struct map_entry *e = NULL;
	char line[128];
	FILE *f;

	(void)state;
	add_real("gzip_westmere/test.lbr", &gzip, 0);
	while ((e = map_next(&a.result.profile.branches, e)))
		if (e->a != BRANCH_OUTSIDE && e->b != BRANCH_OUTSIDE)
			map_at(&inside, e->a, e->b)->n = e->n;
	assert_int_equal(inside.count, 253);
	f = fopen(shared("gzip_westmere/test.debian019.samples.txt"), "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (!strcmp(line, "253\n"))
			break;
	fseek(f, -4, SEEK_CUR);
	check_section(f, &inside, "%lx->%lx:%lu");
	fclose(f);
	map_deinit(&inside);
	aggregate_deinit(&a);
}

static void kernel_totals_equal_autofdo(void **state)
{
	struct binary kernel = {.path = "[kernel.kallsyms]_stext"};

	(void)state;
	add_real("kernel_etm/perf-kernel.data", &kernel, 0);
	check_sums(1421, 39905);
	aggregate_deinit(&a);
	add_real("kernel_etm/perf-vmlinux.data", &kernel, 0);
	check_sums(1936, 53440);
	aggregate_deinit(&a);
}

static int test_recordings(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gzip_equals_autofdo),
		cmocka_unit_test(gzip_branches_equal_autofdo),
		cmocka_unit_test(kernel_totals_equal_autofdo),
	};

	if (!getenv("SOFTLBR_SHARED")) {
		puts("SKIP: SOFTLBR_SHARED names no folder");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_processes_at_different_addresses),
		cmocka_unit_test(forked_children_have_their_parents_maps),
		cmocka_unit_test(exec_starts_anew),
		cmocka_unit_test(a_library_takes_the_place_of_another),
		cmocka_unit_test(half_covered_maps_keep_the_other_half),
		cmocka_unit_test(records_need_not_be_in_order),
		cmocka_unit_test(process_numbers_are_used_again),
		cmocka_unit_test(other_modules_are_outside_and_the_kernel_is_apart),
		cmocka_unit_test(code_that_is_mapped_from_nowhere_is_outside),
		cmocka_unit_test(ranges_across_modules_are_dropped),
		cmocka_unit_test(wrong_path_and_empty_entries_are_skipped),
		cmocka_unit_test(doubled_newest_entries),
		cmocka_unit_test(filtered_stacks_give_no_ranges),
		cmocka_unit_test(long_traces_of_softlbr_are_joined),
		cmocka_unit_test(the_build_id_decides),
		cmocka_unit_test(synthetic_hardware_stacks_are_summed_up),
		cmocka_unit_test(synthetic_kernel_stacks_are_summed_up),
		cmocka_unit_test(the_stride_decides_what_is_doubled),
	};

	if (argc > 1 && !strcmp(argv[1], "recordings"))
		return test_recordings();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
