/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "formats/call_tree_formats.h"
#include "formats/model/call_tree.h"

/* main(10) calls b(5), which calls a(7), and a(20); a is inlined into b as c (3). */
static void make(struct call_tree *t)
{
	size_t main_, b, a;

	assert_int_equal(call_tree_init(t, "instructions"), 0);
	main_ = call_tree_child(t, CALL_TREE_TOP, call_tree_frame(t, "main", NULL, "app", false));
	b = call_tree_child(t, main_, call_tree_frame(t, "_Z1bv", "b(int; int)", "app", false));
	a = call_tree_child(t, b, call_tree_frame(t, "a", NULL, "app", false));
	t->nodes.items[main_].self = 10;
	t->nodes.items[b].self = 5;
	t->nodes.items[a].self = 7;
	a = call_tree_child(t, main_, call_tree_frame(t, "a", NULL, "app", false));
	t->nodes.items[a].self += 12;
	a = call_tree_child(t, main_, call_tree_frame(t, "a", NULL, "app", false));
	t->nodes.items[a].self += 8;
	a = call_tree_child(t, b, call_tree_frame(t, "a", NULL, "app", true));
	t->nodes.items[a].self = 3;
	assert_int_equal(call_tree_sum(t), 0);
}

static void totals_and_order(void **state)
{
	struct call_tree t;
	const struct call_node *n;
	size_t path[4], first, second;

	(void)state;
	make(&t);
	n = t.nodes.items;
	assert_int_equal(n[CALL_TREE_TOP].total, 45);
	first = n[n[CALL_TREE_TOP].first_child].first_child;
	second = n[first].next_sibling;
	assert_string_equal(call_tree_name(&t, first), "a"); /* 20 before 15 */
	assert_int_equal(n[first].total, 20);
	assert_int_equal(n[second].total, 15);
	assert_true(n[second].next_sibling == CALL_TREE_NONE);
	assert_int_equal(call_tree_depth(&t, first), 1);
	assert_int_equal(call_tree_path(&t, n[second].first_child, path, 4), 3);
	assert_string_equal(call_tree_name(&t, path[0]), "main");
	assert_int_equal(path[1], second);
	assert_int_equal(t.frames.count, 4); /* inlined is a frame of its own */
	call_tree_deinit(&t);
}

static void folded(void **state)
{
	struct call_tree t;
	char *text;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	(void)state;
	make(&t);
	assert_int_equal(folded_write(&t, stream, NULL), 0);
	fclose(stream);
	assert_string_equal(text, "main 10\nmain;a 20\nmain;b(int: int) 5\nmain;b(int: int);a 7\n"
				  "main;b(int: int);a 3\n");
	free(text);
	call_tree_deinit(&t);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_and_order),
		cmocka_unit_test(folded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
