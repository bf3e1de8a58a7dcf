/* SPDX-License-Identifier: MIT */
/*
 * Decoding AArch64 against objdump, on every instruction of a static program, and the names of PLT
 * stubs against objdump's; then the debug information against llvm-symbolizer.
 */
#include "tests/unit/symbolizer.h"

#include <elf.h>

#define CROSS "aarch64-linux-gnu-"

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* What objdump's mnemonic does to control. */
static int kind_of(const char *mnemonic)
{
	static const char *const conditional[] = {"b.", "cbz", "cbnz", "tbz", "tbnz", "bc."};
	static const char *const stops[] = {"brk", "hlt", "udf", ".inst\t0x0000"};
	static const char *const returns[] = {"ret", "eret", "drps"};
	static const char *const kernel[] = {"svc", "hvc", "smc"};

	for (size_t i = 0; i < 6; i++)
		if (starts(mnemonic, conditional[i]))
			return ISA_JUMP_CONDITIONAL;
	for (size_t i = 0; i < 4; i++)
		if (starts(mnemonic, stops[i]))
			return ISA_STOP;
	for (size_t i = 0; i < 3; i++)
		if (starts(mnemonic, returns[i]))
			return ISA_RETURN;
	for (size_t i = 0; i < 3; i++)
		if (starts(mnemonic, kernel[i]))
			return ISA_SYSCALL;
	if (starts(mnemonic, "blr"))
		return ISA_CALL_INDIRECT;
	if (starts(mnemonic, "bl\t"))
		return ISA_CALL;
	if (starts(mnemonic, "br\t") || starts(mnemonic, "braa") || starts(mnemonic, "brab"))
		return ISA_JUMP_INDIRECT;
	return starts(mnemonic, "b\t") ? ISA_JUMP : ISA_OTHER;
}

/* "x0, 4005d8 <main+0x4>" -> 0x4005d8 */
static uint64_t target_of(const char *mnemonic)
{
	const char *at = strrchr(mnemonic, '<');

	while (at && at > mnemonic && at[-1] != '\t' && !(at[-1] == ' ' && at[0] != '<'))
		at--;
	return at ? strtoull(at, NULL, 16) : 0;
}

/* Is the text that of objdump's mnemonic? Capstone has other names for some, and none for what came
 * after Armv8.0. */
static bool is_mnemonic(const char *text, const char *objdump)
{
	static const char *const others[][2] = {
		{"mov", "movz"},       {"mov", "movn"},	    {"mov", "orr"},
		{"mov", "ins"},	       {"b.cs", "b.hs"},    {"b.cc", "b.lo"},
		{"bti", "hint"},       {"xpaclri", "hint"}, {"dc", "sys"},
		{"paciasp", "hint"},   {"autiasp", "hint"}, {"autia1716", "hint"},
		{"autib1716", "hint"}, {"chkfeat", "hint"}, {"gcsss1", "sys"},
		{"sxtl", "sshll"},     {"sxtl2", "sshll2"}, {"uxtl", "ushll"},
		{"uxtl2", "ushll2"},   {"gcsss2", "sysl"},  {"gcspopm", "sysl"},
		{"gcspushm", "sys"},
	};
	size_t length = strcspn(text, " ");

	if (length == strcspn(objdump, "\t") && !strncmp(text, objdump, length))
		return true;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strcspn(objdump, "\t") == strlen(others[i][0]) &&
		    starts(objdump, others[i][0]) && length == strlen(others[i][1]) &&
		    starts(text, others[i][1]))
			return true;
	return false;
}

/* What Capstone does not know is the word. */
static bool is_word(struct binary *b, uint64_t va, const char *text)
{
	char word[32];
	size_t left;
	const uint8_t *code = binary_code(b, va, &left);

	snprintf(word, sizeof(word), ".inst 0x%02x%02x%02x%02x", code[3], code[2], code[1],
		 code[0]);
	return !strcmp(text, word);
}

