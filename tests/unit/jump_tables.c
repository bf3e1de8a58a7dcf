/* SPDX-License-Identifier: MIT */
/* Jump tables of x86-64 and AArch64 against what compilers say of them in their assembly. */
#include "tests/unit/symbolizer.h"

#include "converter/binary/code.h"

/* Tables of bytes, of halves and of words; in a loop, nested, with a hole and of 64 bits. */
static const char switch_source[] =
	"int g(int); extern int h[];\n"
	"int small(int x) { switch (x) { case 0: return g(1); case 1: return g(7);\n"
	"	case 2: h[0] = 3; return 1; case 3: return g(9) + 1; case 5: h[1] = 4; return 5;\n"
	"	case 6: return g(0); case 7: h[2]++; break; } return x; }\n"
	"int loop(const unsigned char *p, int n) { int s = 0; for (int i = 0; i < n; i++)\n"
	"	switch (p[i]) { case 'a': s += g(s); break; case 'b': s -= 3; break;\n"
	"	case 'c': s *= 5; break; case 'd': s = g(s) + s; break; case 'e': s ^= h[i]; break;\n"
	"	case 'f': h[s] = 1; break; case 'g': return s; case 'h': s <<= 1; break;\n"
	"	default: s++; } return s; }\n"
	"int nested(int x, unsigned y) { switch (x) { case 10: g(1); break; case 11: g(2); break;\n"
	"	case 12: switch (y) { case 0: g(3); return 1; case 1: g(4); return 5; case 2: h[3]++;\n"
	"	break; case 3: g(9); break; case 4: return 9; case 5: g(8); return g(2); } break;\n"
	"	case 13: g(5); break; case 14: return 4; case 15: g(h[1]); return 7; } return g(x); }\n"
	"long wide(unsigned long x) { switch (x) { case 1000: return g(1); case 1001: return g(2);\n"
	"	case 1002: h[9] = 1; break; case 1004: h[8] = 2; break; case 1005: return g(7);\n"
	"	case 1006: return g(6) * 3; case 1007: h[1] = g(3); } return x; }\n"
	"#define C(n) case n: h[n] = h[n + 1] * g(n) + h[n + 2] * n; h[n + 3] -= g(h[n]); "
	"h[n+5]=h[n+7]^g(3*n); break;\n"
	"#define C10(n) C(n) C(n+1) C(n+2) C(n+3) C(n+4) C(n+5) C(n+6) C(n+7) C(n+8) C(n+9)\n"
	"int large(int x) { switch (x) { C10(0) C10(10) C10(20) C10(30) C10(40) } return g(x); }\n";

struct addresses {
	uint64_t list[2000];
	size_t count;
};

static void add_address(struct addresses *a, uint64_t va)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->list[i] == va)
			return;
	assert_true(a->count < 2000);
	a->list[a->count++] = va;
}

static bool holds(const struct addresses *a, uint64_t va)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->list[i] == va)
			return true;
	return false;
}

/* The compiler's labels, made symbols; the first of each entry is where it leads. */
static void tables_of_assembly(const char *prefix, struct addresses *out)
{
	char command[600], line[400];
	FILE *f;

	snprintf(
		command, sizeof(command),
		"cd %s && "
		"%snm switch | sort -k3,3 >names && "
		"sed -nE 's/^\\s*\\.(byte|hword|2byte|4byte|word|xword|8byte|long|quad)\\s+\\(?(L_[A-Za-z0-9_]+).*"
		"/\\2/p' labels.s | sort -u | join -1 3 -2 1 -o 1.1 names -",
		directory, prefix);
	out->count = 0;
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		add_address(out, strtoull(line, NULL, 16));
	assert_int_equal(pclose(f), 0);
}

