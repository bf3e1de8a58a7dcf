/* SPDX-License-Identifier: MIT */
/* converter/gcc/counters/jump_constraints.c: which way of a block's condition a jump takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>

#include "converter/gcc/counters/constraints.h"
#include "tests/unit/made_graph.h"

#define JUMP   0x100 /* behind it the code at NEXT, and elsewhere that at TARGET */
#define NEXT   0x102
#define TARGET 0x200
#define JOIN   0x300

/*
 * Block 2 goes to 3 (line 11) or 4 (line 12) by the condition at 10:5; both go to 5 (line 13). The
 * arcs 1 and 2 are its ways.
 */
struct made {
	struct gcc_graph graph;
	struct notes_index keys;
	struct attributions attributions;
	struct jump_constraints constraints;
};

static void make(struct made *m, uint32_t arms_with_statements)
{
	struct gcc_function *f;

	*m = (struct made){0};
	made_graph_init(&m->graph);
	f = made_function(&m->graph, "f", "f.c", 6, true);
	made_arc(f, 0, 2, 0);
	made_arc(f, 2, 3, 0);
	made_arc(f, 2, 4, 0);
	made_arc(f, 3, 5, 0);
	made_arc(f, 4, 5, 0);
	made_arc(f, 5, 1, 0);
	made_condition(&m->graph, f, 2, "f.c", 10, 5);
	for (uint32_t arm = 0; arm < arms_with_statements; arm++)
		made_statement(&m->graph, f, 3 + arm, "f.c", 11 + arm, 3);
	made_statement(&m->graph, f, 5, "f.c", 13, 3);
	made_index(&m->keys, &m->graph);
	assert_int_equal(
		contexts_add(&m->attributions.contexts, &(struct context){.parent = CONTEXT_NONE}),
		0);
}

/* Machine code, in the order of addresses; each address begins a block. */
static void code(struct made *m, uint64_t address, uint32_t line, uint32_t column, uint32_t context)
{
	struct attributed_instruction *i = vector_push(&m->attributions.code);

	assert_non_null(i);
	*i = (struct attributed_instruction){.address = address,
					     .place = made_place(&m->keys, "f.c", line, column),
					     .context = context,
					     .block = (uint32_t)address};
}

static struct attributed_jump jump(const struct made *m)
{
	return (struct attributed_jump){.place = made_place(&m->keys, "f.c", 10, 5),
					.discriminator = ATTRIBUTION_NO_DISCRIMINATOR,
					.target = TARGET,
					.next = NEXT,
					.taken = 70,
					.not_taken = 30};
}

static int add(struct made *m, const struct attributed_jump *j)
{
	if (!m->constraints.ways.f && /* of the graph as the test has made it */
	    jump_constraints_init(&m->constraints, m->keys.functions.items))
		return -1;
	return jump_constraints_add(&m->constraints, &m->attributions, j);
}

/* Of the arc to block 3, and that to 4; -1: nothing is known. */
static void check_counts(const struct made *m, int64_t first, int64_t second)
{
	int64_t counts[2] = {-1, -1};
	const struct jump_count *c;

	vector_each (&m->constraints.items, c) {
		assert_int_equal(c->block, 2);
		assert_in_range(c->arc, 1, 2);
		counts[c->arc - 1] = (int64_t)c->count;
	}
	assert_int_equal(counts[0], first);
	assert_int_equal(counts[1], second);
}

static void unmake(struct made *m)
{
	jump_constraints_deinit(&m->constraints);
	contexts_deinit(&m->attributions.contexts);
	vector_deinit(&m->attributions.code);
	notes_index_deinit(&m->keys);
	gcc_graph_deinit(&m->graph);
}

