/* SPDX-License-Identifier: MIT */
/* converter/cfg/blocks.h and bolt.h on hand-written code, where every block is known by its label.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "converter/bolt/bolt_convert.h"
#include "converter/cfg/blocks.h"
#include "tests/unit/assembled.h"

/* Labels b_* begin blocks; labels n_* do not. */
static const char source[] = ".text\n"
			     ".type f,@function\n"
			     "f: push %rbx\n"
			     "lea table(%rip),%rbx\n"
			     "b_loop: cmp $3,%edi\n"
			     "n_jcc: ja b_default\n"
			     "b_switch: movslq (%rbx,%rdi,4),%rax\n"
			     "add %rbx,%rax\n"
			     "n_ijmp: jmp *%rax\n"
			     "b_one: call g\n"
			     "n_after_call: dec %edi\n"
			     "n_jne: jne b_loop\n"
			     "n_jmp: jmp b_out\n"
			     "b_two: inc %edi\n"
			     "b_never: inc %edi\n"
			     "n_je: je b_default\n"
			     "b_nop: nop\n"
			     "b_default: test %edi,%edi\n"
			     "n_tail: jne g\n"
			     "b_behind_tail: jmp b_loop\n"
			     "b_out: pop %rbx\n"
			     "b_from_cold: nop\n" /* where f.cold jumps back to */
			     "ret\n"
			     ".size f,.-f\n"
			     ".type g,@function\n"
			     "g: lea (,%rdi,8),%rax\n"
			     "jmp *absolute(,%rdi,8)\n"
			     "b_g_one: nop\n"
			     "b_g_two: ret\n"
			     ".size g,.-g\n"
			     ".type f.cold,@function\n"
			     "f.cold: nop\n"
			     "jmp b_from_cold\n"
			     ".size f.cold,.-f.cold\n"
			     ".type h,@function\n"
			     "h: nop\n"
			     "n_h: nop\n"
			     "ret\n"
			     ".size h,.-h\n"
			     ".section .rodata\n"
			     ".balign 4\n"
			     "table: .long b_one-table, b_two-table, b_never-table, b_one-table\n"
			     ".long 0x7fffffff\n"
			     ".balign 8\n"
			     "absolute: .quad b_g_one, b_g_two\n";

static int setup(void **state)
{
	(void)state;
	return assembled_make(source);
}

static const struct blocks *blocks_of(struct block_finder *finder, const char *name)
{
	const struct blocks *b = block_finder_get(finder, binary_function_at(binary, at(name)));

	assert_non_null(b);
	return b;
}

static bool begins(const struct blocks *b, uint64_t va)
{
	size_t i = block_list_find(b, va);

	assert_int_not_equal(i, CODE_NONE);
	return b->items.items[i].begin == va;
}

static void every_label(void **state)
{
	static const char *const blocks[] = {
		"f",	 "b_loop",    "b_switch",      "b_one", "b_two",      "b_never",
		"b_nop", "b_default", "b_behind_tail", "b_out", "b_from_cold"};
	static const char *const inner[] = {"n_jcc", "n_ijmp", "n_after_call", "n_jne",
					    "n_jmp", "n_je",   "n_tail"};
	struct branch_profile none = {0};
	struct block_finder *finder = block_finder_new(binary, &none);
	const struct blocks *b;

	(void)state;
	assert_non_null(finder);
	b = blocks_of(finder, "f");
	for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++)
		assert_true(begins(b, at(blocks[i])));
	for (size_t i = 0; i < sizeof(inner) / sizeof(*inner); i++)
		assert_false(begins(b, at(inner[i])));
	assert_int_equal(b->items.count, sizeof(blocks) / sizeof(*blocks));
	assert_true(b->items.items[block_list_find(b, at("b_from_cold"))].entry);
	assert_false(b->items.items[block_list_find(b, at("b_loop"))].entry);
	assert_int_equal(b->items.items[block_list_find(b, at("b_one"))].last, at("n_jmp"));

	b = blocks_of(finder, "g");
	assert_true(begins(b, at("b_g_one")) && begins(b, at("b_g_two")));
	b = blocks_of(finder, "h");
	assert_int_equal(b->items.count, 1);
	block_finder_free(finder);
}

