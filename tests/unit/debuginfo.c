/* SPDX-License-Identifier: MIT */
/*
 * converter/debuginfo against llvm-symbolizer: for every instruction of every function that has
 * debug information, the same stack of functions, lines, function lines and discriminators.
 */
#include "converter/debuginfo/llvm_discriminator.h"
#include "tests/unit/symbolizer.h"

#include "base/memory.h"
#include "converter/dwarf/dwarf.h"

static void check(const char *compiler, const char *flags, const char *source, size_t least)
{
	struct tally t;

	if (!tools_have(compiler) || !tools_have(SYMBOLIZER))
		skip();
	build(compiler, flags, source, "binary");
	t = compare_binary(in_directory("binary"), in_directory("binary"));
	print_message("%s %s: %zu instructions, %zu with a stack, %zu inlined, %zu differ\n",
		      compiler, flags, t.instructions, t.with_stack, t.inlined, t.wrong);
	assert_true(t.inlined >= least);
	assert_int_equal(t.wrong, 0);
}

static void gcc_dwarf_5(void **state)
{
	(void)state;
	check("gcc", "-O2 -g -gdwarf-5", "a.c", 100);
	check("gcc", "-O2 -g1 -gdwarf-5 -no-pie", "a.c", 100);
}

static void gcc_dwarf_4(void **state)
{
	(void)state;
	check("gcc", "-O2 -g -gdwarf-4", "a.c", 100);
	check("gcc-11", "-O3 -g -gdwarf-4 -static", "a.c", 100);
}

static void gcc_link_time_optimisation(void **state)
{
	(void)state;
	check("gcc", "-O2 -g -flto", "a.c", 100);
}

static void gcc_cxx(void **state)
{
	(void)state;
	check("g++", "-O2 -g", "a.cc", 500);
	check("g++", "-O2 -g -gdwarf-4 -flto", "a.cc", 500);
}

static void clang_line_tables(void **state)
{
	(void)state;
	check("clang" LLVM, "-O2 -gline-tables-only -fdebug-info-for-profiling", "a.c", 100);
	check("clang" LLVM, "-O3 -g -gdwarf-4 -fdebug-info-for-profiling", "a.c", 100);
	check("clang" LLVM, "-O2 -g", "a.c", 100);
}

static void clang_newest(void **state)
{
	(void)state;
	check("clang" LLVM, "-O2 -gline-tables-only -fdebug-info-for-profiling", "a.c", 100);
}

static void clang_cxx(void **state)
{
	(void)state;
	check("clang++-16", "-O2 -gline-tables-only -fdebug-info-for-profiling", "a.cc", 500);
	check("clang++-16", "-O2 -g -fdebug-info-for-profiling", "a.cc", 500);
}

static void no_debug_information_is_said(void **state)
{
	struct softlbr_error e = {0};
	struct binary *b;

	(void)state;
	if (!tools_have("gcc"))
		skip();
	build("gcc", "-O2", "a.c", "binary");
	b = binary_open(in_directory("binary"), &e);
	assert_non_null(b);
	assert_null(debuginfo_open(b, &e));
	assert_int_equal(e.code, SOFTLBR_E_INPUT);
	assert_non_null(strstr(e.text, "-g"));
	binary_close(b);
}

/* LLVM can make such of a base and a duplication factor; elfutils 0.188 refuses the whole table. */
static void large_discriminators_are_read(void **state)
{
	struct debuginfo_function info = {0};
	const struct binary_function *f;
	struct softlbr_error e = {0};
	struct debuginfo *d;
	struct binary *b;
	bool found = false;
	size_t count;

	(void)state;
	if (!tools_have("gcc"))
		skip();
	write_source("big.s", "	.text\n	.globl main\n	.type main,@function\n"
			      "	.file 1 \"a.c\"\nmain:\n	.loc 1 5 1\n	nop\n"
			      "	.loc 1 6 1 discriminator 20000000\n	nop\n	ret\n"
			      "	.size main,.-main\n	.section .note.GNU-stack\n");
	build("gcc", "-g", "big.s", "binary");
	b = binary_open(in_directory("binary"), &e);
	assert_non_null(b);
	d = debuginfo_open(b, &e);
	assert_non_null(d);
	assert_int_equal(debuginfo_unreadable_units(d), 0);
	f = binary_functions(b, &count);
	for (size_t i = 0; i < count; i++)
		if (!strcmp(f[i].name, "main")) {
			assert_int_equal(debuginfo_look_up(d, f[i].begin, f[i].end, &info, &e), 0);
			found = true;
		}
	assert_true(found);
	assert_int_equal(debuginfo_unreadable_units(d), 0);
	assert_int_equal(info.spans.count, 2);
	assert_int_equal(info.spans.items[0].line, 5);
	assert_int_equal(info.spans.items[1].line, 6);
	assert_int_equal(info.spans.items[1].discriminator, 20000000);
	debuginfo_function_deinit(&info);
	debuginfo_close(d);
	binary_close(b);
}

