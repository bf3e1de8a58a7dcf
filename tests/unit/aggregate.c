/* SPDX-License-Identifier: MIT */
/* Recordings to branch profiles: hand-made ones of processes that come, go, fork and remap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "hand_recorded.h"

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

/* For huge pages: at the file's own addresses, it is the file's code. */
static void anonymous_copies_of_code_are_the_files(void **state)
{
	char text[MODULES_COPIED_BYTES];

	(void)state;
	begin();
	map(1, 10, 0x10000, "/bin/program");
	map(2, 10, 0x10000, "//anon");
	sample_at(4, 10, 0x10000);
	convert(&program);
	assert_true(modules_copied(&a.result.modules, text));
	assert_non_null(strstr(text, "/bin/program"));
	check_count(1);

	begin();
	map(1, 10, 0x10000, "/bin/program");
	map(2, 10, 0x10000, "/anon_hugepage (deleted)");
	sample_at(4, 10, 0x10000);
	convert(&program);
	check_count(1);

	begin(); /* the kernel tells of it again where its protection changes */
	map(1, 10, 0x10000, "/bin/program");
	map(2, 10, 0x10000, "//anon");
	map(3, 10, 0x10000, "//anon");
	sample_at(4, 10, 0x10000);
	convert(&program);
	check_count(1);

	begin(); /* what is not within the code, and other files, are not */
	map(1, 10, 0x10000, "/bin/program");
	map(2, 10, 0x10800, "//anon");
	map(3, 10, 0x20000, "/bin/program");
	map(4, 10, 0x20000, "/lib/other.so");
	sample_at(5, 10, 0x10800);
	sample_at(5, 10, 0x20000);
	convert(&program);
	assert_false(modules_copied(&a.result.modules, text));
	assert_int_equal(a.result.funnel.branches_elsewhere, 4);
	assert_int_equal(a.result.profile.branches.count, 0);
	aggregate_deinit(&a);
}

