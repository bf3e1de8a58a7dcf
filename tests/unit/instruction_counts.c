/* SPDX-License-Identifier: MIT */
/* converter/cfg/cfg.h: a hand-worked function, and exact counts of a real program,
 * on which both algorithms have to agree. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "converter/cfg/cfg.h"
#include "converter/samples/aggregate_private.h"
#include "tests/unit/program.h"

static uint64_t arriving(const struct cfg_branches *b, uint64_t va)
{
	uint64_t sum = 0;

	for (size_t i = cfg_branches_to(b, va); i < b->by_to.count && b->by_to.items[i].to == va;
	     i++)
		if (__builtin_add_overflow(sum, b->by_to.items[i].n, &sum))
			return UINT64_MAX;
	return sum;
}

static uint64_t leaving(const struct cfg_branches *b, uint64_t va)
{
	uint64_t sum = 0;

	for (size_t i = cfg_branches_from(b, va);
	     i < b->by_from.count && b->by_from.items[i].from == va; i++)
		if (__builtin_add_overflow(sum, b->by_from.items[i].n, &sum))
			return UINT64_MAX;
	return sum;
}

/*
 * Algorithm 1: of taken branches alone. Along the code in order of addresses, what arrives by
 * branches is added, what leaves by them is taken away, and the rest falls through. With @returns
 * among the branches calls leave as well and returns arrive behind them; else calls come back. What
 * would fall below 0 (of sampled counts) is 0. @counts: one per instruction.
 */
static void counts_of_branches(const struct code *code, const struct cfg_branches *branches,
			       bool returns, uint64_t *counts)
{
	uint64_t running = 0;

	for (size_t i = 0; i < code->count; i++) {
		const struct isa_insn *insn = &code->insns[i];
		uint64_t left;

		if (__builtin_add_overflow(running, arriving(branches, insn->address), &running))
			running = UINT64_MAX;
		counts[i] = running;
		if (isa_ends_line(insn->kind)) {
			running = 0;
		} else if (isa_is_branch(insn->kind) && (returns || !isa_is_call(insn->kind))) {
			left = leaving(branches, insn->address);
			running -= left < running ? left : running;
		}
	}
}

static char interpreter[PATH_MAX]; /* as realpath wants it */

static int setup(void **state)
{
	(void)state;
	/* tests are run in the repository's root */
	if (!realpath("examples/interpreter", interpreter))
		return -1;
	return program_directory_make();
}

static int teardown(void **state)
{
	(void)state;
	program_directory_remove();
	return 0;
}

static const char source[] = ".text\n"
			     ".type f,@function\n"
			     "f: nop\n"
			     "f_je: je else\n"
			     "nop\n"
			     "f_jmp: jmp end\n"
			     "else: nop\n"
			     "end: nop\n"
			     "f_call: call g\n"
			     "back: nop\n"
			     "f_jne: jne f\n"
			     "f_ret: ret\n"
			     ".size f,.-f\n"
			     ".type g,@function\n"
			     "g: ret\n"
			     ".size g,.-g\n";

/* f: entered 10 times, 40 rounds; the je is taken in 25 of them. */
static void by_hand(void **state)
{
	static const uint64_t expected[] = {40, 40, 15, 15, 25, 40, 40, 40, 40, 10};
	struct branch_profile p = {0};
	struct cfg_branches branches = {0};
	uint64_t counts[10] = {0};
	struct binary *b;
	struct code_cache *cache;
	const struct code *code;
	struct map_entry **ranges;

	(void)state;
	assert_int_equal(program_write("a.s", source), 0);
	assert_int_equal(program_run("gcc -c a.s -o a.o && ld -e 0 a.o -o a"), 0);
	assert_int_equal(program_symbols_load("a"), 0);
	b = binary_open("a", NULL);
	assert_non_null(b);
	cache = code_cache_new(b);
	code = code_cache_get(cache, binary_function_at(b, program_symbol("f")));
	assert_int_equal(code->count, 10);
	branch_profile_add_branch(&p, BRANCH_OUTSIDE, program_symbol("f"), 10, 0);
	branch_profile_add_branch(&p, program_symbol("f_je"), program_symbol("else"), 25, 0);
	branch_profile_add_branch(&p, program_symbol("f_jmp"), program_symbol("end"), 15, 0);
	branch_profile_add_branch(&p, program_symbol("f_call"), program_symbol("g"), 40, 0);
	branch_profile_add_branch(&p, program_symbol("f_jne"), program_symbol("f"), 30, 0);
	branch_profile_add_branch(&p, program_symbol("f_ret"), BRANCH_OUTSIDE, 10, 0);
	assert_int_equal(cfg_branches_init(&branches, &p), 0);
	counts_of_branches(code, &branches, false, counts);
	assert_memory_equal(counts, expected, sizeof(expected));
	cfg_branches_deinit(&branches);

	/* with returns */
	branches = (struct cfg_branches){0};
	branch_profile_add_branch(&p, program_symbol("g"), program_symbol("back"), 40, 0);
	assert_int_equal(cfg_branches_init(&branches, &p), 0);
	counts_of_branches(code, &branches, true, counts);
	assert_memory_equal(counts, expected, sizeof(expected));
	cfg_branches_deinit(&branches);

	branch_profile_add_range(&p, program_symbol("f"), program_symbol("f_je"), 25);
	branch_profile_add_range(&p, program_symbol("f"), program_symbol("f_jmp"), 15);
	branch_profile_add_range(&p, program_symbol("else"), program_symbol("f_call"), 25);
	branch_profile_add_range(&p, program_symbol("end"), program_symbol("f_call"), 15);
	branch_profile_add_range(&p, program_symbol("back"), program_symbol("f_jne"), 30);
	branch_profile_add_range(&p, program_symbol("back"), program_symbol("f_ret"), 10);
	ranges = map_sorted(&p.ranges);
	assert_non_null(ranges);
	instruction_counts_of_ranges(code, ranges, p.ranges.count, counts);
	assert_memory_equal(counts, expected, sizeof(expected));
	memory_free(ranges);
	branch_profile_deinit(&p);
	code_cache_free(cache);
	binary_close(b);
}

