/* SPDX-License-Identifier: MIT */
/*
 * 32-bit ELF files (i386, x32, Arm, and big-endian MIPS and PowerPC), and code of CPUs that are not
 * decoded: debug information against llvm-symbolizer, i386's instructions and PLT against objdump,
 * and a conversion whose counts follow from the branches by hand.
 */
#include "tests/unit/symbolizer.h"

#include <elf.h>

#include "converter/bolt/bolt_convert.h"
#include "converter/samples/validate.h"
#include "converter/source/attribute.h"

/* Without a C library of that CPU: what a.c needs of its headers is ours, and nothing to link with.
 */
#define FREESTANDING                                  \
	"-I. -fno-stack-protector -nostdlib -static " \
	"-Wl,--unresolved-symbols=ignore-all -Wl,-e,main "
#define CLANG "clang" LLVM " -fuse-ld=lld" LLVM " -fdebug-info-for-profiling "

struct target {
	const char *name, *compiler;
	uint16_t machine;
};

static const struct target targets[] = {
	{"i386, gcc", "gcc-12 -m32", EM_386},
	{"i386, clang", CLANG "--target=i386-linux-gnu", EM_386},
	{"x32, gcc", "gcc-12 -mx32", EM_X86_64},
	{"Thumb", CLANG "--target=arm-linux-gnueabihf", EM_ARM},
	{"Arm", CLANG "--target=arm-linux-gnueabihf -marm", EM_ARM},
	{"MIPS, big-endian", CLANG "--target=mips-linux-gnu", EM_MIPS},
	{"PowerPC, big-endian", CLANG "--target=powerpc-linux-gnu", EM_PPC},
	{"AArch64, big-endian", CLANG "--target=aarch64_be-linux-gnu", EM_AARCH64},
	{"RISC-V", CLANG "--target=riscv64-linux-gnu -mno-relax", EM_RISCV},
};

static const char *const formats[] = {"-g -gdwarf-5", "-g -gdwarf-4", "-g -gdwarf-2", "-g1"};

static bool compile(const char *compiler, const char *flags, const char *out)
{
	char command[1024], first[32];

	snprintf(first, sizeof(first), "%.*s", (int)strcspn(compiler, " "), compiler);
	if (!tools_have(first) || (strstr(compiler, "lld") && !tools_have("ld.lld" LLVM)))
		return false;
	snprintf(command, sizeof(command), "cd %s && %s -w -O2 " FREESTANDING "%s a.c -o %s",
		 directory, compiler, flags, out);
	if (system(command))
		fail_msg("failed: %s", command);
	return true;
}

static struct binary *open_binary(const char *name)
{
	struct softlbr_error e = {0};
	struct binary *b = binary_open(in_directory(name), &e);

	if (!b)
		fail_msg("%s", e.text);
	return b;
}

/* Where code is not decoded, every second byte is compared. */
static void debug_information(void **state)
{
	size_t compared = 0, instructions = 0;

	(void)state;
	if (!tools_have(SYMBOLIZER))
		skip();
	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++)
		for (size_t k = 0; k < sizeof(formats) / sizeof(*formats); k++) {
			struct tally t;

			if (!compile(targets[i].compiler, formats[k], "program"))
				continue;
			t = compare_binary(in_directory("program"), in_directory("program"));
			if (t.wrong || t.inlined < 50)
				fail_msg("%s %s: %zu of %zu differ, %zu inlined", targets[i].name,
					 formats[k], t.wrong, t.instructions, t.inlined);
			compared++;
			instructions += t.instructions;
		}
	print_message("%zu binaries, %zu instructions, no difference\n", compared, instructions);
	if (!compared)
		skip();
}

static void machines(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		bool known = targets[i].machine == EM_386 || targets[i].machine == EM_X86_64 ||
			     targets[i].machine == EM_AARCH64;
		struct binary *b;
		size_t notes;

		if (!compile(targets[i].compiler, "-g", "program"))
			continue;
		b = open_binary("program");
		assert_int_equal(binary_machine(b), targets[i].machine);
		assert_int_equal(binary_is_decoded(b), known);
		binary_notes(b, &notes); /* that it is not decoded is said */
		assert_int_equal(notes, !known);
		binary_close(b);
	}
}

/* ---- i386 against objdump ---- */

