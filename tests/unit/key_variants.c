/* SPDX-License-Identifier: MIT */
/* Which objects are compiled of one source, and which key index each is in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>

#include "converter/gcc/counters/key_variants.h"
#include "tests/unit/made_graph.h"

/* So many functions of FILE, the first with that checksum. */
static void add(struct key_variants *v, const char *object, const char *file, uint32_t functions,
		uint32_t checksum)
{
	struct gcc_graph g;
	char name[16];

	made_graph_init(&g);
	for (uint32_t i = 0; i < functions; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		made_function(&g, name, file, 3, true)->line = i + 1;
	}
	g.functions.items[0].cfg_checksum = checksum;
	assert_int_equal(key_variants_add(v, object, &g), 0);
	gcc_graph_deinit(&g);
}

static void of_one_source(void **state)
{
	struct key_variants v = {0};

	(void)state;
	add(&v, "lib#.libs#jv", "lib/jv.c", 4, 1);
	add(&v, "lib#.libs#other", "lib/other.c", 3, 1);
	add(&v, "lib#jv", "lib/jv.c", 5, 2);   /* one more, and another graph */
	add(&v, "tests#jv", "lib/jv.c", 4, 1); /* as the first */
	add(&v, "third#jv", "lib/jv.c", 4, 3);
	assert_int_equal(v.most, 2);
	assert_int_equal(v.objects.items[2].number, 1);
	assert_int_equal(v.objects.items[3].number, 0);
	assert_int_equal(v.objects.items[4].number, 2);
	for (uint32_t number = 0; number <= v.most; number++) {
		assert_int_equal(key_variants_is_in(&v, 0, number), number == 0);
		assert_true(key_variants_is_in(&v, 1, number)); /* has no other variant */
		assert_int_equal(key_variants_is_in(&v, 2, number), number == 1);
		assert_int_equal(key_variants_is_in(&v, 4, number), number == 2);
	}
	key_variants_deinit(&v);
}

static void of_other_sources(void **state)
{
	struct key_variants v = {0};

	(void)state;
	add(&v, "a#main", "a/main.c", 4, 1);
	add(&v, "b#main", "b/main.c", 4, 2);  /* another file of that name */
	add(&v, "a#large", "a/main.c", 4, 3); /* another name */
	add(&v, "c#main", "a/main.c", 9, 4);  /* less than a half in common */
	assert_int_equal(v.most, 0);
	for (uint32_t i = 0; i < 4; i++)
		assert_true(key_variants_is_in(&v, i, 0));
	key_variants_deinit(&v);
}

static void without_memory(void **state)
{
	struct key_variants v = {0};
	struct gcc_graph g;
	size_t needs;

	(void)state;
	made_graph_init(&g);
	made_function(&g, "f", "a.c", 3, true);
	memory_fail_at(SIZE_MAX);
	assert_int_equal(key_variants_add(&v, "a", &g), 0);
	key_variants_deinit(&v);
	needs = memory_fail_at(0);
	assert_true(needs >= 4);
	for (size_t i = 1; i <= needs; i++) {
		v = (struct key_variants){0};
		memory_fail_at(i);
		assert_int_equal(key_variants_add(&v, "a", &g), -1);
		memory_fail_at(0);
		key_variants_deinit(&v);
	}
	gcc_graph_deinit(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_one_source),
		cmocka_unit_test(of_other_sources),
		cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
