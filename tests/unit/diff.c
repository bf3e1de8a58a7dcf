/* SPDX-License-Identifier: MIT */
/* compare/edges.h and compare/source_score.h on the examples that docs/scores.md works by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "base/memory.h"
#include "compare/edges.h"
#include "compare/source_score.h"
#include "tests/unit/assembled.h"

static const char source[] = ".text\n"
			     ".type f,@function\n"
			     "f: nop\n"
			     "f_jcc: jne f_else\n"
			     "nop\n"
			     "f_jmp: jmp f_end\n"
			     "f_else: nop\n"
			     "f_end: nop\n"
			     "f_call: call g\n"
			     "f_after: nop\n"
			     "f_ret: ret\n"
			     ".size f,.-f\n"
			     ".type g,@function\n"
			     "g: nop\n"
			     "g_ret: ret\n"
			     ".size g,.-g\n"
			     ".type h,@function\n"
			     "h: jmp h_next\n"
			     "h_next: jne h_loop\n"
			     "h_loop: jne h\n"
			     "h_ret: ret\n"
			     ".size h,.-h\n"
			     "lone: nop\n" /* of no function */
			     "lone_jcc: jne lone\n"
			     "lone_jmp: jmp lone\n";

static int setup(void **state)
{
	(void)state;
	return assembled_make(source);
}

#define VA(name) program_symbol(#name)

/* @else_ times through f_else, @then times past it; each calls g, which returns if @returns. */
static void run(struct branch_profile *p, uint64_t else_, uint64_t then, bool returns)
{
	uint64_t all = else_ + then;
	int rc = branch_profile_add_branch(p, BRANCH_OUTSIDE, VA(f), all, 0) |
		 branch_profile_add_branch(p, VA(f_jcc), VA(f_else), else_, 0) |
		 branch_profile_add_branch(p, VA(f_jmp), VA(f_end), then, 0) |
		 branch_profile_add_branch(p, VA(f_call), VA(g), all, 0) |
		 branch_profile_add_range(p, VA(f), VA(f_jcc), else_) |
		 branch_profile_add_range(p, VA(f), VA(f_jmp), then) |
		 branch_profile_add_range(p, VA(f_else), VA(f_call), else_) |
		 branch_profile_add_range(p, VA(f_end), VA(f_call), then) |
		 branch_profile_add_range(p, VA(g), VA(g_ret), all) |
		 branch_profile_add_range(p, VA(f_after), VA(f_ret), all);

	if (returns)
		rc |= branch_profile_add_branch(p, VA(g_ret), VA(f_after), all, 0);
	assert_int_equal(rc, 0);
}

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-12)

static void compared(void (*check)(const struct edges *, const struct edge_score *), bool returns)
{
	struct branch_profile a = {0}, b = {0};
	struct edges edges = {0};
	struct edge_score score;

	run(&a, 30, 10, true);
	run(&b, 10, 10, returns);
	assert_int_equal(edges_make(&edges, binary, &a, &b, NULL), 0);
	assert_int_equal(edge_score_compare(&edges, 1, &score), 0);
	check(&edges, &score);
	edges_deinit(&edges);
	branch_profile_deinit(&a);
	branch_profile_deinit(&b);
}

static void check_by_hand(const struct edges *edges, const struct edge_score *s)
{
	struct edge_functions functions = {0};

	assert_int_equal(edges->items.count, 5);
	assert_false(edges->without_returns);
	assert_near(s->branch, 10 / 60. + 10 / 120. + 1 / 3. + 1 / 3.);
	assert_near(s->edge, 10 / 70. + 10 / 130. + 10 / 130. + 20 / 70. + 20 / 70.);
	assert_near(s->function, 90 / 130. + 20 / 70.);
	assert_near(s->within, 50 / 70. * (.2 + 1 / 9. + 1 / 9. + .4) + 20 / 70.);
	assert_near(s->call, 1);
	assert_near(s->jump, .75);
	assert_near(s->taken_ratio_error, .25);
	assert_near(s->taken_ratio_covered, 1);

	assert_int_equal(edge_score_functions(edges, 1, &functions), 0);
	assert_int_equal(functions.items.count, 2);
	assert_near(functions.items.items[0].share[1], 50 / 70.);
	/* jump taken less, jump not taken and f_jmp more */
	assert_near(functions.items.items[0].lost, 2 * (10 / 70. - 10 / 130.));
	assert_near(functions.items.items[1].lost, 0);
	vector_deinit(&functions.items);
}

static void test_by_hand(void **state)
{
	(void)state;
	compared(check_by_hand, true);
}

static void check_without_returns(const struct edges *edges, const struct edge_score *s)
{
	assert_int_equal(edges->items.count, 4);
	assert_true(edges->without_returns);
	assert_near(s->branch, 10 / 40. + 10 / 80. + .5);
	assert_near(s->call, 1);
}

static void test_without_returns(void **state)
{
	(void)state;
	compared(check_without_returns, false);
}