static int kind_of(const char *text)
{
	static const struct {
		const char *begin;
		int direct, indirect;
	} kinds[] = {
		{"jmp ", ISA_JUMP, ISA_JUMP_INDIRECT},
		{"call ", ISA_CALL, ISA_CALL_INDIRECT},
		{"ret", ISA_RETURN, ISA_RETURN},
		{"j", ISA_JUMP_CONDITIONAL, ISA_JUMP_CONDITIONAL},
		{"loop", ISA_JUMP_CONDITIONAL, ISA_JUMP_CONDITIONAL},
		{"int3", ISA_STOP, ISA_STOP},
		{"int ", ISA_SYSCALL, ISA_SYSCALL},
		{"hlt", ISA_STOP, ISA_STOP},
		{"ud", ISA_STOP, ISA_STOP},
	};

	for (;;) { /* prefixes */
		if (!strncmp(text, "notrack ", 8) || !strncmp(text, "repz ret", 8))
			text = strchr(text, ' ') + 1;
		else
			break;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strncmp(text, kinds[i].begin, strlen(kinds[i].begin)))
			return strchr(text, '*') ? kinds[i].indirect : kinds[i].direct;
	return ISA_OTHER;
}

static bool is_nop(const char *text)
{
	static const char *const nops[] = {"0x0(%esi),%esi", "0x0(%edi),%edi",
					   "0x0(%esi,%eiz,1),%esi", "0x0(%edi,%eiz,1),%edi"};

	while (!strncmp(text, "data16 ", 7) || !strncmp(text, "cs ", 3))
		text = strchr(text, ' ') + 1;
	if (!strncmp(text, "nop", 3) || !strncmp(text, "xchg   %ax,%ax", 14))
		return true;
	for (size_t i = 0; i < 4; i++)
		if (!strncmp(text, "lea ", 4) && strstr(text, nops[i]))
			return true;
	return false;
}

static size_t compare_instructions(const char *name)
{
	struct binary *b = open_binary(name);
	uint64_t expected = 0;
	char line[600];
	size_t compared = 0;
	FILE *f;

	snprintf(line, sizeof(line), "objdump -d -w -j .text --no-show-raw-insn %s",
		 in_directory(name));
	f = popen(line, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char *tab = strchr(line, '\t'), *at;
		struct isa_insn insn;
		uint64_t va;
		int kind;

		if (line[0] != ' ' || !tab || tab[-1] != ':')
			continue;
		va = strtoull(line, NULL, 16);
		assert_true(!expected || va == expected); /* the length of the one before */
		assert_true(binary_decode(b, va, &insn));
		expected = va + insn.length;
		kind = kind_of(++tab);
		if (insn.kind != kind)
			fail_msg("%s: kind %d, not %d", line, insn.kind, kind);
		if (insn.nop != is_nop(tab))
			fail_msg("%s: nop %d", line, insn.nop);
		at = strchr(tab, '<');
		if (kind == ISA_JUMP || kind == ISA_JUMP_CONDITIONAL || kind == ISA_CALL) {
			assert_non_null(at);
			while (at[-1] == ' ')
				at--;
			while (at > tab && at[-1] != ' ')
				at--;
			assert_int_equal(insn.target, strtoull(at, NULL, 16));
		}
		compared++;
	}
	assert_int_equal(pclose(f), 0);
	binary_close(b);
	return compared;
}

static void i386_instructions(void **state)
{
	static const char *const flags[] = {"-O2", "-O0 -march=i386", "-O3 -march=skylake-avx512",
					    "-O2 -fcf-protection -fpie -mfpmath=387"};
	size_t compared = 0;

	(void)state;
	if (!tools_have("objdump") || !compile("gcc-12 -m32", "-O2", "program"))
		skip();
	for (size_t i = 0; i < 4; i++) {
		compile("gcc-12 -m32", flags[i], "program");
		compared += compare_instructions("program");
	}
	if (compile(targets[1].compiler, "-O3 -march=znver3", "program"))
		compared += compare_instructions("program");
	print_message("%zu instructions as objdump has them\n", compared);
	assert_true(compared > 1500);
}

