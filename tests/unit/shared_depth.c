/* SPDX-License-Identifier: MIT */
/* Look-ahead where other threads write what it reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "collector/engine/shared_depth.h"

static void learn(struct shared_depth *s, bool right, unsigned times)
{
	while (times--)
		shared_depth_learn(s, right, 2048);
}

static void test_wrong_ones_halve_it(void **state)
{
	struct shared_depth s = {0};

	(void)state;
	assert_int_equal(shared_depth_of(&s, 2048), 2048);
	learn(&s, false, 1);
	assert_int_equal(shared_depth_of(&s, 2048), 1024);
	learn(&s, false, 4);
	assert_int_equal(shared_depth_of(&s, 2048), 64);
	learn(&s, false, 100);
	assert_int_equal(shared_depth_of(&s, 2048), 64);
	/* who asks for less has less */
	assert_int_equal(shared_depth_of(&s, 16), 16);
}

static void test_right_ones_double_it(void **state)
{
	struct shared_depth s = {0};

	(void)state;
	learn(&s, false, 7);
	learn(&s, true, 15);
	assert_int_equal(shared_depth_of(&s, 2048), 64);
	learn(&s, true, 1);
	assert_int_equal(shared_depth_of(&s, 2048), 128);
	learn(&s, true, 1000);
	assert_int_equal(shared_depth_of(&s, 2048), 2048);
}

static void test_a_wrong_one_ends_a_row(void **state)
{
	struct shared_depth s = {0};

	(void)state;
	learn(&s, false, 1);
	learn(&s, true, 15);
	learn(&s, false, 1);
	assert_int_equal(shared_depth_of(&s, 2048), 512);
	learn(&s, true, 15);
	assert_int_equal(shared_depth_of(&s, 2048), 512);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrong_ones_halve_it),
		cmocka_unit_test(test_right_ones_double_it),
		cmocka_unit_test(test_a_wrong_one_ends_a_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
