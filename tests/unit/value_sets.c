/* SPDX-License-Identifier: MIT */
/* converter/gcc/counters/value_sets.c: what sites saw, and the sets that an object's file has of
 * it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>

#include "converter/gcc/counters/arc_counters.h"
#include "tests/unit/made_graph.h"

#define OFTEN  0x5000
#define SELDOM 0x6000
#define SCALE  4

/*
 * f.c: `f` calls a pointer in block 2 at 10:5, divides in block 3 at 20:7, copies in block 4 at
 * 30:3, and has one body with a call in blocks 5 and 6 at 40:9. `often` and `seldom` are callees,
 * `plain` has no sites.
 */
struct made {
	struct gcc_graph graph;
	struct notes_index keys;
	struct attributions all;
	struct rounds rounds;
	struct branch_profile branches;
	struct value_profile values;
	struct value_sets sets;
	struct counter_function to;
};

static void add_site(struct made *m, uint32_t block, uint32_t line, uint32_t column,
		     enum counter_kind kind, uint32_t first, uint32_t words)
{
	struct gcc_function *f = &m->graph.functions.items[0];
	struct gcc_value_site *s = vector_push(&f->values);

	assert_non_null(s);
	*s = (struct gcc_value_site){block, {f->file, line, column}, kind, first, words};
	made_statement(&m->graph, f, block, "f.c", line, column);
}

static void make_graph(struct made *m)
{
	struct gcc_function *f;

	made_graph_init(&m->graph);
	f = made_function(&m->graph, "f", "f.c", 7, true);
	for (uint32_t block = 2; block < 7; block++)
		made_arc(f, block == 2 ? 0 : block - 1, block, 0);
	made_arc(f, 6, 1, 0);
	f->blocks.items[5].discriminator = 1;
	f->blocks.items[6].discriminator = 2;
	made_call(&m->graph, f, 2, NULL, 10, 5);
	/* not in the order of their words */
	add_site(m, 3, 20, 7, COUNTER_KIND_TOPN, 3, 3);
	add_site(m, 3, 20, 7, COUNTER_KIND_POW2, 0, 2);
	add_site(m, 3, 20, 7, COUNTER_KIND_INTERVAL, 0, 4);
	add_site(m, 4, 30, 3, COUNTER_KIND_TOPN, 0, 3);
	add_site(m, 4, 30, 3, COUNTER_KIND_AVERAGE, 0, 2);
	add_site(m, 4, 30, 3, COUNTER_KIND_IOR, 0, 1);
	add_site(m, 2, 10, 5, COUNTER_KIND_INDIRECT, 0, 3);
	add_site(m, 5, 40, 9, COUNTER_KIND_INDIRECT, 3, 3);
	add_site(m, 6, 40, 9, COUNTER_KIND_INDIRECT, 6, 3);
	made_function(&m->graph, "often", "f.c", 3, true);
	made_function(&m->graph, "seldom", "f.c", 3, true);
	made_function(&m->graph, "plain", "f.c", 3, true);
	made_index(&m->keys, &m->graph);
}

static int make(void **state)
{
	struct made *m = memory_alloc(sizeof(*m));

	assert_non_null(m);
	*m = (struct made){.rounds = {.keys = &m->keys, .attributions = &m->all}};
	make_graph(m);
	map_at(&m->all.symbols, OFTEN, 0)->n = 1;
	map_at(&m->all.symbols, SELDOM, 0)->n = 2;
	*state = m;
	return 0;
}

static int unmake(void **state)
{
	struct made *m = *state;
	struct counter_profile p = {0};
	struct counter_function *f = counter_profile_add(&p);

	*f = m->to;
	counter_profile_deinit(&p);
	value_sets_deinit(&m->sets);
	value_profile_deinit(&m->values);
	branch_profile_deinit(&m->branches);
	vector_deinit(&m->rounds.instances);
	attributions_deinit(&m->all);
	notes_index_deinit(&m->keys);
	gcc_graph_deinit(&m->graph);
	memory_free(m);
	return 0;
}

static struct attributed_site *see(struct made *m, uint32_t line, uint32_t column, uint64_t address)
{
	struct attributed_site *s = vector_push(&m->all.sites);

