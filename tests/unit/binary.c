/* SPDX-License-Identifier: MIT */
/* converter/binary/binary.h against small programs that it builds, and against damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "converter/binary/binary.h"
#include "tests/unit/program.h"

static const char source_a[] =
	"#include <stdio.h>\n"
	"static int counter;\n"
	"static __attribute__((noinline)) int helper(int x) { return x * 3 + counter++; }\n"
	"int public_one(int x) { return helper(x) + helper(x + 1); }\n"
	"int alias_one(int) __attribute__((weak, alias(\"public_one\")));\n"
	"int second(int);\n"
	"int main(int argc, char **argv) { (void)argv;\n"
	"  printf(\"%d\\n\", public_one(argc) + second(argc)); return 0; }\n";
static const char source_b[] =
	"static __attribute__((noinline)) int helper(int x) { return x * x + 7; }\n"
	"static __attribute__((noinline)) int odd(int x) { return x ^ 5; }\n"
	"static int local_data = 4;\n"
	"int second(int x) { return helper(x) + helper(2 * x) + odd(x) + local_data++; }\n"
	"__asm__(\".text\\n.type labelled,@function\\nlabelled: nop\\nnop\\nret\\n\"\n"
	"        \".globl bare\\nbare: nop\\n ret\\n\");\n";

static int build(const char *out, const char *compiler, const char *flags)
{
	/* gas takes no blanks in a name; other producers make them */
	return program_run("%s -O1 %s -c b.c && objcopy --redefine-sym 'odd=odd name\\x' b.o && "
			   "%s -O1 %s -o %s a.c d/a.c b.o",
			   compiler, flags, compiler, flags, out);
}

static int setup(void **state)
{
	(void)state;
	if (program_directory_make() || program_run("mkdir d") || program_write("a.c", source_a) ||
	    program_write("b.c", source_b))
		return -1;
	/* the same file name and function name once more */
	return program_write("d/a.c", "static __attribute__((noinline)) int helper(int x)"
				      "{ return x - 9; }\n"
				      "int third(int x) { return helper(x) / 3; }\n");
}

static int teardown(void **state)
{
	(void)state;
	program_directory_remove();
	return 0;
}

static const struct binary_function *named(const struct binary *b, const char *bolt_name)
{
	size_t count;
	const struct binary_function *f = binary_functions(b, &count);

	for (size_t i = 0; i < count; i++)
		if (!strcmp(f[i].bolt_name, bolt_name))
			return &f[i];
	return NULL;
}

static void check_order(const struct binary *b)
{
	size_t count;
	const struct binary_function *f = binary_functions(b, &count);

	for (size_t i = 0; i < count; i++) {
		assert_true(f[i].begin < f[i].end);
		if (i)
			assert_true(f[i - 1].end <= f[i].begin);
		assert_true(binary_is_code(b, f[i].begin));
		assert_ptr_equal(binary_function_at(b, f[i].begin), &f[i]);
		assert_ptr_equal(binary_function_at(b, f[i].end - 1), &f[i]);
	}
	assert_true(count > 0);
	assert_null(binary_function_at(b, f[0].begin - 1));
	assert_null(binary_function_at(b, UINT64_MAX));
}

/* The address that nm gives. */
static uint64_t address_by_nm(const char *file, const char *pattern, int which)
{
	char command[256];
	unsigned long long va = 0;
	FILE *f;

	snprintf(command, sizeof(command), "nm -n %s | grep -- '%s' | sed -n %dp", file, pattern,
		 which);
	f = popen(command, "r");
	assert_non_null(f);
	if (fscanf(f, "%llx", &va) != 1)
		va = 0;
	pclose(f);
	return va;
}