static void our_tables(struct addresses *out)
{
	struct softlbr_error e = {0};
	struct binary *b = binary_open(in_directory("switch"), &e);
	struct code_cache *cache;
	const struct binary_function *f;
	size_t count;

	assert_non_null(b);
	cache = code_cache_new(b);
	f = binary_functions(b, &count);
	out->count = 0;
	for (size_t i = 0; i < count; i++) {
		struct jump_targets targets = {0};
		const struct jump_target *t;

		assert_int_equal(jump_tables_find(b, cache, code_cache_get(cache, &f[i]), &targets),
				 0);
		vector_each (&targets.items, t)
			add_address(out, t->va);
		vector_deinit(&targets.items);
	}
	code_cache_free(cache);
	binary_close(b);
}

struct cpu {
	const char *prefix; /* of its binutils and compiler driver */
	const char *compilers[4];
	const char *flags[7];
};

static const struct cpu cpus[] = {
	{"aarch64-linux-gnu-",
	 {"aarch64-linux-gnu-gcc", "clang-16 --target=aarch64-linux-gnu",
	  "clang" LLVM " --target=aarch64-linux-gnu", "clang-14 --target=aarch64-linux-gnu"},
	 {"-O2", "-Os", "-O0", "-O1 -fno-pic", "-O2 -mcmodel=tiny -fno-pic",
	  "-O3 -fpic -mbranch-protection=standard", "-O2 -ffunction-sections -march=armv8.5-a"}},
	/* not gcc's -O0, whose tables llvm-bolt does not see either */
	{"",
	 {"gcc", "gcc-11", "clang-16", "clang" LLVM},
	 {"-O2", "-Os", "-Og", "-O1 -fno-pic", "-O2 -fno-pic -fcf-protection", "-O3 -fpic",
	  "-O2 -march=skylake -fno-plt"}},
};

static void compare(const struct cpu *cpu, const char *compiler, const char *flags,
		    size_t *compared)
{
	static struct addresses theirs, ours;
	char command[700];

	snprintf(
		command, sizeof(command),
		"cd %s && %s -w %s -S switch.c -o - | sed '/addrsig/d;/aeabi_/d;/prefalign/d;s/\\.L/L_/g' >labels.s && "
		"%sgcc -nostdlib -static -Wl,-e,small labels.s others.c -o switch",
		directory, compiler, flags, cpu->prefix);
	assert_int_equal(system(command), 0);
	tables_of_assembly(cpu->prefix, &theirs);
	our_tables(&ours);
	assert_true(!theirs.count || theirs.count >= 50); /* gcc 16 makes none for AArch64 by -O0 */
	for (size_t i = 0; i < theirs.count; i++)
		if (!holds(&ours, theirs.list[i]))
			fail_msg("%s %s: not found: %" PRIx64, compiler, flags, theirs.list[i]);
	for (size_t i = 0; i < ours.count; i++)
		if (!holds(&theirs, ours.list[i]))
			fail_msg("%s %s: invented: %" PRIx64, compiler, flags, ours.list[i]);
	*compared += ours.count;
}

static void check_cpu(const struct cpu *cpu)
{
	size_t compared = 0;
	char first[40];

	snprintf(first, sizeof(first), "%sgcc", cpu->prefix);
	if (!tools_have(first))
		skip();
	for (size_t i = 0; i < 4; i++) {
		snprintf(first, sizeof(first), "%.*s", (int)strcspn(cpu->compilers[i], " "),
			 cpu->compilers[i]);
		for (size_t k = 0; k < 7 && tools_have(first); k++)
			compare(cpu, cpu->compilers[i], cpu->flags[k], &compared);
	}
	print_message("%zu targets, no difference\n", compared);
	assert_true(compared > 250);
}

static void aarch64(void **state)
{
	(void)state;
	check_cpu(&cpus[0]);
}

static void x86_64(void **state)
{
	(void)state;
	check_cpu(&cpus[1]);
}

static int set_up(void **state)
{
	if (make_directory(state))
		return -1;
	write_source("switch.c", switch_source);
	write_source("others.c", "int h[200]; int g(int x) { return h[x]; }\n");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(aarch64),
		cmocka_unit_test(x86_64),
	};

	return cmocka_run_group_tests(tests, set_up, remove_directory);
}