static void edges(void **state)
{
	struct branch_profile none = {0};
	struct block_finder *finder = block_finder_new(binary, &none);
	const struct blocks *b;

	(void)state;
	assert_non_null(finder);
	b = blocks_of(finder, "f");
	assert_true(block_list_has_edge(b, at("n_ijmp"), at("b_one")));
	assert_true(block_list_has_edge(b, at("n_ijmp"), at("b_two")));
	assert_true(block_list_has_edge(b, at("n_ijmp"), at("b_never")));
	assert_false(block_list_has_edge(b, at("n_ijmp"), at("b_default")));
	assert_true(block_list_has_edge(b, at("n_jcc"), at("b_default")));
	assert_true(block_list_has_edge(b, at("n_jcc"), at("b_switch")));
	assert_true(block_list_has_edge(b, at("n_jne"), at("b_loop")));
	assert_true(block_list_has_edge(b, at("n_jmp"), at("b_out")));
	assert_false(block_list_has_edge(b, at("n_jmp"), at("b_two")));
	assert_true(block_list_has_edge(b, at("b_nop"), at("b_default")));
	block_finder_free(finder);
}

static uint64_t count_of(const struct bolt_profile *p, const char *from, uint64_t from_offset,
			 const char *to, uint64_t to_offset)
{
	const struct bolt_branch *r;

	vector_each (&p->branches, r)
		if (!strcmp(strings_text(p->strings, r->from.symbol), from) &&
		    !strcmp(strings_text(p->strings, r->to.symbol), to) &&
		    r->from.offset == from_offset && r->to.offset == to_offset)
			return r->count;
	return 0;
}

static void records(void **state)
{
	struct branch_profile clean = {0};
	struct bolt_profile out;
	struct bolt_convert_stats stats;
	uint64_t f = at("f"), h = at("h");

	(void)state;
	assert_int_equal(bolt_profile_init(&out), 0);
	branch_profile_add_branch(&clean, BRANCH_OUTSIDE, f, 1, 0);
	branch_profile_add_branch(&clean, at("n_ijmp"), at("b_never"), 2, 1);
	branch_profile_add_branch(&clean, at("b_one"), at("g"), 4, 0);
	branch_profile_add_branch(&clean, at("b_g_two"), at("n_after_call"), 8, 0);
	branch_profile_add_branch(&clean, at("n_tail"), at("g"), 16, 0);
	branch_profile_add_branch(&clean, BRANCH_OUTSIDE, at("n_after_call"), 32, 0);
	branch_profile_add_branch(&clean, at("n_ijmp"), at("n_h"), 64, 0); /* indirect, into h */
	branch_profile_add_range(&clean, f, at("n_ijmp"), 3);
	branch_profile_add_range(&clean, at("b_never"), at("n_tail"), 5);
	branch_profile_add_range(&clean, at("n_after_call"), at("n_jmp"), 7);
	assert_int_equal(bolt_convert_from_branches(binary, &clean, &out, &stats, NULL), 0);

	assert_int_equal(count_of(&out, "", 0, "f/b.o/1", 0), 1);
	assert_int_equal(count_of(&out, "f/b.o/1", at("n_ijmp") - f, "f/b.o/1", at("b_never") - f),
			 2);
	assert_int_equal(count_of(&out, "f/b.o/1", at("b_one") - f, "g/b.o/1", 0), 4);
	assert_int_equal(count_of(&out, "f/b.o/1", at("n_tail") - f, "g/b.o/1", 0), 16);
	assert_int_equal(count_of(&out, "f/b.o/1", at("n_ijmp") - f, "h/b.o/1", at("n_h") - h), 0);
	assert_int_equal(count_of(&out, "f/b.o/1", at("n_jcc") - f, "f/b.o/1", at("b_switch") - f),
			 3);
	assert_int_equal(count_of(&out, "f/b.o/1", at("n_je") - f, "f/b.o/1", at("b_nop") - f), 5);
	assert_int_equal(count_of(&out, "f/b.o/1", at("b_nop") - f, "f/b.o/1", at("b_default") - f),
			 5);
	assert_int_equal(count_of(&out, "f/b.o/1", at("n_je") - f, "f/b.o/1", at("b_default") - f),
			 0);
	/* and the lea to b_loop: nothing else */
	assert_int_equal(out.branches.count, 8);
	assert_int_equal(stats.branches.in, 127);
	assert_int_equal(stats.branches.returns, 8 + 32);
	assert_int_equal(stats.branches.inside, 2);
	assert_int_equal(stats.branches.entries, 1);
	assert_int_equal(stats.branches.calls, 4 + 16);
	assert_int_equal(stats.branches.no_entry, 64);
	assert_int_equal(stats.ranges.in, 15);
	assert_int_equal(stats.ranges.functions, 15);
	assert_int_equal(stats.fall_throughs, 3 * 2 + 5 * 2);
	bolt_profile_deinit(&out);
	branch_profile_deinit(&clean);
}