static void branch(struct branch_profile *p, uint64_t from, uint64_t to, uint64_t count)
{
	assert_int_equal(branch_profile_add_branch(p, from, to, count, 0), 0);
}

static void range(struct branch_profile *p, uint64_t begin, uint64_t end, uint64_t count)
{
	assert_int_equal(branch_profile_add_range(p, begin, end, count), 0);
}

/* callgrind sees a jump to the next instruction neither when it is made nor when it is not. */
static void test_without_jumps_to_next(void **state)
{
	struct branch_profile whole = {0}, exact = {0};
	struct edges edges = {0};
	struct edge_score score;

	(void)state;
	branch(&whole, VA(h), VA(h_next), 10);
	branch(&whole, VA(h_next), VA(h_loop), 4);
	branch(&whole, VA(h_loop), VA(h), 7);
	branch(&exact, VA(h_loop), VA(h), 7);
	range(&whole, VA(h), VA(h), 10);
	range(&whole, VA(h_next), VA(h_next), 4);
	range(&whole, VA(h_next), VA(h_loop), 6);
	range(&whole, VA(h_loop), VA(h_loop), 1);
	range(&whole, VA(h_loop), VA(h_ret), 3);
	range(&exact, VA(h), VA(h), 10);
	range(&exact, VA(h_next), VA(h_loop), 7);
	range(&exact, VA(h_next), VA(h_ret), 3);
	assert_int_equal(edges_make(&edges, binary, &whole, &exact, NULL), 0);
	assert_true(edges.without_jumps_to_next);
	assert_int_equal(edges.items.count, 2); /* of h_loop: taken and not */
	assert_int_equal(edge_score_compare(&edges, 1, &score), 0);
	assert_near(score.edge, 1);
	assert_near(score.branch, 1);
	assert_near(score.taken_ratio_error, 0);
	edges_deinit(&edges);

	edges = (struct edges){0};
	assert_int_equal(edges_make(&edges, binary, &whole, &whole, NULL), 0);
	assert_false(edges.without_jumps_to_next);
	assert_int_equal(edges.items.count, 5);
	edges_deinit(&edges);
	branch_profile_deinit(&whole);
	branch_profile_deinit(&exact);
}

/* Taken branches are all there is to compare: what else would be said is left out. */
static void test_without_functions(void **state)
{
	struct branch_profile p = {0};
	struct edges edges = {0};
	struct edge_score score;

	(void)state;
	branch(&p, VA(lone_jcc), VA(lone), 3);
	branch(&p, VA(lone_jmp), VA(lone), 1);
	range(&p, VA(lone), VA(lone_jcc), 3);
	range(&p, VA(lone), VA(lone_jmp), 1);
	assert_int_equal(edges_make(&edges, binary, &p, &p, NULL), 0);
	assert_true(edges.without_functions);
	assert_true(edges_note_holds(&edges, EDGES_WITHOUT_FUNCTIONS));
	assert_int_equal(edges.homeless[0], 4);
	assert_int_equal(edge_score_compare(&edges, 1, &score), 0);
	assert_near(score.branch, 1);
	assert_true(isnan(score.edge) && isnan(score.function) && isnan(score.within));
	assert_true(isnan(score.jump) && isnan(score.taken_ratio_error));
	edges_deinit(&edges);

	edges = (struct edges){0};
	branch(&p, VA(f_call), VA(g), 1);
	assert_int_equal(edges_make(&edges, binary, &p, &p, NULL), 0);
	assert_false(edges.without_functions);
	assert_int_equal(edges.homeless[0], 4);
	edges_deinit(&edges);
	branch_profile_deinit(&p);
}

/* The same counts but for their scale, and nothing in common at all. */
static void test_extremes(void **state)
{
	struct branch_profile a = {0}, b = {0}, none = {0};
	struct edges same = {0}, empty = {0};
	struct edge_score score;

	(void)state;
	run(&a, 30, 10, true);
	run(&b, UINT64_C(3) << 60, UINT64_C(1) << 60, true);
	assert_int_equal(edges_make(&same, binary, &a, &b, NULL), 0);
	assert_int_equal(edge_score_compare(&same, 0, &score), 0);
	assert_near(score.edge, 1);
	assert_near(score.within, 1);
	assert_near(score.taken_ratio_error, 0);
	edges_deinit(&same);
	assert_int_equal(edges_make(&empty, binary, &a, &none, NULL), 0);
	assert_int_equal(edge_score_compare(&empty, 1, &score), 0);
	assert_near(score.edge, 0);
	assert_near(score.within, 0);
	assert_near(score.taken_ratio_covered, 0);
	edges_deinit(&empty);
	branch_profile_deinit(&a);
	branch_profile_deinit(&b);
}

