/* SPDX-License-Identifier: MIT */
/* Lines of a function in an older and a newer text: pairs that were worked by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "converter/update/line_map.h"

static void read_body(const char *text, struct strings *strings, struct c_functions *functions,
		      struct function_body *body)
{
	assert_int_equal(
		c_functions_read(functions, (struct text){text, text + strlen(text)}, 0, strings),
		0);
	assert_int_equal(functions->list.count, 1);
	assert_int_equal(function_body_read(body, &functions->list.items[0]), 0);
}

/* @expected: by older line, from the first on, the newer one. */
static void expect(const char *before, const char *after, const uint32_t *expected, size_t count)
{
	struct strings *strings = strings_new();
	struct c_functions functions[2] = {0};
	struct function_body a = {0}, b = {0};
	struct line_map map = {0};

	read_body(before, strings, &functions[0], &a);
	read_body(after, strings, &functions[1], &b);
	assert_int_equal(line_map_make(&map, &a, &b), 0);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(line_map_at(&map, i + 1), expected[i]);
	assert_int_equal(line_map_at(&map, (uint32_t)count + 100), 0);
	line_map_deinit(&map);
	function_body_deinit(&a);
	function_body_deinit(&b);
	c_functions_deinit(&functions[0]);
	c_functions_deinit(&functions[1]);
	strings_free(strings);
}

#define EXPECT(before, after, ...)                                            \
	do {                                                                  \
		const uint32_t lines[] = {__VA_ARGS__};                       \
                                                                              \
		expect(before, after, lines, sizeof(lines) / sizeof(*lines)); \
	} while (0)

static void test_inserted(void **state)
{
	(void)state;
	EXPECT("int f(int a) {\n\ta++;\n\treturn a;\n}\n",
	       "int f(int a) {\n\t/* a\n\t * comment */\n\ta++;\n\n\treturn  a; // it\n}\n", 1, 4,
	       6, 7);
}

static void test_changed(void **state)
{
	(void)state;
	/* 2 is changed, 3 is gone, 4 stays */
	EXPECT("int f(int a) {\n\tif (a < limit)\n\t\tprint(\"it\");\n\treturn a * a;\n}\n",
	       "int f(int a) {\n\tif (a <= limit)\n\t\tabort();\n\treturn a * a;\n}\n", 1, 2, 0, 4,
	       5);
	/* 2 goes behind 3, and 4 becomes something else */
	EXPECT("int f(int a) {\n\tx = first(a) + 1;\n\ty = second(a) + 2;\n\tz();\n\treturn 0;\n}\n",
	       "int f(int a) {\n\ty = second(a) + 2;\n\tx = first(a) + 1;\n\treturn 0;\n}\n", 1, 3,
	       2, 0, 4, 5);
}

/* Braces alone are no reason to pair lines across others. */
static void test_repeated(void **state)
{
	(void)state;
	EXPECT("int f(int a) {\n\tif (a) {\n\t\tb();\n\t}\n\tif (c) {\n\t\td();\n\t}\n}\n",
	       "int f(int a) {\n\tif (c) {\n\t\td();\n\t}\n}\n", 1, 0, 0, 0, 2, 3, 4, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inserted),
		cmocka_unit_test(test_changed),
		cmocka_unit_test(test_repeated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
