/* SPDX-License-Identifier: MIT */
/* Calls that a library makes to its own functions by way of its PLT: call targets of these
 * functions for compilers, and two records for llvm-bolt, as perf2bolt writes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "converter/bolt/bolt_convert.h"
#include "converter/source/attribute.h"
#include "tests/unit/program.h"

static const char source[] =
	"__attribute__((noinline)) int foo(int x) { return x * 3 + (x >> 2); }\n"
	"int bar(int x) { int s = 0; for (int i = 0; i < x; i++) s += foo(i); return s; }\n"
	"int tail(int x) { return foo(x + 1); }\n"
	"int puts(const char *);\n"
	"int out(void) { return puts(\"\") + 1; }\n";

struct layout {
	const struct binary_function *foo;
	uint64_t stub, jump, call, tail; /* foo's stub and its jump; what goes there */
	uint64_t out_call, out_stub, out_jump;
};

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

/* The first instruction of @f that goes to stub @name. */
static uint64_t goes_to(struct binary *b, const char *f, const char *name, uint64_t *stub,
			uint64_t *jump)
{
	const struct binary_function *in = function(b, f);
	struct isa_insn insn;

	for (uint64_t va = in->begin; va < in->end; va += insn.length) {
		const char *its;
		uint64_t from = va;

		assert_true(binary_decode(b, va, &insn));
		its = insn.target ? binary_plt_at(b, insn.target, stub) : NULL;
		if (!its || strcmp(its, name))
			continue;
		for (*jump = *stub;; *jump += insn.length) {
			assert_true(binary_decode(b, *jump, &insn));
			if (insn.kind == ISA_JUMP_INDIRECT)
				return from;
		}
	}
	fail_msg("%s doesn't go to %s", f, name);
	return 0;
}

static void add(struct branch_profile *p, uint64_t from, uint64_t to, uint64_t count)
{
	assert_int_equal(branch_profile_add_branch(p, from, to, count, 0), 0);
}

static void make_profile(struct binary *b, const struct layout *l, struct branch_profile *p)
{
	uint64_t begin = function(b, "bar")->begin;

	add(p, l->call, l->stub, 1000);
	add(p, l->tail, l->stub, 100);
	add(p, l->jump, l->foo->begin, 1100);
	add(p, l->out_call, l->out_stub, 7);
	add(p, l->out_jump, BRANCH_OUTSIDE, 7);
	assert_int_equal(branch_profile_add_range(p, begin, l->call, 10), 0);
	begin = function(b, "tail")->begin;
	assert_int_equal(branch_profile_add_range(p, begin, l->tail, 100), 0);
	begin = function(b, "out")->begin;
	assert_int_equal(branch_profile_add_range(p, begin, l->out_call, 7), 0);
	assert_int_equal(branch_profile_add_range(p, l->foo->begin, l->foo->begin, 1100), 0);
}

static uint64_t calls_of(struct source_profile *p, const char *caller, const char *callee)
{
	struct source_function *f = source_profile_function(
		p, strings_find(p->strings, caller, strlen(caller)));
	uint32_t name = strings_find(p->strings, callee, strlen(callee));
	uint64_t sum = 0;

	for (size_t i = 0; i < f->lines.count; i++)
		for (size_t k = 0; k < f->lines.items[i].targets.count; k++)
			if (f->lines.items[i].targets.items[k].name == name)
				sum += f->lines.items[i].targets.items[k].count;
	return sum;
}

static uint64_t head_of(struct source_profile *p, const char *name)
{
	return source_profile_function(p, strings_find(p->strings, name, strlen(name)))->head;
}

static void check_source(struct binary *b, const struct branch_profile *clean)
{
	struct source_profile p;

	assert_int_equal(attribute_branches(b, clean, &p, NULL, NULL), 0);
	assert_int_equal(calls_of(&p, "bar", "foo"), 1000);
	assert_int_equal(calls_of(&p, "tail", "foo"), 100);
	assert_int_equal(head_of(&p, "foo"), 1100);
	source_profile_deinit(&p);
}

static uint64_t record(const struct bolt_profile *p, const char *from, const char *to,
		       uint64_t offset)
{
	const struct bolt_branch *r;

	vector_each (&p->branches, r) {
		const char *a = r->from.symbol ? strings_text(p->strings, r->from.symbol) : "";
		const char *z = r->to.symbol ? strings_text(p->strings, r->to.symbol) : "";

		if (!strcmp(a, from) && !strcmp(z, to) && r->to.offset == offset)
			return r->count;
	}
	return 0;
}

static void check_bolt(struct binary *b, const struct branch_profile *clean)
{
	struct bolt_profile p;
	struct bolt_convert_stats stats;

	assert_int_equal(bolt_profile_init(&p), 0);
	assert_int_equal(bolt_convert_from_branches(b, clean, &p, &stats, NULL), 0);
	assert_int_equal(record(&p, "bar", "foo@PLT", 0), 1000);
	assert_int_equal(record(&p, "tail", "foo@PLT", 0), 100);
	assert_int_equal(record(&p, "foo@PLT", "foo", 0), 1100);
	assert_int_equal(record(&p, "puts@PLT", "", 0), 7);
	bolt_profile_deinit(&p);
}