static void by_the_code_at_both_ends(void **state)
{
	(void)state;
	for (int turned = 0; turned < 2; turned++) {
		struct made m;
		struct attributed_jump j;

		make(&m, 2);
		code(&m, NEXT, turned ? 11 : 12, 3, 0);
		code(&m, TARGET, turned ? 12 : 11, 3, 0);
		j = jump(&m);
		assert_int_equal(add(&m, &j), 0);
		check_counts(&m, turned ? 30 : 70, turned ? 70 : 30);
		/* copies of the jump add up */
		assert_int_equal(add(&m, &j), 0);
		check_counts(&m, turned ? 60 : 140, turned ? 140 : 60);
		unmake(&m);
	}
}

/* One end is enough; code that both have, or neither has, says nothing. */
static void by_one_end_and_by_none(void **state)
{
	struct made m;
	struct attributed_jump j;

	(void)state;
	make(&m, 2);
	code(&m, NEXT, 13, 3, 0);
	code(&m, TARGET, 12, 3, 0);
	j = jump(&m);
	assert_int_equal(add(&m, &j), 0);
	check_counts(&m, 30, 70);
	unmake(&m);
	make(&m, 2);
	code(&m, NEXT, 12, 3, 0);
	code(&m, TARGET, 12, 3, 0);
	assert_int_equal(add(&m, &j), 0);
	check_counts(&m, -1, -1);
	unmake(&m);
}

/* The next condition is there twice, and an arm behind one of the copies. */
static void by_what_is_behind_the_ends(void **state)
{
	(void)state;
	for (int turned = 0; turned < 2; turned++) {
		struct made m;
		struct attributed_jump j;

		make(&m, 1);
		m.graph.functions.items[0].arcs.items[2].to = 5; /* block 3 is the only arm */
		code(&m, NEXT, 13, 3, 0);
		code(&m, NEXT + 2, turned ? 11 : 900, 3, 0);
		code(&m, TARGET, 13, 3, 0);
		code(&m, TARGET + 2, turned ? 900 : 11, 3, 0);
		j = jump(&m);
		assert_int_equal(add(&m, &j), 0);
		check_counts(&m, turned ? 30 : 70, turned ? 70 : 30);
		unmake(&m);
		/* but not where that block does not go on there */
		make(&m, 1);
		m.graph.functions.items[0].arcs.items[2].to = 5;
		code(&m, NEXT, 13, 3, 0);
		m.attributions.code.items[0].jumps_to = ATTRIBUTED_ELSEWHERE;
		code(&m, NEXT + 2, 11, 3, 0);
		code(&m, TARGET, 13, 3, 0);
		assert_int_equal(add(&m, &j), 0);
		check_counts(&m, -1, -1);
		unmake(&m);
	}
}

/* What is behind both ways may be copied to one end: an arm says more. */
static void an_arm_says_more_than_what_is_behind_both(void **state)
{
	struct made m;
	struct attributed_jump j;

	(void)state;
	make(&m, 1);
	m.graph.functions.items[0].arcs.items[2].to = 5;
	code(&m, NEXT, 900, 3, 0);
	code(&m, TARGET, 13, 3, 0);
	code(&m, TARGET + 2, 11, 3, 0);
	j = jump(&m);
	assert_int_equal(add(&m, &j), 0);
	check_counts(&m, 70, 30);
	unmake(&m);
}

/* What is inlined at a call stands for the call. */
static void by_what_is_inlined_there(void **state)
{
	struct made m;
	struct attributed_jump j;
	uint32_t inlined;

	(void)state;
	make(&m, 2);
	inlined = contexts_add(&m.attributions.contexts,
			       &(struct context){.parent = 0, .name = 1, .line = 12, .column = 3});
	code(&m, NEXT, 900, 1, 0);
	code(&m, TARGET, 901, 1, inlined);
	j = jump(&m);
	assert_int_equal(add(&m, &j), 0);
	check_counts(&m, 30, 70);
	unmake(&m);
}

