/* SPDX-License-Identifier: MIT */
/* Expected values: the closed formula, computed in Python. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare/confidence.h"

static void expect(uint64_t part, uint64_t whole, double expected_low, double expected_high)
{
	double low, high;

	confidence_of_share(part, whole, &low, &high);
	assert_float_equal(low, expected_low, 1e-4);
	assert_float_equal(high, expected_high, 1e-4);
}

static void intervals(void **state)
{
	(void)state;
	expect(0, 10, 0, 0.2775);
	expect(1, 10, 0.0179, 0.4042);
	expect(10, 10, 0.7225, 1);
	expect(60, 100, 0.5020, 0.6906);
	expect(1025, 1705, 0.5777, 0.6242);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {cmocka_unit_test(intervals)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
