/* SPDX-License-Identifier: MIT */
/* converter/gcc/counters/notes_index.h: functions of several objects by name and file, blocks by
 * place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>

#include "tests/unit/made_graph.h"

/*
 * a.o: main, pick of a.c, an inline function of C++ of both, and two static ones of both, one of
 * which calls the other; b.o: pick of b.c, the same inline function, a function without a dump, a
 * constructor, the static ones.
 */
struct objects {
	struct gcc_graph a, b;
	struct notes_index keys;
};

static void make_shared(struct gcc_graph *g, uint32_t checksum)
{
	struct gcc_function *f = made_function(g, "_Z6sharedv", "inc/shared.h", 3, true);

	f->cfg_checksum = checksum;
	made_arc(f, 0, 2, 0);
	made_arc(f, 2, 1, 0);
	made_statement(g, f, 2, "inc/shared.h", 4, 1);
}

static void make_local(struct gcc_graph *g)
{
	struct gcc_function *f = made_function(g, "local", "inc/local.h", 3, true);

	made_statement(g, f, 2, "inc/local.h", 4, 1);
	made_call(g, f, 2, "inner", 4, 1);
	made_function(g, "inner", "inc/local.h", 9, true);
}

static void make_graphs(struct objects *o)
{
	struct gcc_function *f;

	made_graph_init(&o->a);
	made_graph_init(&o->b);
	f = made_function(&o->a, "main", "src/a.c", 6, true);
	made_statement(&o->a, f, 4, "src/a.c", 10, 7);
	made_statement(&o->a, f, 2, "src/a.c", 10, 3);
	made_statement(&o->a, f, 3, "src/a.c", 10, 3);
	made_statement(&o->a, f, 3, "src/a.c", 10, 3); /* twice in one block */
	made_statement(&o->a, f, 2, "/other/b.c", 10, 3);
	made_statement(&o->a, f, 2, "src/a.c", 0, 0);	/* nowhere */
	made_statement(&o->a, f, 99, "src/a.c", 11, 1); /* of no block */
	f->blocks.items[2].discriminator = 1;
	f->blocks.items[3].discriminator = 5;
	f->blocks.items[4].computed_goto = true;
	made_condition(&o->a, f, 4, "src/a.c", 12, 2);
	made_call(&o->a, f, 4, "pick", 12, 9);
	made_call(&o->a, f, 2, "pick", 12, 9);
	made_call(&o->a, f, 2, NULL, 12, 1);
	made_call(&o->a, f, 2, "puts", 10, 3);
	made_function(&o->a, "pick", "src/a.c", 2, true);
	make_shared(&o->a, 77);
	make_local(&o->a);
	made_function(&o->b, "pick", "src/b.c", 2, true);
	make_shared(&o->b, 77);
	f = made_function(&o->b, "lines", "src/b.c", 4, false);
	for (uint32_t block = 3; block >= 2; block--) {
		struct gcc_line *l = vector_push(&f->lines);

		assert_non_null(l);
		*l = (struct gcc_line){block, made_text(&o->b, "src/b.c"), 20};
	}
	made_function(&o->b, "_ZN3oneC2Ei", "src/b.cc", 2, true);
	make_local(&o->b);
}

static int index_all(struct objects *o)
{
	return notes_index_add(&o->keys, &o->a, 0) || notes_index_add(&o->keys, &o->b, 1) ||
			       notes_index_finish(&o->keys)
		       ? -1
		       : 0;
}

static int make(void **state)
{
	struct objects *o = memory_alloc(sizeof(*o));

	assert_non_null(o);
	make_graphs(o);
	assert_int_equal(index_all(o), 0);
	*state = o;
	return 0;
}

static int unmake(void **state)
{
	struct objects *o = *state;

	notes_index_deinit(&o->keys);
	gcc_graph_deinit(&o->a);
	gcc_graph_deinit(&o->b);
	memory_free(o);
	return 0;
}

static uint32_t file(const struct objects *o, const char *name)
{
	return made_place(&o->keys, name, 0, 0).file;
}

enum {
	MAIN,
	PICK_A,
	SHARED_A,
	LOCAL_A,
	INNER_A,
	PICK_B,
	SHARED_B,
	LINES,
	CONSTRUCTOR,
	LOCAL_B,
	INNER_B,
	FUNCTIONS
};