static void check_names(const char *file)
{
	struct softlbr_error e = {0};
	struct binary *b = binary_open(file, &e);
	const struct binary_function *f;

	if (!b)
		fail_msg("%s", e.text);
	check_order(b);
	assert_non_null(named(b, "main"));
	f = named(b, "public_one");
	assert_non_null(f);
	assert_true(f->global);
	assert_null(named(b, "alias_one"));
	f = named(b, "helper/a.c/1");
	assert_non_null(f);
	assert_false(f->global);
	assert_string_equal(f->name, "helper");
	assert_non_null(named(b, "helper/a.c/2"));
	assert_true(named(b, "helper/a.c/2")->begin > f->begin);
	assert_non_null(named(b, "helper/b.c/1"));
	assert_int_equal(f->begin, address_by_nm(file, " t helper$", 1));
	f = named(b, "odd name\\x/b.c/1");
	assert_non_null(f);
	assert_int_equal(f->begin, address_by_nm(file, "odd name", 1));
	f = named(b, "labelled/b.c/1");
	assert_non_null(f);
	assert_int_equal(f->end - f->begin, 3);
	f = named(b, "bare");
	assert_non_null(f);
	assert_int_equal(f->begin, address_by_nm(file, " T bare$", 1));
	binary_close(b);
}

static void names_in_every_layout(void **state)
{
	(void)state;
	assert_int_equal(build("pie", "gcc", "-pie -fPIE"), 0);
	check_names("pie");
	assert_int_equal(build("nopie", "gcc", "-no-pie -fno-pie -Wl,-q"), 0);
	check_names("nopie");
	assert_int_equal(build("lib.so", "gcc", "-shared -fPIC -fno-semantic-interposition"), 0);
	check_names("lib.so");
	if (tools_have("ld.lld")) {
		assert_int_equal(build("lld", "gcc", "-fuse-ld=lld -fPIE -pie"), 0);
		check_names("lld");
	}
}

/* Every function that the compiler made is in @stripped, found by its frame. */
static void check_found(const struct binary *whole, const struct binary *stripped)
{
	size_t count, compared = 0;
	const struct binary_function *f = binary_functions(whole, &count), *found;
	char name[64];

	for (size_t i = 0; i < count; i++) {
		if (strncmp(f[i].name, "main", 4) && strncmp(f[i].name, "public_one", 10) &&
		    strcmp(f[i].name, "second") && strcmp(f[i].name, "third") &&
		    strcmp(f[i].name, "helper"))
			continue;
		found = binary_function_at(stripped, f[i].begin);
		assert_non_null(found);
		assert_int_equal(found->begin, f[i].begin);
		assert_int_equal(found->end, f[i].end);
		snprintf(name, sizeof(name), "sub_%llx", (unsigned long long)f[i].begin);
		assert_string_equal(found->name, name);
		snprintf(name, sizeof(name), "__BOLT_FDE_FUNCat%llx",
			 (unsigned long long)f[i].begin);
		assert_string_equal(found->bolt_name, name);
		compared++;
	}
	assert_int_equal(compared, 7); /* helper thrice */
}

static bool notes_say(const struct binary *b, const char *text)
{
	size_t count;
	const char *const *notes = binary_notes(b, &count);

	while (count--)
		if (strstr(notes[count], text))
			return true;
	return false;
}

static void stripped(void **state)
{
	static const char *const links[] = {"-pie -fPIE", "-no-pie -fno-pie", "-static"};
	struct binary *b, *whole;

	(void)state;
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
		assert_int_equal(build("whole", "gcc", links[i]), 0);
		assert_int_equal(program_run("strip -s whole -o s"), 0);
		whole = binary_open("whole", NULL);
		b = binary_open("s", NULL);
		assert_non_null(whole);
		assert_non_null(b);
		assert_true(notes_say(b, "is stripped"));
		assert_false(notes_say(whole, "is stripped"));
		check_found(whole, b);
		binary_close(whole);
		binary_close(b);
	}
	assert_int_equal(build("s.so", "gcc", "-shared -fPIC -s"), 0);
	b = binary_open("s.so", NULL);
	assert_non_null(b);
	assert_non_null(named(b, "public_one")); /* by .dynsym */
	assert_null(named(b, "helper/a.c/1"));
	assert_string_equal(binary_function_at(b, named(b, "public_one")->begin)->name,
			    "public_one");
	binary_close(b);
}

