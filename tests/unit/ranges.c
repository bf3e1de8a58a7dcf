/* SPDX-License-Identifier: MIT */
/* converter/samples/validate.h on hand-written code, whose possible control flow is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "converter/samples/validate.h"
#include "tests/unit/assembled.h"

/* Labels are local and without type: no functions, but nm tells where they are. */
static const char source[] = ".text\n"
			     ".type one,@function\n"
			     "one: xor %eax,%eax\n"
			     "one_loop: inc %eax\n"
			     "one_test: cmp $9,%eax\n"
			     "one_jcc: jne one_loop\n"
			     "one_call: call two\n"
			     "one_after: nop\n"
			     "one_jmp: jmp *%rdx\n"
			     ".size one,.-one\n"
			     ".type two,@function\n"
			     "two: je two_locked\n"
			     ".byte 0xf0\n"
			     "two_locked: cmpxchg %eax,(%rdx)\n"
			     "two_syscall: syscall\n"
			     "two_last: nop\n"
			     ".size two,.-two\n"
			     ".type three,@function\n"
			     "three: mov $0x11223344,%ebx\n"
			     "three_ret: ret\n"
			     ".size three,.-three\n"
			     ".type holed,@function\n"
			     "holed: nop\n"
			     "holed_data: .byte 0x06\n"
			     "holed_ret: ret\n"
			     ".size holed,.-holed\n"
			     "stub: jmp *stub(%rip)\n";

static int setup(void **state)
{
	(void)state;
	return assembled_make(source);
}

static uint64_t end_of(const char *label, int64_t offset)
{
	return at(label) + (uint64_t)offset;
}

static struct branch_profile raw, clean;
static struct validate_stats stats;

static void check(void)
{
	struct softlbr_error e = {0};

	assert_int_equal(validate_profile(binary, &raw, &clean, &stats, &e), 0);
	assert_int_equal(stats.branches.in,
			 stats.branches.valid + stats.branches.system_calls +
				 stats.branches.from_no_code + stats.branches.from_no_branch +
				 stats.branches.wrong_target + stats.branches.to_no_code);
	assert_int_equal(stats.ranges.in, stats.ranges.whole + stats.ranges.cut +
						  stats.ranges.begin_nowhere +
						  stats.ranges.backwards + stats.ranges.no_code +
						  stats.ranges.end_inside);
}

static int reset(void **state)
{
	(void)state;
	branch_profile_deinit(&raw);
	branch_profile_deinit(&clean);
	return 0;
}

static void branch(uint64_t from, uint64_t to, uint64_t n)
{
	assert_int_equal(branch_profile_add_branch(&raw, from, to, n, n / 2), 0);
}

static void possible_branches(void **state)
{
	(void)state;
	branch(at("one_jcc"), at("one_loop"), 1);
	branch(at("one_call"), at("two"), 2);
	branch(at("one_jmp"), at("three"), 4);
	branch(at("one_jmp"), at("holed_ret"), 8);
	branch(at("one_jmp"), BRANCH_OUTSIDE, 16);
	branch(at("two"), at("two_locked"), 32); /* into the middle of lock cmpxchg */
	branch(at("three_ret"), at("one_after"), 64);
	branch(at("three_ret"), BRANCH_OUTSIDE, 128);
	branch(BRANCH_OUTSIDE, at("one"), 256);
	branch(at("stub"), BRANCH_OUTSIDE, 512);
	check();
	assert_int_equal(stats.branches.in, 1023);
	assert_int_equal(stats.branches.valid, 1023);
	assert_int_equal(clean.branches.count, raw.branches.count);
	assert_int_equal(map_find(&clean.branches, at("one_call"), at("two"))->m, 1);
	assert_true(validate_branch_share(&stats) == 1);
}

static void impossible_branches(void **state)
{
	(void)state;
	branch(at("one"), at("two"), 1);		/* xor */
	branch(at("one_jcc"), at("one"), 2);		/* elsewhere */
	branch(at("one_call"), at("three"), 4);		/* elsewhere */
	branch(at("one_call"), BRANCH_OUTSIDE, 8);	/* two is inside */
	branch(at("one_jmp"), end_of("three", 1), 16);	/* inside mov */
	branch(0x10, at("one"), 32);			/* no code */
	branch(BRANCH_OUTSIDE, end_of("three", 2), 64); /* inside mov */
	branch(at("two_syscall"), BRANCH_OUTSIDE, 128); /* true, but no branch of ours */
	branch(at("one_jcc"), BRANCH_OUTSIDE, 256);	/* a jcc stays */
	branch(at("three_ret"), 0x20, 512);		/* no code */
	branch(UINT64_MAX - 1, UINT64_MAX - 1, 1024);	/* no code */
	check();
	assert_int_equal(stats.branches.valid, 0);
	assert_int_equal(stats.branches.from_no_branch, 1);
	assert_int_equal(stats.branches.wrong_target, 2 + 4 + 8 + 256);
	assert_int_equal(stats.branches.to_no_code, 16 + 64 + 512);
	assert_int_equal(stats.branches.from_no_code, 32 + 1024);
	assert_int_equal(stats.branches.system_calls, 128);
	assert_int_equal(clean.branches.count, 0);
	assert_true(validate_branch_share(&stats) == 0);
}