static void by_name(void **state)
{
	const struct objects *o = *state;
	const struct notes_index *k = &o->keys;

	assert_int_equal(k->functions.count, FUNCTIONS);
	assert_int_equal(notes_index_find(k, "main", 0, NOTES_NONE), MAIN);
	assert_int_equal(notes_index_find(k, "pick", file(o, "b.c"), NOTES_NONE), PICK_B);
	assert_int_equal(notes_index_find(k, "pick", file(o, "a.c"), NOTES_NONE), PICK_A);
	assert_int_equal(notes_index_find(k, "pick", 0, NOTES_NONE), PICK_A);
	assert_int_equal(notes_index_find(k, "pick", file(o, "shared.h"), NOTES_NONE), PICK_A);
	assert_int_equal(notes_index_find(k, "mai", 0, NOTES_NONE), NOTES_NONE);
	assert_int_equal(notes_index_find(k, "", 0, NOTES_NONE), NOTES_NONE);
	assert_int_equal(notes_index_find(k, ".", 0, NOTES_NONE), NOTES_NONE);
	/* clones and parts are the function */
	assert_int_equal(notes_index_find(k, "main.cold", 0, NOTES_NONE), MAIN);
	assert_int_equal(notes_index_find(k, "pick.constprop.0.isra.0", file(o, "b.c"), NOTES_NONE),
			 PICK_B);
	assert_int_equal(notes_index_find(k, "pick.part.0", file(o, "a.c"), NOTES_NONE), PICK_A);
	assert_int_equal(notes_index_find(k, "none.part.0", 0, NOTES_NONE), NOTES_NONE);
	/* the complete object's constructor is the base object's */
	assert_int_equal(notes_index_find(k, "_ZN3oneC1Ei", 0, NOTES_NONE), CONSTRUCTOR);
	assert_int_equal(notes_index_find(k, "_ZN3oneC1Ei.cold", 0, NOTES_NONE), CONSTRUCTOR);
	assert_int_equal(notes_index_find(k, "_ZN3oneC3Ei", 0, NOTES_NONE), NOTES_NONE);
}

/* What is compiled twice is one, unless it differs. */
static void the_same_in_two_objects(void **state)
{
	struct objects *o = *state;
	struct objects other = {0};

	assert_int_equal(o->keys.functions.items[SHARED_B].same_as, SHARED_A);
	assert_int_equal(o->keys.functions.items[SHARED_A].same_as, SHARED_A);
	assert_int_equal(o->keys.functions.items[PICK_B].same_as, PICK_B);
	assert_int_equal(o->keys.functions.items[SHARED_B].object, 1);
	make_graphs(&other);
	other.b.functions.items[1].cfg_checksum++;
	assert_int_equal(index_all(&other), 0);
	assert_int_equal(other.keys.functions.items[SHARED_B].same_as, SHARED_B);
	notes_index_deinit(&other.keys);
	gcc_graph_deinit(&other.a);
	gcc_graph_deinit(&other.b);
}

/* A static function of a header is one of each object, described once. */
static void local_to_two_objects(void **state)
{
	struct objects *o = *state;
	const struct notes_index *k = &o->keys;
	const struct notes_function *a = &k->functions.items[LOCAL_A], *b = a - LOCAL_A + LOCAL_B;

	assert_int_equal(notes_index_find(k, "local", 0, 0), LOCAL_A);
	assert_int_equal(notes_index_find(k, "local", file(o, "local.h"), 1), LOCAL_B);
	assert_int_equal(notes_index_find(k, "local.isra.0", 0, 1), LOCAL_B);
	assert_int_equal(notes_index_find(k, "local", 0, NOTES_NONE), LOCAL_A);
	assert_int_equal(notes_index_find(k, "_Z6sharedv", 0, 1), SHARED_A);
	assert_int_equal(b->same_as, LOCAL_B);
	assert_int_equal(b->described_by, LOCAL_A);
	assert_int_equal(b->calls.count, 1);
	assert_int_equal(notes_index_callee(k, a, a->calls.items), INNER_A);
	assert_int_equal(notes_index_callee(k, b, b->calls.items), INNER_B);
	assert_int_equal(notes_index_only_object(k, LOCAL_B, file(o, "local.h")), NOTES_NONE);
	assert_int_equal(notes_index_only_object(k, PICK_A, 0), NOTES_NONE);
	assert_int_equal(notes_index_only_object(k, PICK_B, file(o, "a.c")), NOTES_NONE);
	assert_int_equal(notes_index_only_object(k, PICK_B, file(o, "b.c")), 1);
	assert_int_equal(notes_index_only_object(k, LINES, 0), 1);
}

/* Static functions of C++ and those of unnamed namespaces: debug information has their plain name.
 */