/* Neither symbols nor frames: the entry point, what is called, and nothing else. */
static void stripped_without_frames(void **state)
{
	static const char code[] = ".globl _start\n_start: call one\njmp two\n.skip 2000, 0x90\n"
				   "one: nop\nret\n.balign 64, 0x90\ntwo: call two\nret\n";
	const struct binary_function *f;
	struct softlbr_error e = {0};
	struct binary *b;
	size_t count;

	(void)state;
	assert_int_equal(program_write("c.s", code), 0);
	assert_int_equal(program_run("gcc -nostdlib -static c.s -o c"), 0);
	assert_int_equal(program_run("nm c >c.names && strip -s c"), 0);
	b = binary_open("c", &e);
	assert_non_null(b);
	f = binary_functions(b, &count);
	assert_int_equal(count, 3);
	assert_int_equal(f[1].begin - f[0].begin, 5 + 5 + 2000);
	assert_int_equal(f[0].end, f[1].begin);
	assert_int_equal(f[1].end, f[2].begin);
	assert_int_equal(f[2].end - f[2].begin, 6);
	assert_string_equal(f[1].name, f[1].bolt_name); /* llvm-bolt doesn't know it */
	binary_close(b);

	assert_int_equal(program_write("c.s", ".globl _start\n_start: nop\nret\n"), 0);
	assert_int_equal(program_run("gcc -nostdlib -static -s c.s -o c"), 0);
	assert_null(binary_open("c", &e));
	assert_int_equal(e.code, SOFTLBR_E_INPUT);
	assert_non_null(strstr(e.text, "no unwind tables"));
}

static void segments_and_code(void **state)
{
	static const char *const links[] = {"-pie -fPIE", "-no-pie", "-pie -fPIE -fuse-ld=lld",
					    "-pie -fPIE -Wl,-z,noseparate-code"};

	(void)state;
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
		const struct binary_function *f;
		struct file_view file;
		struct isa_insn insn;
		const uint8_t *code;
		size_t left;
		struct binary *b;
		bool found = false;

		if (strstr(links[i], "lld") && !tools_have("ld.lld"))
			continue;
		assert_int_equal(build("seg", "gcc", links[i]), 0);
		b = binary_open("seg", NULL);
		assert_non_null(b);
		assert_int_equal(binary_is_position_independent(b), i != 1);
		f = named(b, "main");
		assert_non_null(f);
		assert_int_equal(f->begin, address_by_nm("seg", " T main$", 1));
		code = binary_code(b, f->begin, &left);
		assert_non_null(code);
		assert_true(left >= f->end - f->begin);
		/* the file offset that maps back to main holds main's bytes */
		assert_int_equal(file_view_open(&file, "seg", NULL), 0);
		for (size_t at = 0; at < file.size && !found; at++)
			found = binary_offset_to_va(b, at) == f->begin &&
				!memcmp(file.data + at, code, f->end - f->begin);
		file_view_close(&file);
		assert_true(found);
		assert_int_equal(binary_offset_to_va(b, UINT64_MAX), BRANCH_OUTSIDE);
		for (uint64_t at = f->begin; at < f->end; at += insn.length)
			assert_true(binary_decode(b, at, &insn));
		assert_false(binary_decode(b, UINT64_MAX - 3, &insn));
		assert_null(binary_code(b, 0xdead00000000, &left));
		assert_null(binary_bytes(b, f->begin, SIZE_MAX));
		binary_close(b);
	}
}