/* @words: those of what Capstone does not know. */
static size_t compare_instructions(const char *name, size_t *words)
{
	struct softlbr_error e = {0};
	struct binary *b = binary_open(in_directory(name), &e);
	size_t compared = 0, branches = 0;
	char command[400], line[600], text[256];
	FILE *f;

	*words = 0;
	if (!b)
		fail_msg("%s", e.text);
	assert_int_equal(binary_machine(b), EM_AARCH64);
	snprintf(command, sizeof(command), CROSS "objdump -d -j .text --no-show-raw-insn %s",
		 in_directory(name));
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char *tab = strchr(line, '\t');
		struct isa_insn insn;
		uint64_t va;
		int kind;

		if (line[0] != ' ' || !tab || tab[-1] != ':')
			continue;
		va = strtoull(line, NULL, 16);
		tab[strcspn(tab, "\n")] = '\0';
		kind = kind_of(tab + 1);
		if (starts(tab + 1, ".word") || starts(tab + 1, ".xword"))
			continue; /* data in code, which only mapping symbols tell */
		assert_true(binary_decode(b, va, &insn));
		if (insn.kind != kind)
			fail_msg("%s: kind %d, not %d", line, insn.kind, kind);
		if (kind == ISA_JUMP || kind == ISA_JUMP_CONDITIONAL || kind == ISA_CALL) {
			if (insn.target != target_of(tab + 1))
				fail_msg("%s: target %" PRIx64, line, insn.target);
			branches++;
		}
		assert_int_equal(insn.nop, starts(tab + 1, "nop"));
		assert_true(binary_instruction_text(b, va, text, sizeof(text)));
		if (starts(text, ".inst"))
			++*words;
		if (!is_mnemonic(text, tab + 1) && !is_word(b, va, text))
			fail_msg("%s: %s", line, text);
		compared++;
	}
	assert_int_equal(pclose(f), 0);
	assert_true(branches > 50);
	binary_close(b);
	return compared;
}

static void need_cross_compiler(void)
{
	if (!tools_have(CROSS "gcc") || !tools_have(CROSS "objdump"))
		skip();
}

static void decodes(void **state)
{
	size_t words, compared;

	(void)state;
	need_cross_compiler();
	build(CROSS "gcc", "-O2 -g -static -mbranch-protection=standard", "a.c", "arm");
	compared = compare_instructions("arm", &words);
	print_message("%zu instructions as objdump has them, %zu have no name\n", compared, words);
	build(CROSS "gcc", "-O2 -march=armv8.5-a+sve2 -mbranch-protection=pac-ret+bti", "a.c",
	      "arm");
	compare_instructions("arm", &words);
	build(CROSS "gcc", "-O2 -march=armv8-a", "a.c", "arm");
	compare_instructions("arm", &words);
	assert_int_equal(words, 0);
}

/* Is the next line of objdump's a stub's first instruction? Some versions take stubs of 24 bytes
 * for such of 16, and name the middle of others. */
static bool begins_stub(FILE *f)
{
	char line[600];

	return fgets(line, sizeof(line), f) && (strstr(line, "\tbti") || strstr(line, "\tadrp"));
}

static void names_stubs(const char *flags)
{
	struct softlbr_error e = {0};
	bool named = true;
	size_t stubs = 0;
	struct binary *b;
	char line[600];
	FILE *f;

	build(CROSS "gcc", flags, "a.c", "arm");
	b = binary_open(in_directory("arm"), &e);
	assert_non_null(b);
	snprintf(line, sizeof(line), CROSS "objdump -d -j .plt %s", in_directory("arm"));
	f = popen(line, "r");
	while (fgets(line, sizeof(line), f)) {
		uint64_t va = strtoull(line, NULL, 16), begin;
		char *name = strchr(line, '<'), *end = strstr(line, "@plt>:");
		const char *ours;

		if (!name || !end)
			continue;
		*end = '\0';
		if (!begins_stub(f)) {
			named = false;
			printf("PARTLY SKIPPED: objdump does not know the size of %s's stubs\n",
			       flags);
			break;
		}
		ours = binary_plt_at(b, va, &begin);
		assert_non_null(ours);
		assert_int_equal(begin, va);
		assert_int_equal(strncmp(ours, name + 1, strlen(name + 1)), 0);
		stubs++;
	}
	pclose(f);
	assert_true(stubs >= 5 || !named);
	binary_close(b);
}

static void plt(void **state)
{
	(void)state;
	need_cross_compiler();
	names_stubs("-O2 -g");
	names_stubs("-O2 -g -mbranch-protection=standard -Wl,-z,force-bti");
	names_stubs("-O2 -g -mbranch-protection=standard -Wl,-z,pac-plt");
}

/* ld lays AArch64 out for pages of 64 KiB. */
static void debug_information(void **state)
{
	static const char *const flags[] = {"-O2 -g", "-O2 -g -gdwarf-4 -static",
					    "-O2 -g1 -no-pie"};

	(void)state;
	need_cross_compiler();
	if (!tools_have(SYMBOLIZER))
		skip();
	for (size_t i = 0; i < 3; i++) {
		struct tally t;

		build(CROSS "gcc", flags[i], "a.c", "arm");
		t = compare_binary(in_directory("arm"), in_directory("arm"));
		print_message("%s: %zu instructions, %zu inlined\n", flags[i], t.instructions,
			      t.inlined);
		assert_true(t.inlined > 50);
		assert_int_equal(t.wrong, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes),
		cmocka_unit_test(plt),
		cmocka_unit_test(debug_information),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