	assert_non_null(s);
	*s = (struct attributed_site){.place = made_place(&m->keys, "f.c", line, column),
				      .discriminator = ATTRIBUTION_NO_DISCRIMINATOR,
				      .calls = true,
				      .indirect = true,
				      .address = address};
	return s;
}

static void go(struct made *m, uint64_t from, uint64_t to, uint64_t n)
{
	assert_int_equal(branch_profile_add_branch(&m->branches, from, to, n, 0), 0);
}

/* The sets of function number @number, each of whose blocks ran 1,000 times. */
static void count(struct made *m, uint32_t number, uint64_t least)
{
	const uint64_t arcs[] = {1000, 1000, 1000, 1000, 1000, 1000};

	attributions_sort(&m->all);
	assert_int_equal(
		value_sets_make(&m->sets, &m->rounds, &m->branches, SCALE, &m->values, least), 0);
	assert_int_equal(value_sets_add(&m->sets, &m->keys, &m->keys.functions.items[number],
					number ? NULL : arcs, &m->to),
			 0);
}

static void check(const struct made *m, enum counter_kind kind, size_t n, const uint64_t *expected)
{
	const struct counter_set *set = counter_function_set(&m->to, kind);

	assert_non_null(set);
	assert_int_equal(set->counts.count, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(set->counts.items[i], expected[i]);
}

#define CHECK(m, kind, ...)                                                       \
	do {                                                                      \
		const uint64_t expected[] = {__VA_ARGS__};                        \
		check(m, kind, sizeof(expected) / sizeof(expected[0]), expected); \
	} while (0)

static void adds_up_what_instances_called(void **state)
{
	struct made *m = *state;

	see(m, 10, 5, 0x1000);
	go(m, 0x1000, OFTEN, 50);
	see(m, 10, 5, 0x1100)->calls = false; /* a tail jump */
	go(m, 0x1100, OFTEN, 20);
	go(m, 0x1100, SELDOM, 20);
	go(m, 0x1100, 0x1180, 500); /* inside of the function */
	go(m, 0x1100, BRANCH_OUTSIDE, 10);
	count(m, 0, 20);
	CHECK(m, COUNTER_KIND_INDIRECT, 1000, 2, 2, 700, 3, 200, 0, 0, 0, 0);
}

static void knows_direct_and_inlined_targets(void **state)
{
	struct made *m = *state;
	struct round_instance *i = vector_push(&m->rounds.instances);
	uint64_t calls = 30;

	assert_non_null(i);
	*i = (struct round_instance){.function = 2,
				     .caller = 0,
				     .line = 10,
				     .column = 5,
				     .placed = true,
				     .entries = calls * SCALE,
				     .most = 50 * calls * SCALE};
	see(m, 10, 5, 0x1000)->indirect = false;
	go(m, 0x1000, OFTEN, 10);
	count(m, 0, 20);
	CHECK(m, COUNTER_KIND_INDIRECT, 1000, 2, 3, 750, 2, 250, 0, 0, 0, 0);
}

static void tells_sites_of_one_place_apart(void **state)
{
	struct made *m = *state;

	see(m, 40, 9, 0x1000)->discriminator = 1;
	go(m, 0x1000, OFTEN, 50);
	see(m, 40, 9, 0x1100)->discriminator = 2;
	go(m, 0x1100, SELDOM, 50);
	count(m, 0, 20);
	CHECK(m, COUNTER_KIND_INDIRECT, 0, 0, 1000, 1, 2, 1000, 1000, 1, 3, 1000);
}

static void takes_early_copies_in_order(void **state)
{
	struct made *m = *state;
	struct context_inner one = {.line = 70, .column = 1}, other = {.line = 60, .column = 1};

	see(m, 40, 9, 0x1000)->inner = contexts_add_inner(&m->all.contexts, &one);
	go(m, 0x1000, OFTEN, 50);
	see(m, 40, 9, 0x1100)->inner = contexts_add_inner(&m->all.contexts, &other);
	go(m, 0x1100, SELDOM, 50);
	count(m, 0, 20);
	CHECK(m, COUNTER_KIND_INDIRECT, 0, 0, 1000, 1, 3, 1000, 1000, 1, 2, 1000);
}

static void has_divisors_and_sizes(void **state)
{
	struct made *m = *state;

	see(m, 20, 7, 0x2000);
	see(m, 30, 3, 0x3000);
	value_profile_add(&m->values, 0x2000, VALUE_DIVISOR, 64, 90, true);
	value_profile_add(&m->values, 0x2000, VALUE_DIVISOR, 7, 10, true);
	value_profile_add(&m->values, 0x3000, VALUE_SIZE, 16, 80, true);
	value_profile_add(&m->values, 0x3000, VALUE_DIVISOR, 5, 80, true);
	count(m, 0, 1);
	CHECK(m, COUNTER_KIND_INTERVAL, 0, 0, 1000, 0);
	CHECK(m, COUNTER_KIND_POW2, 100, 900);
	CHECK(m, COUNTER_KIND_TOPN, 1000, 1, 16, 1000, 1000, 2, 64, 900, 7, 100);
	CHECK(m, COUNTER_KIND_AVERAGE, 16000, 1000);
	CHECK(m, COUNTER_KIND_IOR, 0);
}

static void leaves_alone_what_few_samples_tell(void **state)
{
	struct made *m = *state;

	see(m, 10, 5, 0x1000);
	go(m, 0x1000, OFTEN, 19);
	see(m, 20, 7, 0x2000);
	for (int i = 0; i < 19; i++)
		value_profile_add(&m->values, 0x2000, VALUE_DIVISOR, 64, 1000, true);
	count(m, 0, 20);
	CHECK(m, COUNTER_KIND_INDIRECT, 0, 0, 0, 0, 0, 0);
	CHECK(m, COUNTER_KIND_POW2, 1000, 0);
	CHECK(m, COUNTER_KIND_TOPN, 0, 0, 0, 0);
}

static void others_of_the_object_have_empty_sets(void **state)
{
	struct made *m = *state;

	count(m, 3, 1);
	for (enum counter_kind k = COUNTER_KIND_INTERVAL; k < COUNTER_KIND_TIME; k++)
		assert_int_equal(counter_function_set(&m->to, k)->counts.count, 0);
	assert_null(counter_function_set(&m->to, COUNTER_KIND_TIME));
}

static void writes_no_sets_with_gaps(void **state)
{
	struct made *m = *state;

	m->graph.functions.items[0].values.items[3].first = 9;
	count(m, 0, 1);
	assert_int_equal(m->to.sets.count, 0);
}

static void writes_no_sets_where_sites_were_lost(void **state)
{
	struct made *m = *state;

	m->graph.functions.items[0].values_lost = true;
	count(m, 0, 1);
	assert_int_equal(m->to.sets.count, 0);
}

/* No memory for the order of the sites is no gap. */
static void no_memory_is_no_gap(void **state)
{
	struct made *m = *state;
	size_t needs;

	attributions_sort(&m->all);
	assert_int_equal(value_sets_make(&m->sets, &m->rounds, &m->branches, SCALE, &m->values, 1),
			 0);
	memory_fail_at(0);
	assert_int_equal(
		value_sets_add(&m->sets, &m->keys, &m->keys.functions.items[0], NULL, &m->to), 0);
	needs = memory_fail_at(0);
	assert_true(needs > 2);
	for (size_t n = 1; n <= needs; n++) {
		struct counter_profile p = {0};
		struct counter_function *f = counter_profile_add(&p);

		memory_fail_at(n);
		assert_int_not_equal(
			value_sets_add(&m->sets, &m->keys, &m->keys.functions.items[0], NULL, f),
			0);
		memory_fail_at(0);
		counter_profile_deinit(&p);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(adds_up_what_instances_called),
		TEST(knows_direct_and_inlined_targets),
		TEST(tells_sites_of_one_place_apart),
		TEST(takes_early_copies_in_order),
		TEST(has_divisors_and_sizes),
		TEST(leaves_alone_what_few_samples_tell),
		TEST(others_of_the_object_have_empty_sets),
		TEST(writes_no_sets_with_gaps),
		TEST(writes_no_sets_where_sites_were_lost),
		TEST(no_memory_is_no_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