static void check(const char *compiler, const char *flags)
{
	struct branch_profile raw = {0};
	struct softlbr_error e = {0};
	struct layout l;
	struct binary *b;

	if (program_run("%s -w -O2 -g -fPIC -shared %s "
			"-nostdlib lib.c -o lib.so",
			compiler, flags))
		fail_msg("%s %s", compiler, flags);
	b = binary_open("lib.so", &e);
	assert_non_null(b);
	l.foo = function(b, "foo");
	l.call = goes_to(b, "bar", "foo@PLT", &l.stub, &l.jump);
	l.tail = goes_to(b, "tail", "foo@PLT", &l.stub, &l.jump);
	l.out_call = goes_to(b, "out", "puts@PLT", &l.out_stub, &l.out_jump);
	make_profile(b, &l, &raw);
	check_source(b, &raw);
	check_bolt(b, &raw);
	branch_profile_deinit(&raw);
	binary_close(b);
}

static bool has_tools(const char *compiler, const char *flags)
{
	return tools_have(compiler) && (!strstr(flags, "lld") || tools_have("ld.lld" LLVM));
}

static void calls_through_the_plt(void **state)
{
	static const char *const cases[][2] = {
		{"gcc", ""},
		{"gcc", "-fcf-protection -Wl,-z,ibtplt"},
		{"gcc", "-Wl,-z,now"},
		{"clang" LLVM, "-fuse-ld=lld" LLVM " -fsemantic-interposition"},
		{"clang" LLVM, "-fuse-ld=lld" LLVM " -fsemantic-interposition -fcf-protection"},
		{"aarch64-linux-gnu-gcc", ""},
		{"aarch64-linux-gnu-gcc", "-mbranch-protection=standard -Wl,-z,force-bti"},
	};

	(void)state;
	assert_int_equal(program_write("lib.c", source), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (has_tools(cases[i][0], cases[i][1]))
			check(cases[i][0], cases[i][1]);
}

/* Another module's function of that name is not ours: the stub leads out. */
static void interposed(void **state)
{
	struct branch_profile raw = {0};
	struct source_profile p;
	struct layout l;
	struct binary *b;

	(void)state;
	assert_int_equal(program_run("gcc -w -O2 -g -fPIC -shared -nostdlib lib.c -o lib.so"), 0);
	b = binary_open("lib.so", NULL);
	assert_non_null(b);
	l.call = goes_to(b, "bar", "foo@PLT", &l.stub, &l.jump);
	add(&raw, l.call, l.stub, 1000);
	add(&raw, l.jump, BRANCH_OUTSIDE, 1000);
	assert_int_equal(branch_profile_add_range(&raw, function(b, "bar")->begin, l.call, 10), 0);
	assert_int_equal(attribute_branches(b, &raw, &p, NULL, NULL), 0);
	assert_int_equal(calls_of(&p, "bar", "foo"), 0);
	source_profile_deinit(&p);
	branch_profile_deinit(&raw);
	binary_close(b);
}

static const char far[] =
	"__attribute__((noinline, section(\".far\"))) int away(int x) { return x * 3 + (x >> 2); }\n"
	"__attribute__((noinline)) int near(int x)\n"
	"{ int s = 0; for (int i = 0; i < x; i++) s += away(i); return s; }\n"
	"int tail(int x) { return away(x + 1); }\n"
	"void _start(void) { near(3); }\n";

/* The branch of @in that goes to the veneer that leads to @callee, and the veneer's jump. */
static uint64_t goes_far(struct binary *b, const char *in, uint64_t *veneer, uint64_t *jump)
{
	const struct binary_function *f = function(b, in), *between;
	struct isa_insn insn;

	for (uint64_t va = f->begin; va < f->end; va += insn.length) {
		uint64_t from = va;

		assert_true(binary_decode(b, va, &insn));
		between = insn.target ? binary_function_at(b, insn.target) : NULL;
		if (!between || between == f)
			continue;
		*veneer = insn.target;
		for (*jump = *veneer;; *jump += insn.length) {
			assert_true(*jump < between->end && binary_decode(b, *jump, &insn));
			if (isa_is_branch(insn.kind))
				return from;
		}
	}
	fail_msg("%s goes nowhere", in);
	return 0;
}

static void check_far(struct binary *b)
{
	const struct binary_function *away = function(b, "away"), *near = function(b, "near"),
				     *tail = function(b, "tail");
	struct branch_profile raw = {0};
	uint64_t veneer, jump, call, jumped;
	struct attribute_stats stats;
	struct source_profile p;

	call = goes_far(b, "near", &veneer, &jump);
	jumped = goes_far(b, "tail", &veneer, &jump);
	assert_true(veneer != away->begin);
	add(&raw, call, veneer, 1000);
	add(&raw, jumped, veneer, 100);
	add(&raw, jump, away->begin, 1100);
	assert_int_equal(branch_profile_add_range(&raw, near->begin, call, 10), 0);
	assert_int_equal(branch_profile_add_range(&raw, tail->begin, jumped, 100), 0);
	assert_int_equal(branch_profile_add_range(&raw, veneer, jump, 1100), 0);
	assert_int_equal(branch_profile_add_range(&raw, away->begin, away->begin, 1100), 0);
	assert_int_equal(attribute_branches(b, &raw, &p, &stats, NULL), 0);
	assert_int_equal(calls_of(&p, "near", "away"), 1000);
	assert_int_equal(calls_of(&p, "tail", "away"), 100);
	assert_int_equal(head_of(&p, "away"), 1100);
	assert_int_equal(stats.calls_to_function, stats.calls);
	source_profile_deinit(&p);
	branch_profile_deinit(&raw);
}

/* AArch64's calls reach 128 MiB: where a function is farther away, the linker puts a veneer in
 * between. */
static void veneers(void **state)
{
	static const char *const compilers[][2] = {
		{"aarch64-linux-gnu-gcc", "aarch64-linux-gnu-gcc"},
		{"clang" LLVM, "clang" LLVM " --target=aarch64-linux-gnu -fuse-ld=lld" LLVM},
	};

	(void)state;
	assert_int_equal(program_write("far.c", far), 0);
	for (size_t i = 0; i < sizeof(compilers) / sizeof(*compilers); i++) {
		struct softlbr_error e = {0};
		struct binary *b;

		if (!has_tools(compilers[i][0], compilers[i][1]))
			continue;
		assert_int_equal(program_run("%s -w -O2 -g -static -nostdlib "
					     "-Wl,--section-start=.text=0x800000 "
					     "-Wl,--section-start=.far=0x10000000 far.c -o far",
					     compilers[i][1]),
				 0);
		b = binary_open("far", &e);
		assert_non_null(b);
		check_far(b);
		binary_close(b);
	}
}

static const char resolved[] =
	"static int fast(int x) { int s = 0; while (x--) s += x ^ 5; return s; }\n"
	"static void *resolve(void) { return fast; }\n"
	"int chosen(int) __attribute__((ifunc(\"resolve\")));\n"
	"int main(int n, char **v) { int s = 0; while (n--) s ^= chosen(n); return s; }\n";

static void check_chosen(struct binary *b)
{
	const struct binary_function *in = function(b, "main"), *fast = function(b, "fast");
	struct branch_profile raw = {0};
	struct attribute_stats stats;
	struct source_profile p;
	struct isa_insn insn, jump;
	uint64_t call, at;

	for (call = in->begin;; call += insn.length) {
		assert_true(call < in->end && binary_decode(b, call, &insn));
		if (isa_is_call(insn.kind))
			break;
	}
	assert_null(binary_plt_at(b, insn.target, &at));
	for (at = insn.target; binary_decode(b, at, &jump) && jump.kind != ISA_JUMP_INDIRECT;)
		at += jump.length;
	add(&raw, call, insn.target, 1000);
	add(&raw, at, fast->begin, 1000);
	assert_int_equal(branch_profile_add_range(&raw, in->begin, call, 10), 0);
	assert_int_equal(branch_profile_add_range(&raw, fast->begin, fast->begin, 1000), 0);
	assert_int_equal(attribute_branches(b, &raw, &p, &stats, NULL), 0);
	assert_int_equal(calls_of(&p, "main", "fast"), 1000);
	assert_int_equal(head_of(&p, "fast"), 1000);
	assert_int_equal(stats.calls_to_function, stats.calls);
	source_profile_deinit(&p);
	branch_profile_deinit(&raw);
}

/* The stub of an IFUNC has a slot without a symbol. */
static void ifuncs(void **state)
{
	static const char *const flags[] = {"", "-fcf-protection", "-static", "-fuse-ld=lld"};

	(void)state;
	assert_int_equal(program_write("ifunc.c", resolved), 0);
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		struct binary *b;

		if (strstr(flags[i], "lld") && !tools_have("ld.lld"))
			continue;
		assert_int_equal(program_run("gcc -O2 -g %s ifunc.c -o ifunc", flags[i]), 0);
		b = binary_open("ifunc", NULL);
		assert_non_null(b);
		check_chosen(b);
		binary_close(b);
	}
}

static int set_up(void **state)
{
	(void)state;
	return program_directory_make();
}

static int tear_down(void **state)
{
	(void)state;
	program_directory_remove();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_through_the_plt),
		cmocka_unit_test(interposed),
		cmocka_unit_test(ifuncs),
		cmocka_unit_test(veneers),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
