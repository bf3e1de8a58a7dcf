/* SPDX-License-Identifier: MIT */
/* compare/imbalance.c on counts worked by hand, and compare/staleness.c on builds that differ in
 * known ways. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "base/memory.h"
#include "compare/check.h"
#include "tests/unit/program.h"

/* %s: in front of all, in f, and the name of g */
static const char source[] = ".text\n"
			     "%1$s"
			     ".globl f, %3$s\n"
			     ".type f,@function\n"
			     "f: nop\n"
			     "f_jcc: jne f_else\n"
			     "lea data(%%rip),%%rax\n"
			     "f_jmp: jmp f_end\n"
			     "f_else: nop\n"
			     "%2$s"
			     "f_end: nop\n"
			     "f_call: call %3$s\n"
			     "f_after: movl $1,data(%%rip)\n"
			     "f_ret: ret\n"
			     ".size f,.-f\n"
			     ".type %3$s,@function\n"
			     "%3$s: nop\n"
			     "g_ret: ret\n"
			     ".size %3$s,.-%3$s\n"
			     ".data\n"
			     "data: .long 0\n";

static struct binary *build(const char *name, const char *before, const char *inside, const char *g)
{
	char text[2048];

	snprintf(text, sizeof(text), source, before, inside, g);
	if (program_write("c.s", text) ||
	    program_run("gcc -c c.s -o c.o && ld -e 0 c.o -o %s", name))
		return NULL;
	return binary_open(name, NULL);
}

static struct binary *binary;

static int setup(void **state)
{
	(void)state;
	if (program_directory_make())
		return -1;
	binary = build("c", "", "", "g");
	return binary && !program_symbols_load("c") ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	binary_close(binary);
	program_directory_remove();
	return 0;
}

#define VA(name) program_symbol(#name)

/* 30 times through f_else and 10 times not; @jumped and @turned times the jumps were seen. */
static void run(struct branch_profile *p, uint64_t jumped, uint64_t turned)
{
	int rc = branch_profile_add_branch(p, BRANCH_OUTSIDE, VA(f), 40, 0) |
		 branch_profile_add_branch(p, VA(f_jmp), VA(f_end), jumped, 0) |
		 branch_profile_add_branch(p, VA(f_call), VA(g), 40, 0) |
		 branch_profile_add_branch(p, VA(g_ret), VA(f_after), 40, 0) |
		 branch_profile_add_range(p, VA(f), VA(f_jcc), 30) |
		 branch_profile_add_range(p, VA(f), VA(f_jmp), 10) |
		 branch_profile_add_range(p, VA(f_else), VA(f_call), 30) |
		 branch_profile_add_range(p, VA(f_end), VA(f_call), 10) |
		 branch_profile_add_range(p, VA(g), VA(g_ret), 40) |
		 branch_profile_add_range(p, VA(f_after), VA(f_ret), 40);

	if (turned)
		rc |= branch_profile_add_branch(p, VA(f_jcc), VA(f_else), turned, 0);
	assert_int_equal(rc, 0);
}

static const struct imbalance *find(struct imbalances *gaps, struct branch_profile *p)
{
	assert_int_equal(imbalances_find(gaps, binary, p, NULL), 0);
	assert_int_equal(gaps->functions.count, 2);
	assert_string_equal(gaps->functions.items[0].function->name, "f");
	branch_profile_deinit(p);
	return &gaps->functions.items[0];
}

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-12)

static void test_exact(void **state)
{
	struct branch_profile p = {0};
	struct imbalances gaps = {0};
	const struct imbalance *f;

	(void)state;
	run(&p, 10, 30);
	f = find(&gaps, &p);
	assert_near(f->gap, 0);
	assert_near(f->discontinuity, 0);
	assert_near(f->call_gap, 0);
	assert_int_equal(f->weight, 40 + 10 + 30 + 40);
	assert_int_equal(f->entered, 40);
	assert_int_equal(f->blocks_run, 4);
	assert_near(gaps.mean[FLOW_GAP], 0);
	imbalances_deinit(&gaps);
}

/* f_jmp was seen half as often: its block has a gap of a half; f_else's has none. */
static void test_gap(void **state)
{
	struct branch_profile p = {0};
	struct imbalances gaps = {0};
	const struct imbalance *f;

	(void)state;
	run(&p, 5, 30);
	f = find(&gaps, &p);
	assert_near(f->gap, .5 * log(1 + 10 * 2) / (log(1 + 10 * 2) + log(1 + 30)));
	assert_near(f->discontinuity, 0);
	assert_near(f->worst_gap, 0); /* too rare for it */
	assert_near(gaps.mean[FLOW_GAP], f->gap * 120 / 160);
	assert_near(gaps.top5[FLOW_GAP], f->gap);
	imbalances_deinit(&gaps);
}

/* The way to f_else was never seen; and the function's entries send on fewer than arrive. */
static void test_discontinuity(void **state)
{
	struct branch_profile p = {0};
	struct imbalances gaps = {0};
	const struct imbalance *f;

	(void)state;
	run(&p, 10, 0);
	f = find(&gaps, &p);
	assert_near(f->discontinuity, 30 / 120.);
	assert_near(f->call_gap, 1 - 10 / 40.);
	imbalances_deinit(&gaps);
}

static void compare_builds(const char *before, const char *inside, const char *g,
			   enum stale_kind of_f, enum stale_kind of_g)
{
	struct binary *now = build("now", before, inside, g);
	struct branch_profile p = {0};
	struct staleness stale = {0};

	assert_non_null(now);
	run(&p, 10, 30);
	assert_int_equal(staleness_find(&stale, binary, now, &p, NULL), 0);
	assert_int_equal(stale.functions.count, 2);
	assert_string_equal(stale.functions.items[0].function->name, "f");
	assert_int_equal(stale.functions.items[0].kind, of_f);
	assert_int_equal(stale.functions.items[1].kind, of_g);
	assert_near(stale.total, stale.functions.items[0].weight + stale.functions.items[1].weight);
	staleness_deinit(&stale);
	branch_profile_deinit(&p);
	binary_close(now);
}

static void test_staleness(void **state)
{
	(void)state;
	compare_builds("", "", "g", STALE_SAME, STALE_SAME);
	/* moved, so that all distances to data are others */
	compare_builds(".globl new\n.type new,@function\nnew: nop\nnop\nret\n.size new,.-new\n", "",
		       "g", STALE_SAME, STALE_SAME);
	compare_builds("", "xor %eax,%eax\n", "g", STALE_SHAPE, STALE_SAME);
	compare_builds("", "je f_call\n", "g", STALE_CHANGED, STALE_SAME);
	/* f calls another function now */
	compare_builds("", "", "h", STALE_SHAPE, STALE_GONE);
}

static void test_out_of_memory(void **state)
{
	bool failed = true;

	(void)state;
	for (size_t n = 1; failed; n++) {
		struct branch_profile p = {0};
		struct imbalances gaps = {0};
		struct staleness stale = {0};

		run(&p, 10, 30);
		memory_fail_at(n);
		failed = imbalances_find(&gaps, binary, &p, NULL) ||
			 staleness_find(&stale, binary, binary, &p, NULL);
		memory_fail_at(0);
		imbalances_deinit(&gaps);
		staleness_deinit(&stale);
		branch_profile_deinit(&p);
		assert_true(n < 2000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),	      cmocka_unit_test(test_gap),
		cmocka_unit_test(test_discontinuity), cmocka_unit_test(test_staleness),
		cmocka_unit_test(test_out_of_memory),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
