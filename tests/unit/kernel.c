/* SPDX-License-Identifier: MIT */
/* The kernel and its modules: addresses of recordings in them, and debug information of objects. */
#include "tests/unit/symbolizer.h"

#include "converter/binary/binary.h"

static struct binary *open_binary(const char *name)
{
	struct softlbr_error e = {0};
	struct binary *b = binary_open(in_directory(name), &e);

	if (!b)
		fail_msg("%s", e.text);
	return b;
}

static uint64_t address_of(const struct binary *b, const char *name)
{
	const struct binary_function *f;
	size_t count;

	f = binary_functions(b, &count);
	for (size_t i = 0; i < count; i++)
		if (!strcmp(f[i].name, name))
			return f[i].begin;
	fail_msg("no function %s", name);
	return 0;
}

/* A kernel of one page, as vmlinux is laid out: several PT_LOADs, at addresses of its own. */
static void kernel_image(void **state)
{
	/* where the running kernel is: moved by KASLR */
	uint64_t runtime = 0xffffffff9e200000, moved, f;
	struct binary *b;

	(void)state;
	if (!tools_have("gcc"))
		skip();
	write_source("k.c", "int counter = 1; int f(int x) { return x * counter; }\n"
			    "int g(int x) { return f(x) + 1; }\n");
	run("gcc -O1 -g -fno-inline -mcmodel=kernel -fno-pic -ffreestanding -nostdlib -static "
	    "-Wl,-Ttext=0xffffffff81000000,--section-start=.data=0xffffffff82000000,"
	    "--defsym=_text=0xffffffff81000000,--defsym=_stext=0xffffffff81000010,"
	    "--build-id=none,-z,max-page-size=0x200000,-e,f k.c -o vmlinux");
	b = open_binary("vmlinux");
	f = address_of(b, "g");
	moved = f - 0xffffffff81000000 + runtime;
	assert_true(linux_kernel_is_name_of(b, "[kernel.kallsyms]_text"));
	assert_true(linux_kernel_is_name_of(b, "[kernel.kallsyms]_stext"));
	assert_false(linux_kernel_is_name_of(b, "[ext4]"));
	assert_false(linux_kernel_is_name_of(b, "/usr/bin/k"));
	assert_int_equal(
		linux_kernel_map_to_va(b, "[kernel.kallsyms]_text", runtime, runtime, moved), f);
	/* the same with the other symbol: 16 bytes on */
	assert_int_equal(
		linux_kernel_map_to_va(b, "[kernel.kallsyms]_stext", runtime, runtime + 16, moved),
		f);
	assert_int_equal(
		linux_kernel_map_to_va(b, "[kernel.kallsyms]_text", runtime, runtime, 0x1000),
		BRANCH_OUTSIDE);
	binary_close(b);
}

static void kernel_module(void **state)
{
	struct debuginfo_function info = {0};
	struct softlbr_error e = {0};
	uint64_t base = 0xffffffffc0400000, f;
	const struct binary_section *text;
	const struct binary_function *g;
	struct debuginfo *d;
	struct isa_insn insn;
	struct binary *b;
	bool called = false;

	(void)state;
	if (!tools_have("gcc"))
		skip();
	write_source("m1.c", "extern int outside(int);\n"
			     "__attribute__((noinline)) int f(int x)\n{ return x * 3; }\n"
			     "int g(int x)\n{\n	return f(x) + outside(x);\n}\n");
	write_source("m2.c", "int unused(int x) { return x; }\n");
	run("gcc -O1 -g -mcmodel=kernel -fno-pic -c m2.c && "
	    "gcc -O1 -g -mcmodel=kernel -fno-pic -c m1.c && ld -r --build-id m2.o m1.o -o nf-x.ko");
	b = open_binary("nf-x.ko");
	assert_true(binary_is_object(b));
	assert_int_equal(binary_build_id(b)->size, 20);
	assert_true(linux_kernel_is_name_of(b, "[nf_x]"));
	assert_false(linux_kernel_is_name_of(b, "[nf]"));
	assert_false(linux_kernel_is_name_of(b, "[kernel.kallsyms]_text"));
	f = address_of(b, "f");
	text = binary_section_named(b, ".text");
	assert_non_null(text);
	assert_int_equal(linux_kernel_map_to_va(b, "[nf_x]", base, 0, base + (f - text->begin)), f);
	/* texts of autofdo's kind name places by file offset */
	assert_int_equal(binary_offset_to_va(b, f), f);

	/* calls inside go where they will, calls outside go nowhere in it */
	g = binary_function_at(b, address_of(b, "g"));
	for (uint64_t va = g->begin; va < g->end; va += insn.length) {
		assert_true(binary_decode(b, va, &insn));
		if (insn.kind != ISA_CALL)
			continue;
		called |= insn.target == f;
		assert_true(insn.target == f || !binary_is_code(b, insn.target));
	}
	assert_true(called);

	d = debuginfo_open(b, &e);
	assert_non_null(d);
	assert_int_equal(debuginfo_look_up(d, g->begin, g->end, &info, &e), 0);
	assert_true(info.spans.count > 2);
	assert_int_equal(info.spans.items[0].begin, g->begin);
	assert_int_equal(info.spans.items[0].line, 5);
	assert_string_equal(strings_text(debuginfo_strings(d), info.scopes.items[0].name), "g");
	debuginfo_function_deinit(&info);
	debuginfo_close(d);
	binary_close(b);
}

/* An object's addresses are file offsets here and section offsets there: the same program linked
 * with nothing else has the same lines. */
static void objects_have_all_lines(void **state)
{
	static const char *const flags[] = {"-g -gdwarf-5", "-g -gdwarf-4",
					    "-g -gdwarf-5 -ffunction-sections"};

	(void)state;
	if (!tools_have("gcc"))
		skip();
	for (size_t i = 0; i < 3; i++) {
		struct softlbr_error e = {0};
		const struct binary_function *f;
		size_t count, lines = 0;
		struct debuginfo *d;
		struct binary *b;

		run("gcc -w -O2 %s -c a.c -o a.o", flags[i]);
		b = open_binary("a.o");
		d = debuginfo_open(b, &e);
		assert_non_null(d);
		f = binary_functions(b, &count);
		assert_true(count >= 5);
		for (size_t k = 0; k < count; k++) {
			struct debuginfo_function info = {0};
			uint64_t covered = 0;

			assert_int_equal(debuginfo_look_up(d, f[k].begin, f[k].end, &info, &e), 0);
			for (size_t s = 0; s < info.spans.count; s++)
				covered += info.spans.items[s].end - info.spans.items[s].begin;
			assert_int_equal(covered, f[k].end - f[k].begin);
			lines += info.spans.count;
			debuginfo_function_deinit(&info);
		}
		assert_true(lines > 100);
		debuginfo_close(d);
		binary_close(b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_image),
		cmocka_unit_test(kernel_module),
		cmocka_unit_test(objects_have_all_lines),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