/* Of two arms without statements one is a block of its own, which comes back to the other way. */
static void by_where_code_goes_on(void **state)
{
	(void)state;
	for (int jumps = 0; jumps < 2; jumps++) {
		struct made m;
		struct attributed_jump j;
		struct gcc_function *f;

		make(&m, 0);
		f = m.graph.functions.items;
		f->arcs.items[2].to = 5; /* block 3 is the only arm */
		code(&m, NEXT, 0, 0, 0);
		code(&m, TARGET, 13, 3, 0);
		code(&m, JOIN, 13, 3, 0);
		j = jump(&m);
		if (jumps) /* the target's code comes back to what is behind the jump */
			m.attributions.code.items[1].jumps_to = NEXT;
		assert_int_equal(add(&m, &j), 0);
		check_counts(&m, jumps ? -1 : 30, jumps ? -1 : 70);
		unmake(&m);
	}
}

static void of_no_block(void **state)
{
	struct made m;
	struct attributed_jump j;

	(void)state;
	make(&m, 2);
	code(&m, NEXT, 12, 3, 0);
	code(&m, TARGET, 11, 3, 0);
	j = jump(&m);
	j.place.column = 6; /* none is there */
	assert_int_equal(add(&m, &j), 0);
	j = jump(&m);
	j.place.line = 11; /* a statement, but no condition */
	j.place.column = 3;
	assert_int_equal(add(&m, &j), 0);
	j = jump(&m);
	j.target = TARGET + 1; /* in the middle of a machine block */
	assert_int_equal(add(&m, &j), 0);
	check_counts(&m, -1, -1);
	unmake(&m);
}

/* A switch has more than two. */
static void of_more_ways(void **state)
{
	struct made m;
	struct attributed_jump j;

	(void)state;
	make(&m, 2);
	made_arc(m.graph.functions.items, 2, 5, 0);
	code(&m, NEXT, 12, 3, 0);
	code(&m, TARGET, 11, 3, 0);
	j = jump(&m);
	assert_int_equal(add(&m, &j), 0);
	check_counts(&m, -1, -1);
	m.graph.functions.items->arcs.items[6].flags = GCC_ARC_FAKE;
	jump_constraints_deinit(&m.constraints);
	assert_int_equal(add(&m, &j), 0);
	check_counts(&m, 70, 30);
	unmake(&m);
}

/* Block 2 goes to 3 or 4, 3 to 4 or 5, 4 to 5: one jump at JUMP, made from the condition of 2 or of
 * 3, tests both. Arcs: 1 2-3, 2 2-4, 3 3-5, 4 3-4. */
static void make_together(struct made *m)
{
	struct gcc_function *f;

	*m = (struct made){0};
	made_graph_init(&m->graph);
	f = made_function(&m->graph, "f", "f.c", 6, true);
	made_arc(f, 0, 2, 0);
	made_arc(f, 2, 3, 0);
	made_arc(f, 2, 4, 0);
	made_arc(f, 3, 5, 0);
	made_arc(f, 3, 4, 0);
	made_arc(f, 4, 1, 0);
	made_arc(f, 5, 4, 0);
	made_condition(&m->graph, f, 2, "f.c", 9, 5);
	made_condition(&m->graph, f, 3, "f.c", 10, 5);
	made_statement(&m->graph, f, 2, "f.c", 8, 3);
	made_statement(&m->graph, f, 4, "f.c", 13, 3);
	made_statement(&m->graph, f, 5, "f.c", 11, 3);
	made_index(&m->keys, &m->graph);
	assert_int_equal(
		contexts_add(&m->attributions.contexts, &(struct context){.parent = CONTEXT_NONE}),
		0);
	assert_non_null(vector_push(&m->attributions.functions));
	m->attributions.functions.items[0] = (struct attributed_function){0};
	code(m, JUMP - 2, 8, 3, 0);
	code(m, JUMP, 10, 5, 0);
	m->attributions.code.items[1].block = m->attributions.code.items[0].block;
	code(m, NEXT, 11, 3, 0);
	code(m, TARGET, 13, 3, 0);
}

