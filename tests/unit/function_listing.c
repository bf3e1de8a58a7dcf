/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/views/function_listing.h"

static void expect(const struct function_arrows *a, const char *const *rows, size_t count)
{
	char room[FUNCTION_ARROW_BYTES];

	for (size_t i = 0; i < count; i++) {
		function_arrows_draw(a, i, room);
		assert_string_equal(room, rows[i]);
	}
}

/* A loop, and a jump in it past a row. */
static void nested(void **state)
{
	static const char *const rows[] = {
		"    +-->", "    |   ", "    |+--", "    ||  ", "    |+->", "    +---", "        ",
	};
	struct function_arrows a = {0};

	(void)state;
	assert_int_equal(function_arrows_add(&a, 5, 0), 0);
	assert_int_equal(function_arrows_add(&a, 2, 4), 0);
	function_arrows_place(&a);
	expect(&a, rows, 7);
	function_arrows_deinit(&a);
}

/* Jumps to one place share a lane; one row that jumps to itself is an arrival. */
static void joined(void **state)
{
	static const char *const rows[] = {"     +->", "     +--", "     +--", "     +->"};
	struct function_arrows a = {0};

	(void)state;
	assert_int_equal(function_arrows_add(&a, 1, 0), 0);
	assert_int_equal(function_arrows_add(&a, 2, 0), 0);
	assert_int_equal(function_arrows_add(&a, 3, 3), 0);
	function_arrows_place(&a);
	expect(&a, rows, 4);
	function_arrows_deinit(&a);
}

/* More that overlap than there are lanes: the longest have none. */
static void too_many(void **state)
{
	char room[FUNCTION_ARROW_BYTES];
	struct function_arrows a = {0};

	(void)state;
	for (size_t i = 0; i < FUNCTION_ARROW_LANES + 2; i++)
		assert_int_equal(function_arrows_add(&a, 20 - i, i), 0);
	function_arrows_place(&a);
	function_arrows_draw(&a, 10, room);
	assert_string_equal(room, "||||||  ");
	function_arrows_draw(&a, 0, room);
	assert_string_equal(room, "        ");
	function_arrows_deinit(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested),
		cmocka_unit_test(joined),
		cmocka_unit_test(too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