static void test_out_of_memory(void **state)
{
	struct branch_profile a = {0}, b = {0};
	bool failed = true;

	(void)state;
	run(&a, 30, 10, true);
	run(&b, 10, 10, true);
	for (size_t n = 1; failed; n++) {
		struct edges edges = {0};
		struct edge_score score;

		memory_fail_at(n);
		failed = edges_make(&edges, binary, &a, &b, NULL) ||
			 edge_score_compare(&edges, 1, &score);
		memory_fail_at(0);
		edges_deinit(&edges);
		assert_true(n < 1000);
	}
	branch_profile_deinit(&a);
	branch_profile_deinit(&b);
}

/* ---- source profiles: the example of docs/scores.md ------------------------------------------ */

static void body(struct source_profile *p, const char *name, int32_t line, uint64_t count)
{
	struct source_function *f = source_profile_function(p, strings_add_text(p->strings, name));

	source_function_line(f, (struct source_position){line, 0})->count = count;
}

static void first_source(struct source_profile *p)
{
	struct source_function *foo;

	assert_int_equal(source_profile_init(p), 0);
	body(p, "foo", 1, 400);
	body(p, "foo", 2, 100);
	foo = source_profile_function(p, strings_add_text(p->strings, "foo"));
	foo = source_function_callee(foo, (struct source_position){3, 0},
				     strings_add_text(p->strings, "inl"));
	source_function_line(foo, (struct source_position){0, 0})->count = 200;
	body(p, "bar", 1, 300);
	assert_int_equal(source_profile_sort(p), 0);
}

static void second_source(struct source_profile *p)
{
	assert_int_equal(source_profile_init(p), 0);
	body(p, "bar", 9, 50);
	body(p, "foo", 1, 100);
	body(p, "qux", 1, 49);
	body(p, "qux", 2, 1);
	assert_int_equal(source_profile_sort(p), 0);
}

static void test_source_by_hand(void **state)
{
	struct source_profile a, b;
	struct source_comparison c;
	const struct source_similarity *l = &c.score.llvm;

	(void)state;
	first_source(&a);
	second_source(&b);
	assert_int_equal(source_score_compare(&a, &b, 1, &c), 0);
	assert_near(c.score.function, .5 + .25);
	assert_near(c.score.line, .4);
	assert_true(isnan(c.score.call));
	/* foo: |4/7 - 1| + 1/7 + 2/7 apart; bar: 2 apart, that is 0 */
	assert_near(l->program, (2 - 6 / 7.) / 2 * (1 - .2) * (.7 + .5) / 2);
	assert_near(l->samples, 100 / 1100.);
	assert_near(l->unique[0], .6);
	assert_near(l->unique[1], .5);
	assert_near(l->functions, 2 / 3.);
	assert_int_equal(c.pairs.count, 3);
	assert_string_equal(strings_text(c.names, c.pairs.items[1].name), "foo");
	assert_near(c.pairs.items[1].line, 4 / 7.);
	assert_near(c.pairs.items[1].lost, .5 - .4);
	source_score_deinit(&c);
	source_profile_deinit(&a);
	source_profile_deinit(&b);
}

static void test_flatten(void **state)
{
	struct source_profile a, flat;
	struct source_function *f;

	(void)state;
	first_source(&a);
	assert_int_equal(source_flatten_profile(&a, &flat), 0);
	assert_int_equal(flat.functions.count, 3);
	assert_string_equal(strings_text(flat.strings, flat.functions.items[2].name), "inl");
	assert_int_equal(source_function_total(&flat.functions.items[2]), 200);
	f = &flat.functions.items[1];
	assert_int_equal(f->callsites.count, 0);
	assert_int_equal(f->lines.count, 3);
	assert_int_equal(f->lines.items[2].at.line, 3);
	assert_int_equal(f->lines.items[2].count, 200);
	assert_int_equal(f->lines.items[2].targets.count, 1);
	source_profile_deinit(&flat);
	source_profile_deinit(&a);
}

static void test_source_out_of_memory(void **state)
{
	struct source_profile a, b, flat;
	struct source_comparison c;
	bool failed = true;

	(void)state;
	first_source(&a);
	second_source(&b);
	for (size_t n = 1; failed; n++) {
		memory_fail_at(n);
		failed = source_score_compare(&a, &b, 1, &c);
		memory_fail_at(0);
		source_score_deinit(&c);
		assert_true(n < 1000);
	}
	failed = true;
	for (size_t n = 1; failed; n++) {
		memory_fail_at(n);
		failed = source_flatten_profile(&a, &flat);
		memory_fail_at(0);
		source_profile_deinit(&flat);
		assert_true(n < 1000);
	}
	source_profile_deinit(&a);
	source_profile_deinit(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_without_returns),
		cmocka_unit_test(test_without_jumps_to_next),
		cmocka_unit_test(test_without_functions),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_out_of_memory),
		cmocka_unit_test(test_source_by_hand),
		cmocka_unit_test(test_flatten),
		cmocka_unit_test(test_source_out_of_memory),
	};

	return cmocka_run_group_tests(tests, setup, assembled_remove);
}