static void range(uint64_t begin, uint64_t end, uint64_t n)
{
	assert_int_equal(branch_profile_add_range(&raw, begin, end, n), 0);
}

static uint64_t kept(uint64_t begin, uint64_t end)
{
	const struct map_entry *r = map_find(&clean.ranges, begin, end);

	return r ? r->n : 0;
}

static void ranges_that_run(void **state)
{
	(void)state;
	range(at("one"), at("one_jcc"), 1);
	range(at("one_loop"), at("one_call"), 2); /* over a conditional that is not taken */
	range(at("one_jmp"), at("one_jmp"), 4);
	range(at("two_locked"), at("three_ret"), 8); /* over a system call and into three */
	range(at("holed_ret"), at("holed_ret"), 16);
	range(at("stub"), at("stub"), 32);
	branch(at("two"), at("two_locked"), 1);
	check();
	assert_int_equal(stats.ranges.whole, 63);
	assert_int_equal(stats.ranges.split, 8);
	assert_int_equal(clean.ranges.count, 7);
	assert_int_equal(kept(at("one"), at("one_jcc")), 1);
	assert_int_equal(kept(at("one_loop"), at("one_call")), 2);
	assert_int_equal(kept(at("one_jmp"), at("one_jmp")), 4);
	assert_int_equal(kept(at("two_locked"), at("two_last")), 8);
	assert_int_equal(kept(at("three"), at("three_ret")), 8);
	assert_int_equal(kept(at("holed_ret"), at("holed_ret")), 16);
}

static void ranges_that_are_cut(void **state)
{
	(void)state;
	range(at("one_loop"), at("one_jmp"), 1);   /* passes the call */
	range(at("one_after"), at("two_last"), 2); /* passes the indirect jump */
	range(at("two_last"), at("holed"), 4);	   /* passes the return, after a split */
	check();
	assert_int_equal(stats.ranges.cut, 7);
	assert_int_equal(stats.ranges.split, 4);
	assert_int_equal(clean.ranges.count, 4);
	assert_int_equal(kept(at("one_loop"), at("one_call")), 1);
	assert_int_equal(kept(at("one_after"), at("one_jmp")), 2);
	assert_int_equal(kept(at("two_last"), at("two_last")), 4);
	assert_int_equal(kept(at("three"), at("three_ret")), 4);
	assert_true(validate_range_share(&stats) == 0);
}

static void ranges_that_are_dropped(void **state)
{
	(void)state;
	range(end_of("three", 1), at("three_ret"), 1);
	range(0x10, 0x20, 2);
	range(at("one_jcc"), at("one"), 4);
	range(at("one"), at("one") + RANGE_BYTES_MAX + 1, 8);
	range(at("holed"), at("holed_ret"), 16);
	range(at("three"), end_of("three", 2), 32);
	range(at("two_locked"), at("two_syscall"), 64); /* no branch goes there */
	range(at("two_last"), end_of("three", 1), 128); /* after a split: all of it */
	range(BRANCH_OUTSIDE, BRANCH_OUTSIDE, 256);
	check();
	assert_int_equal(stats.ranges.begin_nowhere, 1 + 2 + 64 + 256);
	assert_int_equal(stats.ranges.backwards, 4 + 8);
	assert_int_equal(stats.ranges.no_code, 16);
	assert_int_equal(stats.ranges.end_inside, 32 + 128);
	assert_int_equal(clean.ranges.count, 0);
}

static void samples_and_identity(void **state)
{
	(void)state;
	raw.path = memory_copy_string("/bin/r");
	raw.build_id = (struct build_id){2, {1, 2}};
	assert_int_equal(branch_profile_add_sample(&raw, at("one"), 3), 0);
	assert_int_equal(branch_profile_add_sample(&raw, 0x10, 5), 0);
	check();
	assert_int_equal(stats.samples.in, 8);
	assert_int_equal(stats.samples.kept, 3);
	assert_int_equal(stats.samples.outside, 5);
	assert_string_equal(clean.path, "/bin/r");
	assert_true(branch_profile_same_build(&clean.build_id, &raw.build_id));
}

static void no_memory(void **state)
{
	bool done = false;

	(void)state;
	branch(at("one_jcc"), at("one_loop"), 1);
	branch(at("two"), at("two_locked"), 1);
	range(at("two_locked"), at("three_ret"), 8);
	for (size_t n = 1; n < 100 && !done; n++) {
		struct softlbr_error e = {0};

		branch_profile_deinit(&clean);
		memory_fail_at(n);
		done = !validate_profile(binary, &raw, &clean, &stats, &e);
		memory_fail_at(0);
		assert_int_equal(e.code, done ? 0 : SOFTLBR_E_SYSTEM);
	}
	assert_true(done);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(possible_branches, reset),
		cmocka_unit_test_teardown(impossible_branches, reset),
		cmocka_unit_test_teardown(ranges_that_run, reset),
		cmocka_unit_test_teardown(ranges_that_are_cut, reset),
		cmocka_unit_test_teardown(ranges_that_are_dropped, reset),
		cmocka_unit_test_teardown(samples_and_identity, reset),
		cmocka_unit_test_teardown(no_memory, reset),
	};

	if (tools_lack("gcc"))
		return 77;
	return cmocka_run_group_tests(tests, setup, assembled_remove);
}