static void local_functions_of_cpp(void **state)
{
	static const char *const names[] = {"_ZL4pickv", "_ZN12_GLOBAL__N_14lostEi", "_Z6sharedv"};
	struct gcc_graph graphs[2] = {{0}};
	struct notes_index k = {0};
	uint32_t h;

	(void)state;
	for (uint32_t object = 0; object < 2; object++) {
		made_graph_init(&graphs[object]);
		for (uint32_t i = 0; i < 3; i++)
			made_function(&graphs[object], names[i], "h.h", 3, true)->line = 10 + i;
		made_function(&graphs[object], object ? "b" : "a", object ? "b.cc" : "a.cc", 3,
			      true);
	}
	for (uint32_t object = 0; object < 2; object++)
		assert_int_equal(notes_index_add(&k, &graphs[object], object), 0);
	assert_int_equal(notes_index_finish(&k), 0);
	h = strings_find(k.strings, "h.h", 3);
	assert_int_equal(notes_index_find_unnamed(&k, "pick", h, 10, 0), 0);
	assert_int_equal(notes_index_find_unnamed(&k, "pick", h, 10, 1), 4);
	assert_int_equal(notes_index_find_unnamed(&k, "lost", h, 11, 1), 5);
	/* which object's is not known; another name, another line; one that is shared */
	assert_int_equal(notes_index_find_unnamed(&k, "pick", h, 10, NOTES_NONE), NOTES_NONE);
	assert_int_equal(notes_index_find_unnamed(&k, "picks", h, 10, 0), NOTES_NONE);
	assert_int_equal(notes_index_find_unnamed(&k, "pick", h, 11, 0), NOTES_NONE);
	assert_int_equal(notes_index_find_unnamed(&k, "shared", h, 12, 0), NOTES_NONE);
	notes_index_deinit(&k);
	for (uint32_t object = 0; object < 2; object++)
		gcc_graph_deinit(&graphs[object]);
}

static void by_place(void **state)
{
	const struct objects *o = *state;
	const struct notes_function *f = &o->keys.functions.items[MAIN];
	const struct notes_at *at;
	size_t n;

	assert_int_equal(f->at.count, 5);
	at = notes_function_at(f, made_place(&o->keys, "a.c", 10, 3), &n);
	assert_int_equal(n, 2);
	assert_int_equal(at[0].block, 2);
	assert_int_equal(at[1].block, 3);
	at = notes_function_at_exactly(f, at->place, 5, &n);
	assert_int_equal(n, 1);
	assert_int_equal(at->block, 3);
	notes_function_at_exactly(f, at->place, 2, &n);
	assert_int_equal(n, 0);
	at = notes_function_at(f, made_place(&o->keys, "b.c", 10, 3), &n);
	assert_int_equal(n, 1);
	assert_int_equal(at->block, 2);
	notes_function_at(f, made_place(&o->keys, "a.c", 10, 4), &n);
	assert_int_equal(n, 0);
	notes_function_at(f, made_place(&o->keys, "a.c", 99, 0), &n);
	assert_int_equal(n, 0);
	assert_true(f->computed_goto);
	assert_int_equal(f->blocks.items[4].condition.line, 12);
	assert_int_equal(f->blocks.items[2].condition.line, 0);
}

static void by_line_without_a_dump(void **state)
{
	const struct objects *o = *state;
	const struct notes_function *f = &o->keys.functions.items[LINES];
	const struct notes_at *at;
	size_t n;

	at = notes_function_at(f, made_place(&o->keys, "b.c", 20, 0), &n);
	assert_int_equal(n, 2);
	assert_int_equal(at[0].block, 2);
	assert_int_equal(at[1].block, 3);
	assert_int_equal(f->blocks.count, 0);
}

static void calls(void **state)
{
	const struct objects *o = *state;
	const struct notes_function *f = &o->keys.functions.items[MAIN];
	const struct notes_call *c;
	size_t n;

	c = notes_function_calls(f, 12, 9, &n);
	assert_int_equal(n, 2);
	assert_int_equal(c[0].block, 2);
	assert_int_equal(c[1].block, 4);
	assert_int_equal(c[0].callee, PICK_A); /* of its own file */
	c = notes_function_calls(f, 12, 1, &n);
	assert_int_equal(n, 1);
	assert_int_equal(c->callee, NOTES_NONE);
	c = notes_function_calls(f, 10, 3, &n);
	assert_int_equal(n, 1);
	assert_int_equal(c->callee, NOTES_NONE);
	notes_function_calls(f, 12, 2, &n);
	assert_int_equal(n, 0);
}

