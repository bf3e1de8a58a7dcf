/* SPDX-License-Identifier: MIT */
/* converter/gcc/files/gcc_dump_loops.c: loops that run the same number of times whenever they are
 * entered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "converter/gcc/files/gcc_dump_parts.h"

struct made {
	struct gcc_function f;
	struct gcc_dump_loops loops;
};

/* Entry 0, exit 1; 2 goes to the head 3, which goes to the body 4 or to 5; 4 comes back. */
static void make(struct made *m, const struct gcc_arc *arcs, size_t count)
{
	*m = (struct made){.f = {.block_count = 7}};
	for (size_t i = 0; i < count; i++) {
		struct gcc_arc *a = vector_push(&m->f.arcs);

		assert_non_null(a);
		*a = arcs[i];
	}
	gcc_dump_loops_begin(&m->loops);
}

static const struct gcc_arc counted[] = {{0, 2, 0}, {2, 3, 0}, {3, 4, 0},
					 {4, 3, 0}, {3, 5, 0}, {5, 1, 0}};

#define COUNTED counted, sizeof(counted) / sizeof(counted[0])

static void line(struct made *m, uint32_t block, const char *text)
{
	const char *end = text + strlen(text);
	struct gimple_line l;

	assert_int_equal(
		gimple_line_parse(&l, (struct text){text, end})
			? gcc_dump_loops_note(&m->loops, block, &l)
			: gcc_dump_loops_note_phi(&m->loops, block, (struct text){text, end}),
		0);
}

/* How often the only loop goes on; 0 = there is none. */
static uint32_t end(struct made *m)
{
	uint32_t times = 0;

	assert_int_equal(gcc_dump_loops_end(&m->loops, &m->f), 0);
	assert_in_range(m->f.loops.count, 0, 1);
	if (m->f.loops.count) {
		times = m->f.loops.items[0].times;
		assert_int_not_equal(times, 0);
	}
	return times;
}

static void unmake(struct made *m)
{
	gcc_dump_loops_deinit(&m->loops);
	vector_deinit(&m->f.arcs);
	vector_deinit(&m->f.loops);
}

/* A loop with its condition at the head, as in the header's example. */
static uint32_t at_head(const char *phi, const char *condition, uint32_t holds, const char *step)
{
	struct made m;
	uint32_t times;

	make(&m, COUNTED);
	line(&m, 4, step);
	line(&m, 3, phi);
	line(&m, 3, condition);
	gcc_dump_loops_note_edge(&m.loops, 3, holds);
	times = end(&m);
	if (times) {
		assert_int_equal(m.f.loops.items[0].from, 3);
		assert_int_equal(m.f.loops.items[0].to, 4);
		assert_int_equal(m.f.loops.items[0].exit, 5);
	}
	unmake(&m);
	return times;
}

#define PHI  "  # i_1 = PHI <[a.c:2:9] 0(2), [a, b(1).c:3:9 discrim 2] i_5(4)>"
#define STEP "  [a.c:3:9] i_5 = i_1 + 1;"

static void with_the_condition_at_the_head(void **state)
{
	(void)state;
	assert_int_equal(at_head(PHI, "  [a.c:3:5] if (i_1 != 4)", 4, STEP), 4);
	assert_int_equal(at_head("  # i_1 = PHI <i_5(4), 1(2)>", "  if (i_1 != 4)", 4, STEP), 3);
	assert_int_equal(at_head(PHI, "  if (i_1 == 4)", 5, STEP), 4);
	assert_int_equal(at_head(PHI, "  if (i_1 <= 6)", 4, "  i_5 = i_1 + 2;"), 4);
	assert_int_equal(at_head(PHI, "  if (i_1 < 7)", 4, "  i_5 = i_1 + 2;"), 4);
	assert_int_equal(
		at_head("  # i_1 = PHI <3(2), i_5(4)>", "  if (i_1 >= 0)", 4, "  i_5 = i_1 + -1;"),
		4);
	assert_int_equal(
		at_head("  # i_1 = PHI <3(2), i_5(4)>", "  if (i_1 > 0)", 4, "  i_5 = i_1 - 1;"),
		3);
	assert_int_equal(at_head("  # i_1 = PHI <7(2), i_5(4)>", "  if (i_1 != 0)", 4,
				 "  i_5 = i_1 + 4294967295;"),
			 7);
}

static void what_is_no_such_loop(void **state)
{
	(void)state;
	assert_int_equal(at_head("  # i_1 = PHI <n_2(2), i_5(4)>", "  if (i_1 != 4)", 4, STEP), 0);
	assert_int_equal(
		at_head("  # i_1 = PHI <0(2), i_5(4), i_5(6)>", "  if (i_1 != 4)", 4, STEP), 0);
	assert_int_equal(at_head(PHI, "  if (i_1 != n_2)", 4, STEP), 0);
	assert_int_equal(at_head(PHI, "  if (i_7 != 4)", 4, STEP), 0);
	assert_int_equal(at_head(PHI, "  if (i_1 != 4)", 4, "  i_5 = i_1 + n_2;"), 0);
	assert_int_equal(at_head(PHI, "  if (i_1 != 4)", 4, "  i_5 = i_1 * 2;"), 0);
	assert_int_equal(at_head(PHI, "  if (i_1 != 4)", 4, "  i_5 = i_2 + 1;"), 0);
	assert_int_equal(at_head(PHI, "  if (i_1 != 4)", 4, "  i_5 = i_1 + 3;"),
			 0);					       /* it misses 4 */
	assert_int_equal(at_head(PHI, "  if (i_1 != 4)", 0, STEP), 0); /* no edges */
	assert_int_equal(at_head("  # i_1 = PHI <0(2), i_5(99)>", "  if (i_1 != 4)", 4, STEP), 0);
	assert_int_equal(at_head("  # i_1 = PHI <0(2), i_5(4", "  if (i_1 != 4)", 4, STEP), 0);
}

/* The body is run first: one block less leads on. */
static void with_the_condition_at_the_end(void **state)
{
	static const struct gcc_arc arcs[] = {{0, 2, 0}, {2, 3, 0}, {3, 4, 0},
					      {4, 3, 0}, {4, 5, 0}, {5, 1, 0}};
	struct made m;

	(void)state;
	make(&m, arcs, 6);
	line(&m, 3, "  # i_1 = PHI <0(2), i_5(4)>");
	line(&m, 4, STEP);
	line(&m, 4, "  if (i_5 != 4)");
	gcc_dump_loops_note_edge(&m.loops, 4, 3);
	assert_int_equal(end(&m), 3);
	assert_int_equal(m.f.loops.items[0].from, 4);
	assert_int_equal(m.f.loops.items[0].to, 3);
	unmake(&m);
}

/* By a `break`, or a `goto` into it. */
static void left_or_entered_elsewhere(void **state)
{
	(void)state;
	for (int entered = 0; entered < 2; entered++) {
		struct made m;
		struct gcc_arc *a;

		make(&m, COUNTED);
		a = vector_push(&m.f.arcs);
		assert_non_null(a);
		*a = entered ? (struct gcc_arc){2, 4, 0} : (struct gcc_arc){4, 5, 0};
		line(&m, 4, STEP);
		line(&m, 3, PHI);
		line(&m, 3, "  if (i_1 != 4)");
		gcc_dump_loops_note_edge(&m.loops, 3, 4);
		assert_int_equal(end(&m), 0);
		unmake(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_the_condition_at_the_head),
		cmocka_unit_test(what_is_no_such_loop),
		cmocka_unit_test(with_the_condition_at_the_end),
		cmocka_unit_test(left_or_entered_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