static void i386_decoding(void **state)
{
	static const struct {
		uint8_t bytes[8], length, kind;
		uint64_t target;
	} samples[] = {
		{{0x40}, 1, ISA_OTHER, 0},				   /* inc %eax, no REX */
		{{0x48, 0xe9}, 1, ISA_OTHER, 0},			   /* dec %eax */
		{{0x66, 0xe8, 0x10, 0x00}, 4, ISA_CALL, 0x1014},	   /* callw */
		{{0xe9, 0xf0, 0xef, 0xff, 0xff}, 5, ISA_JUMP, 0xfffffff5}, /* wraps */
		{{0xc4, 0x06}, 2, ISA_OTHER, 0},			   /* les */
		{{0xc5, 0x06}, 2, ISA_OTHER, 0},			   /* lds */
		{{0x62, 0x06}, 2, ISA_OTHER, 0},			   /* bound */
		{{0xc5, 0xf8, 0x77}, 3, ISA_OTHER, 0},			   /* vzeroupper */
		{{0xea, 0, 0, 0, 0, 0x33, 0}, 7, ISA_JUMP_INDIRECT, 0},	   /* ljmp */
		{{0x9a, 0, 0, 0, 0, 0x33, 0}, 7, ISA_CALL_INDIRECT, 0},	   /* lcall */
		{{0xcd, 0x80}, 2, ISA_SYSCALL, 0},
		{{0x65, 0xff, 0x15, 0x10, 0, 0, 0}, 7, ISA_CALL_INDIRECT, 0}, /* the vDSO's */
		{{0xe3, 0x02}, 2, ISA_JUMP_CONDITIONAL, 0x1004},	      /* jecxz */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		struct isa_insn insn = {0};

		assert_true(isa_decoder_decode(EM_386, samples[i].bytes, 8, 0x1000, &insn));
		assert_int_equal(insn.length, samples[i].length);
		assert_int_equal(insn.kind, samples[i].kind);
		assert_int_equal(insn.target, samples[i].target);
		for (size_t size = 0; size < insn.length; size++)
			assert_false(
				isa_decoder_decode(EM_386, samples[i].bytes, size, 0x1000, &insn));
	}
}

/* The stubs of shared and of fixed-address programs, plain and behind endbr32. */
static void i386_plt(void **state)
{
	static const char *const flags[] = {"-fpic -shared",
					    "-fpic -shared -fcf-protection -Wl,-z,ibtplt",
					    "-fpic -shared -Wl,-z,now", "-fno-pic -no-pie"};

	(void)state;
	if (!tools_have("gcc-12"))
		skip();
	for (size_t i = 0; i < 4; i++) {
		struct binary *b;
		size_t stubs = 0;
		char line[600];
		FILE *f;

		snprintf(
			line, sizeof(line),
			"cd %s && printf 'int puts(){} int printf(){} int abort(){} int exit(){} int "
			"malloc(){} int fwrite(){} int memset(){} int stderr;' >lib.c && gcc-12 -w -m32 "
			"-fpic -nostdlib -shared lib.c -o libc32.so && gcc-12 -w -m32 -O2 -I. "
			"-nostdlib -Wl,-e,main "
			"-fno-stack-protector %s a.c libc32.so -o program",
			directory, flags[i]);
		assert_int_equal(system(line), 0);
		b = open_binary("program");
		snprintf(line, sizeof(line), "objdump -d %s", in_directory("program"));
		f = popen(line, "r");
		assert_non_null(f);
		while (fgets(line, sizeof(line), f)) {
			uint64_t va = strtoull(line, NULL, 16), begin;
			char *name = strchr(line, '<'), *end = strstr(line, "@plt>:");
			const char *ours;

			if (line[0] == ' ' || !name || !end)
				continue;
			*end = '\0';
			ours = binary_plt_at(b, va, &begin);
			if (!ours)
				fail_msg("%s: %s has no name", flags[i], name + 1);
			assert_int_equal(begin, va);
			assert_int_equal(strncmp(ours, name + 1, strlen(name + 1)), 0);
			stubs++;
		}
		assert_int_equal(pclose(f), 0);
		assert_true(stubs >= 5);
		binary_close(b);
	}
}

/* A relocatable object has the lines of the program. */
static void objects(void **state)
{
	static const char *const compilers[] = {"gcc-12 -m32", CLANG "--target=i386-linux-gnu",
						"gcc-12 -mx32",
						CLANG "--target=arm-linux-gnueabihf -marm"};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct softlbr_error e = {0};
		const struct binary_function *f;
		size_t count, functions = 0;
		struct debuginfo *d;
		struct binary *b;

		if (!compile(compilers[i], "-g -r", "object.o"))
			continue;
		b = open_binary("object.o");
		assert_true(binary_is_object(b));
		d = debuginfo_open(b, &e);
		assert_non_null(d);
		f = binary_functions(b, &count);
		for (size_t k = 0; k < count; k++) {
			struct debuginfo_function info = {0};
			uint64_t covered = 0;

			if (!strncmp(f[k].name, "__x86", 5))
				continue;
			assert_int_equal(debuginfo_look_up(d, f[k].begin, f[k].end, &info, &e), 0);
			for (size_t s = 0; s < info.spans.count; s++)
				covered += info.spans.items[s].end - info.spans.items[s].begin;
			assert_int_equal(covered, f[k].end - f[k].begin);
			assert_true(info.scopes.count > 0);
			debuginfo_function_deinit(&info);
			functions++;
		}
		assert_true(functions >= 4);
		debuginfo_close(d);
		binary_close(b);
	}
}

/* ---- a conversion ---- */

