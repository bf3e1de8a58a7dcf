/* SPDX-License-Identifier: MIT */
/* What is selected to be recorded: lists of processes, and processes by their name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/prctl.h>
#include <unistd.h>

#include "collector/recorder/selection.h"

static void test_lists_add_up_and_name_each_task_once(void **state)
{
	static const pid_t expected[] = {12, 34, 5, 2147483647};
	struct selection s = {0};

	(void)state;
	assert_false(selection_is_any(&s));
	assert_int_equal(selection_add_tasks(&s, "12,34,12"), 0);
	assert_int_equal(selection_add_tasks(&s, "34"), 0);
	assert_int_equal(selection_add_tasks(&s, "5,2147483647"), 0);
	assert_true(selection_is_any(&s));
	assert_int_equal(s.tasks.count, 4);
	assert_memory_equal(s.tasks.items, expected, sizeof(expected));
	selection_deinit(&s);
	assert_false(selection_is_any(&s));
}

static void test_what_is_no_list_is_refused(void **state)
{
	static const char *const wrong[] = {
		"",   ",",   "12,", ",12",   "12,,34",	   "0",
		"-1", "+12", " 12", "12 34", "2147483648", "99999999999999999999",
		"1x", "x",   "1;2", "0x12",
	};
	struct selection s = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(selection_add_tasks(&s, wrong[i]), -1);
		selection_deinit(&s);
	}
}

/* This process's name is ours to choose; its program's is that of this test. */
static void test_names_are_of_the_process_or_of_its_program(void **state)
{
	static const struct {
		const char *pattern;
		bool has;
	} cases[] = {
		{"chosen name", true}, {"chosen*", true},  {"*[mn]ame", true},
		{"chosen", false},     {"Chosen*", false}, {"unit-selection", true},
		{"*-selection", true}, {"*", true},	   {"/*", false},
		{"selection", false},
	};
	struct selection s = {0};

	(void)state;
	assert_int_equal(prctl(PR_SET_NAME, "chosen name"), 0);
	assert_false(selection_has_name(&s, getpid()));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		s.name = cases[i].pattern;
		assert_true(selection_is_any(&s) && selection_is_open(&s));
		assert_int_equal(selection_has_name(&s, getpid()), cases[i].has);
	}
	s.name = "*";
	assert_false(selection_has_name(&s, 999999999));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists_add_up_and_name_each_task_once),
		cmocka_unit_test(test_what_is_no_list_is_refused),
		cmocka_unit_test(test_names_are_of_the_process_or_of_its_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