/* As LLVM 19 has them, by DILocation::getBaseDiscriminatorFromDiscriminator; those of probes are of
 * clang-19's and clang-16's making. */
static void base_discriminators(void **state)
{
	static const struct {
		uint32_t packed, base, factor;
	} examples[] = {{2, 1, 1},	    {0x1b25003f, 5, 1}, {0x1b200017, 0, 1},
			{0x0b20004f, 9, 1}, {7, 0, 1},		{1, 0, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		assert_int_equal(llvm_discriminator_base(examples[i].packed), examples[i].base);
		assert_int_equal(llvm_discriminator_factor(examples[i].packed), examples[i].factor);
	}
}

static void flow_sensitive_discriminators_are_refused(void **state)
{
	struct softlbr_error e = {0};
	struct binary *b;

	(void)state;
	if (!tools_have("clang" LLVM))
		skip();
	build("clang" LLVM,
	      "-O2 -gline-tables-only -fdebug-info-for-profiling -mllvm -enable-fs-discriminator",
	      "a.c", "binary");
	b = binary_open(in_directory("binary"), &e);
	assert_non_null(b);
	assert_null(debuginfo_open(b, &e));
	assert_non_null(strstr(e.text, "flow-sensitive"));
	binary_close(b);
}

/* ---- no memory ---- */

/* Everything of a binary; 0, or what the first call says that fails. */
static int look_at_all(struct softlbr_error *e)
{
	struct binary *b = binary_open(in_directory("binary"), e);
	struct debuginfo *d = b ? debuginfo_open(b, e) : NULL;
	struct debuginfo_function info = {0};
	int rc = d ? debuginfo_look_up(d, 0, UINT64_MAX, &info, e) : -e->code;

	debuginfo_function_deinit(&info);
	debuginfo_close(d);
	binary_close(b);
	return rc;
}

/* Where an allocation of ours fails, the call says so, and nothing is lost (LeakSanitizer). */
static void no_memory(void **state)
{
	static const char *const flags[] = {"-O2 -g", "-O2 -g -gz=zlib", "-O2 -g -gsplit-dwarf"};

	(void)state;
	if (!tools_have("gcc"))
		skip();
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		struct softlbr_error e = {0};
		size_t count, failed = 0;

		build("gcc", flags[i], "a.c", "binary");
		memory_fail_at(0);
		assert_int_equal(look_at_all(&e), 0);
		count = memory_fail_at(0);
		assert_true(count > 100);
		for (size_t n = 1; n <= count; n += n < 100 ? 1 : 7) {
			e = (struct softlbr_error){0};
			memory_fail_at(n);
			failed += look_at_all(&e) == -SOFTLBR_E_SYSTEM;
			memory_fail_at(0);
		}
		assert_true(failed > 50);
	}
}

static int without_memory(void *context)
{
	(void)context;
	dwarf_guard_leave();
}

static int with_memory_again(void *context)
{
	*(int *)context = dwarf_guard(without_memory, NULL);
	return 5;
}

/* Where libdw has none it calls a handler, which must not return: the call fails, no more. */
static void no_memory_in_libdw(void **state)
{
	int inner = 0;

	(void)state;
	assert_int_equal(dwarf_guard(without_memory, NULL), -1);
	assert_int_equal(dwarf_guard(with_memory_again, &inner), 5);
	assert_int_equal(inner, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gcc_dwarf_5),
		cmocka_unit_test(gcc_dwarf_4),
		cmocka_unit_test(gcc_link_time_optimisation),
		cmocka_unit_test(gcc_cxx),
		cmocka_unit_test(clang_line_tables),
		cmocka_unit_test(clang_newest),
		cmocka_unit_test(clang_cxx),
		cmocka_unit_test(no_debug_information_is_said),
		cmocka_unit_test(large_discriminators_are_read),
		cmocka_unit_test(base_discriminators),
		cmocka_unit_test(flow_sensitive_discriminators_are_refused),
		cmocka_unit_test(no_memory),
		cmocka_unit_test(no_memory_in_libdw),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