/* Exceptions and a jump table, without the C++ library. */
static const char thrower[] =
	"struct guard { int *p; ~guard(); };\n"
	"int callee(int);\n"
	"__attribute__((noinline)) int pick(int x) { switch (x) { case 0: return callee(3);\n"
	"  case 1: return callee(x * 5); case 2: return x - 9; case 3: return callee(x ^ 77);\n"
	"  case 4: return callee(-x); case 5: return 11; case 6: return callee(1); } return 0; }\n"
	"int thrower(int x) { int n = 0; { guard g{&n}; n += callee(x); n += pick(x); }\n"
	"  try { n += callee(n); } catch (int e) { n += e; } catch (...) { n--; } return n; }\n";

/* Every function of the file: how many blocks and landing pads. */
static void cut_all(struct binary *b, size_t *blocks, size_t *pads, size_t *indirect)
{
	struct branch_profile none = {0};
	struct block_finder *finder = block_finder_new(b, &none);
	size_t count;
	const struct binary_function *f = binary_functions(b, &count);

	*blocks = *pads = *indirect = 0;
	assert_non_null(finder);
	for (size_t i = 0; i < count; i++) {
		const struct blocks *all = block_finder_get(finder, &f[i]);
		const struct block_edge *edge;
		const struct block *block;

		assert_non_null(all);
		*blocks += all->items.count;
		vector_each (&all->items, block)
			*pads += block->landing_pad;
		vector_each (&all->edges, edge)
			*indirect += edge->kind == BLOCK_INDIRECT;
	}
	block_finder_free(finder);
}

static void exceptions_and_damage(void **state)
{
	struct file_view file;
	uint32_t seed = 7;
	size_t blocks, pads, indirect;
	struct binary *b;
	uint8_t *copy;

	(void)state;
	if (!tools_have("g++"))
		skip();
	assert_int_equal(program_write("t.cc", thrower), 0);
	assert_int_equal(program_run("g++ -O2 -shared -fPIC -nostdlib t.cc -o t.so"), 0);
	b = binary_open("t.so", NULL);
	assert_non_null(b);
	cut_all(b, &blocks, &pads, &indirect);
	binary_close(b);
	assert_int_equal(indirect, 7); /* the cases */
	assert_true(pads >= 2);	       /* the guard's and the handlers' */

	assert_int_equal(file_view_open(&file, "t.so", NULL), 0);
	copy = memory_alloc(file.size);
	assert_non_null(copy);
	for (int round = 0; round < 1000; round++) {
		FILE *out = fopen("t.bad", "w");

		memcpy(copy, file.data, file.size);
		for (int i = 0; i < 12; i++) {
			seed = seed * 1664525u + 1013904223u;
			/* behind the headers: code, tables, unwind information, symbols */
			copy[600 + (seed >> 8) % (file.size - 600)] = (uint8_t)(seed >> 3);
		}
		assert_non_null(out);
		assert_int_equal(fwrite(copy, 1, file.size, out), file.size);
		assert_int_equal(fclose(out), 0);
		b = binary_open("t.bad", NULL);
		if (b)
			cut_all(b, &blocks, &pads, &indirect);
		binary_close(b);
	}
	memory_free(copy);
	file_view_close(&file);
}

static void no_memory(void **state)
{
	struct branch_profile clean = {0};
	bool done = false;

	(void)state;
	branch_profile_add_branch(&clean, at("n_ijmp"), at("b_never"), 2, 1);
	branch_profile_add_range(&clean, at("f"), at("n_ijmp"), 3);
	for (size_t n = 1; n < 200 && !done; n++) {
		struct softlbr_error e = {0};
		struct bolt_profile out;
		struct bolt_convert_stats stats;

		assert_int_equal(bolt_profile_init(&out), 0);
		memory_fail_at(n);
		done = !bolt_convert_from_branches(binary, &clean, &out, &stats, &e);
		memory_fail_at(0);
		assert_int_equal(e.code, done ? 0 : SOFTLBR_E_SYSTEM);
		bolt_profile_deinit(&out);
	}
	assert_true(done);
	branch_profile_deinit(&clean);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_label), cmocka_unit_test(edges),
		cmocka_unit_test(records),     cmocka_unit_test(exceptions_and_damage),
		cmocka_unit_test(no_memory),
	};

	if (tools_lack("gcc"))
		return 77;
	return cmocka_run_group_tests(tests, setup, assembled_remove);
}