static struct attributed_jump *note_jump(struct made *m, uint64_t address, uint32_t line,
					 uint64_t taken, uint64_t not_taken)
{
	struct attributed_jump *slot = vector_push(&m->attributions.jumps);

	assert_non_null(slot);
	*slot = jump(m);
	slot->place = made_place(&m->keys, "f.c", line, 5);
	slot->address = address;
	slot->taken = taken;
	slot->not_taken = not_taken;
	m->attributions.functions.items[0].jumps++;
	return slot;
}

static void unmake_together(struct made *m)
{
	vector_deinit(&m->attributions.jumps);
	vector_deinit(&m->attributions.functions);
	unmake(m);
}

static uint64_t count_of(const struct made *m, uint32_t arc)
{
	const struct jump_count *c;

	vector_each (&m->constraints.items, c)
		if (c->arc == arc)
			return c->count;
	return UINT64_MAX;
}

/* What is known of two conditions is how often both hold: each is taken to hold as often as the
 * other. */
static void two_conditions_that_one_jump_tests(void **state)
{
	(void)state;
	for (uint32_t line = 9; line <= 10; line++) { /* whose place the jump has */
		struct made m;

		make_together(&m);
		note_jump(&m, JUMP, line, 96, 4);
		assert_int_equal(add(&m, m.attributions.jumps.items), 0);
		assert_int_equal(count_of(&m, 1), 20);
		assert_int_equal(count_of(&m, 3), 4);
		assert_int_equal(count_of(&m, 4), UINT64_MAX);
		unmake_together(&m);
	}
}

/* With a jump of its own for the other one, wherever, each tells of its own condition. */
static void two_conditions_with_two_jumps(void **state)
{
	struct made m;

	(void)state;
	make_together(&m);
	note_jump(&m, JUMP, 10, 96, 4);
	note_jump(&m, 0x500, 9, 1, 1);
	assert_int_equal(add(&m, m.attributions.jumps.items), 0);
	assert_int_equal(count_of(&m, 1), UINT64_MAX);
	assert_int_equal(count_of(&m, 3), 4);
	assert_int_equal(count_of(&m, 4), 96);
	unmake_together(&m);
}

/* Two jumps of one place, the second behind the first: how often both hold the second one says. */
static void two_conditions_with_jumps_of_one_place(void **state)
{
	struct made m;

	(void)state;
	make_together(&m);
	note_jump(&m, JUMP, 10, 60, 40);
	note_jump(&m, NEXT, 10, 36, 4);
	assert_int_equal(add(&m, m.attributions.jumps.items), 0);
	assert_int_equal(count_of(&m, 1), 40);
	assert_int_equal(count_of(&m, 3), UINT64_MAX);
	unmake_together(&m);
}

static void without_memory(void **state)
{
	struct made m;
	struct attributed_jump j;

	(void)state;
	make(&m, 2);
	code(&m, NEXT, 12, 3, 0);
	code(&m, TARGET, 11, 3, 0);
	j = jump(&m);
	for (unsigned n = 1;; n++) {
		int rc;

		memory_fail_at(n);
		rc = add(&m, &j);
		memory_fail_at(0);
		if (!rc) {
			assert_true(n > 5);
			break;
		}
		jump_constraints_deinit(&m.constraints);
	}
	check_counts(&m, 70, 30);
	unmake(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_the_code_at_both_ends),
		cmocka_unit_test(by_one_end_and_by_none),
		cmocka_unit_test(by_what_is_behind_the_ends),
		cmocka_unit_test(an_arm_says_more_than_what_is_behind_both),
		cmocka_unit_test(by_what_is_inlined_there),
		cmocka_unit_test(by_where_code_goes_on),
		cmocka_unit_test(of_no_block),
		cmocka_unit_test(of_more_ways),
		cmocka_unit_test(two_conditions_that_one_jump_tests),
		cmocka_unit_test(two_conditions_with_two_jumps),
		cmocka_unit_test(two_conditions_with_jumps_of_one_place),
		cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