static const char loop_source[] = "__attribute__((noinline)) int leaf(int x)\n"
				  "{\n"
				  "	return x * 3;\n"
				  "}\n"
				  "int top(int x)\n"
				  "{\n"
				  "	return leaf(x) + leaf(x + 1);\n"
				  "}\n"
				  "int main(void) { return top(1); }\n";

static const struct binary_function *function(const struct binary *b, const char *name)
{
	size_t count;
	const struct binary_function *f = binary_functions(b, &count);

	for (size_t i = 0; i < count; i++)
		if (!strcmp(f[i].name, name))
			return &f[i];
	fail_msg("no function %s", name);
	return NULL;
}

/* What is not decoded is believed: a branch to a first instruction of another function is a call,
 * and llvm-bolt's profile, which takes decoding, is refused. */
static void undecoded(void **state)
{
	struct branch_profile raw = {0}, clean = {0};
	const struct binary_function *leaf, *top;
	const struct source_function *f;
	struct source_profile source;
	struct attribute_stats stats;
	struct bolt_profile bolt;
	struct bolt_convert_stats bolt_stats;
	struct validate_stats ranges;
	struct softlbr_error e = {0};
	struct binary *b;
	char command[600];
	uint32_t name;

	(void)state;
	if (!tools_have("clang" LLVM) || !tools_have("ld.lld" LLVM))
		skip();
	write_source("loop.c", loop_source);
	snprintf(command, sizeof(command),
		 "cd %s && " CLANG "--target=arm-linux-gnueabihf -w -O1 -g -nostdlib -Wl,-e,main "
		 "loop.c -o loop 2>/dev/null",
		 directory);
	assert_int_equal(system(command), 0);
	b = open_binary("loop");
	leaf = function(b, "leaf");
	top = function(b, "top");
	assert_int_equal(leaf->begin % 2, 0); /* Thumb's mark is no part of the address */
	assert_int_equal(branch_profile_add_branch(&raw, top->begin + 8, leaf->begin, 50, 0), 0);
	assert_int_equal(branch_profile_add_branch(&raw, top->begin + 0x10, top->begin, 7, 0), 0);
	assert_int_equal(branch_profile_add_branch(&raw, 0x10, leaf->begin, 3, 0), 0);
	assert_int_equal(branch_profile_add_range(&raw, leaf->begin, leaf->end - 2, 53), 0);
	assert_int_equal(branch_profile_add_range(&raw, leaf->begin, top->begin + 2, 4), 0);
	assert_int_equal(validate_profile(b, &raw, &clean, &ranges, &e), 0);
	assert_int_equal(ranges.branches.valid, 57);
	assert_int_equal(ranges.branches.from_no_code, 3);
	assert_int_equal(ranges.ranges.whole, 57);
	assert_int_equal(ranges.ranges.split, 4);

	assert_int_equal(attribute_branches(b, &clean, &source, &stats, &e), 0);
	name = strings_find(source.strings, "leaf", 4);
	f = source_profile_function(&source, name);
	assert_int_equal(f->head, 57); /* as often as its first instruction ran */
	assert_int_equal(f->lines.items[0].count, 57);
	name = strings_find(source.strings, "top", 3);
	assert_int_equal(source_profile_function(&source, name)->head, 1);
	source_profile_deinit(&source);

	assert_int_equal(bolt_profile_init(&bolt), 0);
	assert_int_equal(bolt_convert_from_branches(b, &clean, &bolt, &bolt_stats, &e),
			 -SOFTLBR_E_INPUT);
	assert_non_null(strstr(e.text, "llvm-bolt knows"));
	bolt_profile_deinit(&bolt);
	branch_profile_deinit(&raw);
	branch_profile_deinit(&clean);
	binary_close(b);
}

static int set_up(void **state)
{
	if (make_directory(state))
		return -1;
	write_source("stdio.h", "typedef struct file FILE; extern FILE *stderr;\n"
				"int printf(const char *, ...), puts(const char *);\n"
				"int fprintf(FILE *, const char *, ...);\n");
	write_source("stdlib.h", "#define NULL ((void *)0)\n"
				 "void *malloc(__SIZE_TYPE__);\n"
				 "_Noreturn void abort(void), exit(int);\n");
	write_source("string.h", "void *memset(void *, int, __SIZE_TYPE__);\n");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(i386_decoding),     cmocka_unit_test(i386_instructions),
		cmocka_unit_test(i386_plt),	     cmocka_unit_test(machines),
		cmocka_unit_test(debug_information), cmocka_unit_test(objects),
		cmocka_unit_test(undecoded),
	};

	return cmocka_run_group_tests(tests, set_up, remove_directory);
}
