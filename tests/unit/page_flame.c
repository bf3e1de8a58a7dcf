/* SPDX-License-Identifier: MIT */
/*
 * Flame graphs in pages: which frames are in the data, in which order; and, as a program with the
 * argument FILE, a page with one for tests/live/page.sh to click at.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/html/page.h"

static size_t add(struct call_tree *t, size_t parent, const char *name, uint64_t self)
{
	size_t node = call_tree_child(t, parent, call_tree_frame(t, name, NULL, "app", false));

	assert_true(node != CALL_TREE_NONE);
	t->nodes.items[node].self += self;
	return node;
}

/* main calls parse and write; parse calls itself; what is tiny calls nothing. */
static void make_tree(struct call_tree *t)
{
	size_t main_of, parse;

	assert_int_equal(call_tree_init(t, "samples"), 0);
	main_of = add(t, CALL_TREE_TOP, "main", 100);
	add(t, main_of, "write<\"</script>\">", 2900);
	parse = add(t, main_of, "parse", 4000);
	add(t, parse, "parse", 3000);
	add(t, main_of, "tiny", 2);
	assert_int_equal(call_tree_sum(t), 0);
}

static void test_data(void **state)
{
	struct call_tree t;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	make_tree(&t);
	page_flame_put(&t, out);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, "\"unit\":\"samples\""));
	/* name, depth, total, self: in pre-order, larger ones first, without what nobody could see
	 */
	assert_non_null(strstr(text, "\"frames\":[0,0,10002,0,\n1,1,10002,100,\n3,2,7000,4000,\n"
				     "3,3,3000,3000,\n2,2,2900,2900]}"));
	/* no name ends the element */
	assert_non_null(strstr(text, "\"write\\u003c\\u0022\\u003c/script>\\u0022>\""));
	assert_null(strstr(text, "write<"));
	free(text);
	call_tree_deinit(&t);
}

static void test_deep(void **state)
{
	struct call_tree t;
	size_t node = CALL_TREE_TOP, size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_int_equal(call_tree_init(&t, "samples"), 0);
	for (int i = 0; i < 10000; i++)
		node = add(&t, node, "again", 1);
	assert_int_equal(call_tree_sum(&t), 0);
	page_flame_put(&t, out);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, "\n1,200,9801,1]}"));
	free(text);
	call_tree_deinit(&t);
}

static int write_page(const char *path)
{
	FILE *out = fopen(path, "w");
	struct call_tree t;

	if (!out)
		return 1;
	make_tree(&t);
	page_begin(out, "A flame graph");
	page_flame_put(&t, out);
	page_end(out);
	call_tree_deinit(&t);
	return fclose(out) != 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_data),
		cmocka_unit_test(test_deep),
	};

	return argc > 1 ? write_page(argv[1]) : cmocka_run_group_tests(tests, NULL, NULL);
}