/* Attached later, /proc tells the parts of the file around the copy. */
static void anonymous_copies_between_parts_of_code_are_the_files(void **state)
{
	char text[MODULES_COPIED_BYTES];

	(void)state;
	begin();
	map_of(1, 10, 0xf000, 0, "/bin/program", 0);
	map_of(1, 10, 0x10000, 0x10000, "//anon", 0);
	map_of(1, 10, 0x11000, 0x2000, "/bin/program", 0);
	sample_at(4, 10, 0x10000);
	convert(&program);
	assert_true(modules_copied(&a.result.modules, text));
	assert_int_equal(branch(0x401080, 0x401010), 1);
	assert_int_equal(branch(0x401100, 0x401020), 1);
	aggregate_deinit(&a);

	begin(); /* these are not parts of one mapping */
	map_of(1, 10, 0xf000, 0, "/bin/program", 0);
	map_of(1, 10, 0x10000, 0x10000, "//anon", 0);
	map_of(1, 10, 0x11000, 0x1000, "/bin/program", 0);
	sample_at(4, 10, 0x10000);
	convert(&program);
	assert_false(modules_copied(&a.result.modules, text));
	assert_int_equal(a.result.profile.branches.count, 0);
	aggregate_deinit(&a);
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

#define NOT_TAKEN (UINT64_C(1) << 33)

/* As perf inject makes stacks of Arm SPE's samples, and as BRBE gives entries with one end. */
static void what_is_no_branch_still_bounds_ranges(void **state)
{
	struct pair taken[] = {{0x10080, 0x10200, 0}, {0, 0x10010, 0}};
	struct pair not_taken[] = {{0x10080, 0x10084, NOT_TAKEN}, {0, 0x10010, 0}};
	struct pair alone[] = {{0, 0x10010, 0}};
	struct pair ran_on[] = {
		{0x100f0, 0x10000, 0}, {0x10080, 0x10084, NOT_TAKEN}, {0x10300, 0x10060, 0}};
	struct pair source_only[] = {{0x10100, 0x10000, 0}, {0x10090, 0, 0}, {0x10300, 0x10020, 0}};
	struct pair target_only[] = {{0x10100, 0x10000, 0}, {0, 0x10030, 0}, {0x10300, 0x10020, 0}};

	(void)state;
	begin();
	map(1, 10, 0x10000, "/bin/program");
	sample(2, 10, taken, 2);
	sample(2, 10, not_taken, 2);
	sample(2, 10, alone, 1);
	sample(2, 10, ran_on, 3);
	sample(2, 10, source_only, 3);
	sample(2, 10, target_only, 3);
	convert(&program);
	assert_int_equal(a.result.funnel.entries_not_taken, 2);
	assert_int_equal(a.result.funnel.entries_one_end, 5);
	assert_int_equal(branch(0x400080, 0x400200), 1);
	assert_int_equal(branch(0x400080, 0x400084), 0);
	assert_int_equal(range(0x400010, 0x400080), 2);
	assert_int_equal(range(0x400060, 0x4000f0), 1);
	assert_int_equal(range(0x400020, 0x400090), 1);
	assert_int_equal(range(0x400030, 0x400100), 1);
	assert_int_equal(a.result.profile.ranges.count, 4);
	assert_int_equal(branch(0x400300, 0x400020), 2);
	assert_int_equal(a.result.profile.branches.count, 5);
	assert_true(funnel_adds_up(&a.result.funnel));
	aggregate_deinit(&a);
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
		assert_int_equal(aggregate_estimate(&a, &error), 0);
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

static uint64_t first_run(uint64_t va)
{
	const struct map_entry *e = map_find(&a.result.first_runs, va, 0);

	return e ? e->n : 0;
}

/* Entries in their order, also over the parts of a trace; samples in that of their times, not of
 * the file; each recording from its own beginning. */
static void code_ran_first_at_the_earliest_of_its_times(void **state)
{
	const struct aggregate_options options = {.first_runs = true};
	struct pair older[] = {{0x10080, 0x10010, 0}, {0x10100, 0x10020, 0}};
	struct pair newer[] = {{0x10200, 0x10210, 0}, {0x10180, 0x10190, 0}, {0x10080, 0x10010, 0}};
	struct pair early[] = {{0x10200, 0x10300, 0}};

	(void)state;
	memset(&error, 0, sizeof(error));
	assert_int_equal(aggregate_init(&a, &program, &options, &error), 0);
	for (unsigned recording = 0; recording < 2; recording++) {
		uint64_t start = recording ? 70000 : 1000;

		begin();
		map(1, 10, 0x10000, "/bin/program");
		sample(start + 500, 10, older, 2);
		sample(start + 500, 10, newer, 3);
		sample(start + (recording ? 100 : 600), 10, early, 1);
		sample(start, 12, NULL, 0); /* the beginning */
		sign_as_softlbr();
		assert_int_equal(aggregate_add_bytes(&a, file.data, file.size, "test", 1, &error),
				 0);
		assert_int_equal(first_run(0x400100), 501); /* trace A B C D; A is at no offset */
		assert_int_equal(first_run(0x400020), 502);
		assert_int_equal(first_run(0x400080), 502);
		assert_int_equal(first_run(0x400010), 501); /* where the first sample is, too */
		assert_int_equal(first_run(0x400190), 504);
		assert_int_equal(first_run(0x400210), 505);
		assert_int_equal(first_run(0x400200), recording ? 101 : 504);
		assert_int_equal(first_run(0x400300), recording ? 101 : 601);
	}
	assert_int_equal(first_run(0x400011), 0);
	aggregate_deinit(&a);
}

/* Each process from its own beginning, a child that executes nothing from its parent's. */
static void code_ran_first_since_its_program_began(void **state)
{
	const struct aggregate_options options = {.first_runs = true};

	(void)state;
	begin();
	exec(1000, 10);
	map(1001, 10, 0x10000, "/bin/program");
	exec(9000, 20);
	map(9001, 20, 0x50000, "/bin/program");
	task(PERF_RECORD_FORK, 9002, 30, 20);
	sample_at(1400, 10, 0x10000);
	sample_at(9300, 20, 0x50000);
	sample_at(9200, 30, 0x50000);
	convert_with(&program, &options);
	assert_int_equal(first_run(0x400100), 201);
	assert_int_equal(first_run(0x400080), 202);
	aggregate_deinit(&a);
}

static void first_runs_are_asked_for(void **state)
{
	const struct aggregate_options options = {.first_runs = true};

	(void)state;
	begin();
	map(1, 10, 0x10000, "/bin/program");
	sample_at(2, 10, 0x10000);
	convert(&program);
	assert_int_equal(branch(0x400080, 0x400010), 1);
	assert_int_equal(a.result.first_runs.count, 0);
	aggregate_deinit(&a);
	convert_with(&program, &options);
	assert_true(a.result.first_runs.count > 0);
	aggregate_deinit(&a);
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

/* 60 traces of a branch A or B, and three times B behind it: half of them begin with A, an eighth
 * of the branches. */
static void record_biased(uint64_t base)
{
	const struct pair a = {base + 0x80, base + 0x10, 0}, b = {base + 0x20, base + 0x10, 0};
	const struct pair traces[2][4] = {{b, b, b, a}, {b, b, b, b}}; /* newest first */

	begin();
	map(1, 10, base, "/bin/program");
	for (unsigned i = 0; i < 60; i++)
		sample(2 + i, 10, traces[i % 2], 4);
	sign_as_softlbr();
}

static void add_biased(uint64_t base, uint64_t weight)
{
	record_biased(base);
	assert_int_equal(aggregate_add_bytes(&a, file.data, file.size, "test", weight, &error), 0);
}

/* Re-weighted by hand: A's weight is (120 / 8 + 3) / 63, B's 108 / 63, so that A is taken 60 * 18 /
 * 63 times of 480. */
static void recordings_are_estimated_together(void **state)
{
	const struct aggregate_options options = {.frequencies = FREQUENCIES_REWEIGHT};
	const struct aggregate_frequencies *f = &a.result.frequencies;

	(void)state;
	memset(&error, 0, sizeof(error));
	assert_int_equal(aggregate_init(&a, &program, &options, &error), 0);
	add_biased(0x10000, 1); /* one alone is too short */
	assert_int_equal(aggregate_estimate(&a, &error), 0);
	assert_int_equal(f->recordings, 0);
	assert_int_equal(branch(0x400080, 0x400010), 30);
	assert_int_equal(branch(0x400020, 0x400010), 210);
	aggregate_deinit(&a);

	assert_int_equal(aggregate_init(&a, &program, &options, &error), 0);
	add_biased(0x10000, 1);
	add_biased(0x50000, 1);
	add_biased(0x10000, 2); /* what counts twice is too short by itself */
	assert_int_equal(a.result.profile.branches.count, 0);
	assert_int_equal(aggregate_estimate(&a, &error), 0);
	assert_int_equal(f->recordings, 2);
	assert_int_equal(f->estimated, 2);
	assert_int_equal(f->traces, 120);
	assert_int_equal(branch(0x400080, 0x400010), 17 + 60);
	assert_int_equal(branch(0x400020, 0x400010), 463 + 420);
	assert_int_equal(aggregate_estimate(&a, &error), 0); /* once */
	assert_int_equal(branch(0x400080, 0x400010), 17 + 60);
	aggregate_deinit(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_processes_at_different_addresses),
		cmocka_unit_test(forked_children_have_their_parents_maps),
		cmocka_unit_test(exec_starts_anew),
		cmocka_unit_test(a_library_takes_the_place_of_another),
		cmocka_unit_test(half_covered_maps_keep_the_other_half),
		cmocka_unit_test(anonymous_copies_of_code_are_the_files),
		cmocka_unit_test(anonymous_copies_between_parts_of_code_are_the_files),
		cmocka_unit_test(records_need_not_be_in_order),
		cmocka_unit_test(process_numbers_are_used_again),
		cmocka_unit_test(other_modules_are_outside_and_the_kernel_is_apart),
		cmocka_unit_test(code_that_is_mapped_from_nowhere_is_outside),
		cmocka_unit_test(ranges_across_modules_are_dropped),
		cmocka_unit_test(wrong_path_and_empty_entries_are_skipped),
		cmocka_unit_test(what_is_no_branch_still_bounds_ranges),
		cmocka_unit_test(doubled_newest_entries),
		cmocka_unit_test(filtered_stacks_give_no_ranges),
		cmocka_unit_test(long_traces_of_softlbr_are_joined),
		cmocka_unit_test(recordings_are_estimated_together),
		cmocka_unit_test(code_ran_first_at_the_earliest_of_its_times),
		cmocka_unit_test(code_ran_first_since_its_program_began),
		cmocka_unit_test(first_runs_are_asked_for),
		cmocka_unit_test(the_build_id_decides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