/* All columns of a function are one then, and those of the others stay. */
static void without_columns(void **state)
{
	struct objects o = {0};
	const struct notes_function *f;
	size_t n;

	(void)state;
	make_graphs(&o);
	assert_int_equal(index_all(&o), 0);
	f = &o.keys.functions.items[MAIN];
	notes_function_at(f, made_place(&o.keys, "a.c", 10, 77), &n);
	assert_int_equal(n, 0);
	notes_index_drop_columns(&o.keys, MAIN);
	notes_index_share_descriptions(&o.keys);
	for (uint32_t column = 0; column < 100; column += 77) { /* whatever the program's are */
		notes_function_at(f, made_place(&o.keys, "a.c", 10, column), &n);
		assert_int_equal(n, 3);
		notes_function_calls(f, 12, column, &n);
		assert_int_equal(n, 3);
	}
	f = &o.keys.functions.items[LOCAL_B];
	notes_function_at(f, made_place(&o.keys, "local.h", 4, 0), &n);
	assert_int_equal(n, 0);
	notes_index_drop_columns(&o.keys, LOCAL_B);
	notes_index_share_descriptions(&o.keys);
	notes_function_at(f, made_place(&o.keys, "local.h", 4, 0), &n);
	assert_int_equal(n, 1);
	notes_index_deinit(&o.keys);
	gcc_graph_deinit(&o.a);
	gcc_graph_deinit(&o.b);
}

static void without_memory(void **state)
{
	struct objects o = {0};
	size_t needs;

	(void)state;
	make_graphs(&o);
	memory_fail_at(0);
	assert_int_equal(index_all(&o), 0);
	notes_index_deinit(&o.keys);
	needs = memory_fail_at(0);
	assert_true(needs > 10);
	for (size_t i = 1; i <= needs; i++) {
		o.keys = (struct notes_index){0};
		memory_fail_at(i);
		assert_int_equal(index_all(&o), -1);
		memory_fail_at(0);
		notes_index_deinit(&o.keys);
	}
	gcc_graph_deinit(&o.a);
	gcc_graph_deinit(&o.b);
}

/* b.c was compiled twice, as libtool does; the functions of one differ by @checksum. */
static void index_twice(struct objects *o, struct objects *again, uint32_t checksum)
{
	*o = *again = (struct objects){0};
	make_graphs(o);
	make_graphs(again);
	again->b.functions.items[0].cfg_checksum += checksum;
	assert_int_equal(notes_index_add(&o->keys, &o->a, 0), 0);
	assert_int_equal(notes_index_add(&o->keys, &o->b, 1), 0);
	assert_int_equal(notes_index_add(&o->keys, &again->b, 2), 0);
	assert_int_equal(notes_index_finish(&o->keys), 0);
}

static void end_twice(struct objects *o, struct objects *again)
{
	notes_index_deinit(&o->keys);
	gcc_graph_deinit(&o->a);
	gcc_graph_deinit(&o->b);
	gcc_graph_deinit(&again->a);
	gcc_graph_deinit(&again->b);
}

static void compiled_twice(void **state)
{
	const uint32_t count = FUNCTIONS - PICK_B;
	struct objects o, again;

	(void)state;
	index_twice(&o, &again, 0);
	for (uint32_t i = PICK_B; i < FUNCTIONS; i++)
		assert_int_equal(o.keys.functions.items[i + count].same_as,
				 o.keys.functions.items[i].same_as);
	assert_int_equal(notes_index_find(&o.keys, "pick", file(&o, "b.c"), 2), PICK_B);
	assert_int_equal(notes_index_only_object(&o.keys, PICK_B, file(&o, "b.c")), 1);
	end_twice(&o, &again);
	index_twice(&o, &again, 1);
	/* but what the linker keeps one of */
	for (uint32_t i = FUNCTIONS; i < FUNCTIONS + count; i++)
		assert_int_equal(o.keys.functions.items[i].same_as, i - count == SHARED_B ? SHARED_A
								    : i - count == CONSTRUCTOR
									    ? CONSTRUCTOR
									    : i);
	assert_int_equal(notes_index_only_object(&o.keys, PICK_B, file(&o, "b.c")), NOTES_NONE);
	end_twice(&o, &again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compiled_twice),	   cmocka_unit_test(by_name),
		cmocka_unit_test(the_same_in_two_objects), cmocka_unit_test(local_to_two_objects),
		cmocka_unit_test(local_functions_of_cpp),  cmocka_unit_test(by_place),
		cmocka_unit_test(by_line_without_a_dump),  cmocka_unit_test(calls),
		cmocka_unit_test(without_columns),	   cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