static void aliases(void **state)
{
	const struct binary_alias *alias;
	struct binary *b;
	size_t count, found = 0;

	(void)state;
	if (!tools_have("gcc"))
		skip();
	assert_int_equal(build("aliases", "gcc", ""), 0);
	b = binary_open("aliases", NULL);
	assert_non_null(b);
	alias = binary_aliases(b, &count);
	for (size_t i = 0; i < count; i++) {
		const struct binary_function *f = binary_function_at(b, alias[i].va);

		assert_non_null(f);
		assert_string_not_equal(f->name, alias[i].name);
		if (strcmp(alias[i].name, "alias_one"))
			continue;
		assert_string_equal(f->name, "public_one");
		found++;
	}
	assert_int_equal(found, 1);
	binary_close(b);
}

static uint64_t bolt_alias(const struct binary *b, const char *name)
{
	size_t count;
	const struct binary_alias *alias = binary_bolt_aliases(b, &count);

	for (size_t i = 0; i < count; i++)
		if (!strcmp(alias[i].name, name))
			return alias[i].va;
	return 0;
}

/* perf2bolt names a local function by its number among all of that name. */
static void aliases_that_bolt_knows(void **state)
{
	struct binary *b;

	(void)state;
	if (!tools_have("gcc"))
		skip();
	assert_int_equal(build("aliases", "gcc", ""), 0);
	b = binary_open("aliases", NULL);
	assert_non_null(b);
	assert_int_equal(bolt_alias(b, "helper/1"), named(b, "helper/a.c/1")->begin);
	assert_int_equal(bolt_alias(b, "helper/2"), address_by_nm("aliases", " t helper$", 2));
	assert_int_equal(bolt_alias(b, "helper/3"), address_by_nm("aliases", " t helper$", 3));
	assert_int_equal(bolt_alias(b, "helper/4"), 0);
	assert_int_equal(bolt_alias(b, "alias_one"), named(b, "public_one")->begin);
	assert_int_equal(bolt_alias(b, "main"), 0);
	binary_close(b);
}

static void plt_stubs(void **state)
{
	static const char *const flags[] = {"-no-pie", "-pie -fPIE", "-pie -fPIE -fcf-protection",
					    "-pie -fPIE -Wl,-z,now"};

	(void)state;
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		struct binary *b;
		bool called = false;
		struct isa_insn insn;

		assert_int_equal(build("plt", "gcc", flags[i]), 0);
		b = binary_open("plt", NULL);
		assert_non_null(b);
		for (uint64_t at = named(b, "main")->begin; at < named(b, "main")->end;
		     at += insn.length) {
			uint64_t begin = 0;
			const char *name;

			assert_true(binary_decode(b, at, &insn));
			if (insn.kind != ISA_CALL)
				continue;
			name = binary_plt_at(b, insn.target, &begin);
			if (name && !strcmp(name, "printf@PLT")) {
				assert_int_equal(begin, insn.target);
				called = true;
			}
		}
		assert_true(called);
		assert_null(binary_plt_at(b, named(b, "main")->begin, NULL));
		binary_close(b);
	}
}

static void build_ids(void **state)
{
	char text[41];
	struct binary *b;

	(void)state;
	assert_int_equal(build("id", "gcc", "-Wl,--build-id=0x0123456789abcdef"), 0);
	b = binary_open("id", NULL);
	assert_non_null(b);
	branch_profile_build_id_text(binary_build_id(b), text);
	assert_string_equal(text, "0123456789abcdef");
	binary_close(b);
	assert_int_equal(build("id", "gcc", "-Wl,--build-id=none"), 0);
	b = binary_open("id", NULL);
	assert_non_null(b);
	assert_int_equal(binary_build_id(b)->size, 0);
	binary_close(b);
}