/* Sums over a function: of both, and of how much they differ. */
static void compare(struct code_cache *cache, const struct binary_function *f,
		    const struct cfg_branches *branches, struct map_entry *const *ranges,
		    size_t count, uint64_t *all, uint64_t *apart)
{
	const struct code *code = code_cache_get(cache, f);
	uint64_t *a, *b;

	assert_non_null(code);
	a = memory_alloc_array(code->count + 1, sizeof(*a));
	b = memory_alloc_array(code->count + 1, sizeof(*b));
	assert_true(a && b);
	counts_of_branches(code, branches, false, a);
	instruction_counts_of_ranges(code, ranges, count, b);
	for (size_t i = 0; i < code->count; i++) {
		*all += b[i];
		*apart += a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
	}
	memory_free(a);
	memory_free(b);
}

/* The branches are callgrind's jumps and calls, the ranges follow from its counts of instructions:
 * two measurements. Code behind a call that ends the program, and main, which the C library calls,
 * may differ by the one time that they ran. */
static void agree_on_exact_counts(void **state)
{
	struct branch_profile p = {0};
	struct cfg_branches branches = {0};
	struct file_view file;
	struct map_entry **ranges;
	struct binary *b;
	struct code_cache *cache;
	uint64_t all = 0, apart = 0;

	(void)state;
	if (!tools_have("valgrind"))
		skip();
	assert_int_equal(program_run("gcc -O2 -g '%s'/*.c -o program", interpreter), 0);
	assert_int_equal(
		program_run("valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes "
			    "--skip-plt=no --callgrind-out-file=exact ./program "
			    "'%s'/training.asm 2 >/dev/null 2>&1",
			    interpreter),
		0);
	b = binary_open("program", NULL);
	assert_non_null(b);
	assert_int_equal(file_view_open(&file, "exact", NULL), 0);
	assert_int_equal(callgrind_input_read(b, file.data, file.size, "exact", &p, NULL), 0);
	file_view_close(&file);
	assert_int_equal(cfg_branches_init(&branches, &p), 0);
	cache = code_cache_new(b);
	ranges = map_sorted(&p.ranges);
	assert_true(cache && ranges);
	for (size_t i = 0, next; i < p.ranges.count; i = next) {
		const struct binary_function *f = binary_function_at(b, ranges[i]->a);

		for (next = i + 1; next < p.ranges.count; next++)
			if (binary_function_at(b, ranges[next]->a) != f)
				break;
		if (f)
			compare(cache, f, &branches, ranges + i, next - i, &all, &apart);
	}
	print_message("%llu instructions, apart by %llu\n", (unsigned long long)all,
		      (unsigned long long)apart);
	assert_true(all > 1000000);
	assert_true(apart <= 300); /* instructions that ran once */
	memory_free(ranges);
	cfg_branches_deinit(&branches);
	branch_profile_deinit(&p);
	code_cache_free(cache);
	binary_close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(agree_on_exact_counts),
	};

	if (tools_lack("gcc"))
		return 77;
	return cmocka_run_group_tests(tests, setup, teardown);
}