static void refusals(void **state)
{
	static const struct {
		const char *path;
		int code;
	} cases[] = {
		{"missing", SOFTLBR_E_SYSTEM}, {".", SOFTLBR_E_SYSTEM},
		{"a.c", SOFTLBR_E_INPUT},      {"empty", SOFTLBR_E_INPUT},
		{"id.debug", SOFTLBR_E_INPUT},
	};

	(void)state;
	assert_int_equal(program_run("gcc -c a.c -o a.o && : >empty && "
				     "gcc -g a.c b.c -o id && "
				     "objcopy --only-keep-debug id id.debug"),
			 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct softlbr_error e = {0};

		assert_null(binary_open(cases[i].path, &e));
		assert_int_equal(e.code, cases[i].code);
		assert_non_null(strstr(e.text, cases[i].path));
	}
	assert_null(binary_open("missing", NULL));
}

/* Use everything that a damaged file may have let through. */
static void exercise(struct binary *b)
{
	size_t count;
	const struct binary_function *f = binary_functions(b, &count);

	for (size_t i = 0; i < count; i++) {
		struct isa_insn insn;
		size_t left;

		assert_true(f[i].begin < f[i].end);
		assert_true(strlen(f[i].bolt_name) >= strlen(f[i].name));
		binary_decode(b, f[i].begin, &insn);
		binary_code(b, f[i].end - 1, &left);
	}
}

static void write_bytes(const uint8_t *data, size_t size)
{
	FILE *f = fopen("hostile", "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static void damaged_files(void **state)
{
	uint8_t *copy;
	struct file_view file;
	size_t refused = 0;
	uint32_t seed = 1;

	(void)state;
	assert_int_equal(program_run("gcc -Os -s -nostdlib -shared -fPIC -Wl,-z,noseparate-code "
				     "b.c -o small"),
			 0);
	assert_int_equal(file_view_open(&file, "small", NULL), 0);
	for (size_t size = 0; size < file.size; size += 7) {
		struct softlbr_error e = {0};
		struct binary *b;

		write_bytes(file.data, size);
		b = binary_open("hostile", &e);
		if (b)
			exercise(b);
		else
			assert_int_equal(e.code, SOFTLBR_E_INPUT), refused++;
		binary_close(b);
	}
	assert_true(refused > 0);
	copy = memory_alloc(file.size);
	assert_non_null(copy);
	for (int round = 0; round < 1500; round++) {
		struct binary *b;

		memcpy(copy, file.data, file.size);
		for (int i = 0; i < 1 + round % 4; i++) {
			seed = seed * 1664525u + 1013904223u;
			/* mostly headers and tables */
			copy[(seed >> 8) % (round % 2 ? file.size : 512)] ^=
				(uint8_t)(1u << (seed >> 29));
			seed = seed * 1664525u + 1013904223u;
			if (seed >> 31)
				copy[(seed >> 8) % file.size] = 0xff;
		}
		write_bytes(copy, file.size);
		b = binary_open("hostile", NULL);
		if (b)
			exercise(b);
		binary_close(b);
	}
	memory_free(copy);
	file_view_close(&file);
}

static void no_memory(void **state)
{
	bool done = false;

	(void)state;
	assert_int_equal(build("mem", "gcc", "-pie -fPIE"), 0);
	for (size_t n = 1; n < 2000 && !done; n++) {
		struct softlbr_error e = {0};
		struct binary *b;

		memory_fail_at(n);
		b = binary_open("mem", &e);
		memory_fail_at(0);
		done = b != NULL;
		if (!b)
			assert_true(e.code == SOFTLBR_E_SYSTEM || e.code == SOFTLBR_E_INPUT);
		binary_close(b);
	}
	assert_true(done);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_in_every_layout),
		cmocka_unit_test(stripped),
		cmocka_unit_test(stripped_without_frames),
		cmocka_unit_test(segments_and_code),
		cmocka_unit_test(aliases),
		cmocka_unit_test(aliases_that_bolt_knows),
		cmocka_unit_test(plt_stubs),
		cmocka_unit_test(build_ids),
		cmocka_unit_test(refusals),
		cmocka_unit_test(damaged_files),
		cmocka_unit_test(no_memory),
	};

	if (tools_lack("gcc"))
		return 77;
	return cmocka_run_group_tests(tests, setup, teardown);
}
