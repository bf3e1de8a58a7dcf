/* SPDX-License-Identifier: MIT */
/*
 * Attribution of exact counts (callgrind) against an independent program that does the same with
 * llvm-symbolizer, and against what the compilers make of the files.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>

#include "base/error.h"
#include "converter/pipeline/verdict.h"
#include "converter/source/attribute.h"
#include "tests/unit/tools.h"
#include "formats/gcov.h"
#include "formats/llvm_profile.h"
#include "tests/unit/exact.h"

static const char source[] =
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"typedef int (*op)(int, int);\n"
	"__attribute__((noinline)) static int add(int a, int b) { return a + b; }\n"
	"__attribute__((noinline)) static int mul(int a, int b)\n"
	"{\n"
	"	return a * b ^ 3;\n"
	"}\n"
	"static op ops[] = {add, mul, add};\n"
	"static inline int clamp(int x)\n"
	"{\n"
	"	if (x > 1000)\n"
	"		return x % 1000;\n"
	"	return x;\n"
	"}\n"
	"__attribute__((noinline)) static int last(int x)\n"
	"{\n"
	"	return mul(x, 3);\n"
	"}\n"
	"/* Its loop begins at its first instruction. */\n"
	"__attribute__((noinline)) int spin(int n)\n"
	"{\n"
	"	do\n"
	"		n = n / 2;\n"
	"	while (n > 1);\n"
	"	return n;\n"
	"}\n"
	"__attribute__((noinline)) int deep(int n)\n"
	"{\n"
	"	if (n <= 0)\n"
	"		return 1;\n"
	"	return deep(n - 1) + add(n, 1);\n"
	"}\n"
	"__attribute__((noinline)) static long work(int n)\n"
	"{\n"
	"	long sum = 0;\n"
	"	int v[32];\n"
	"	for (int i = 0; i < 32; i++)\n"
	"		v[i] = i;\n"
	"	for (int i = 0; i < n; i++) {\n"
	"		sum += clamp(ops[i % 3](i, v[i % 32]));\n"
	"		if (i % 7 == 0) sum += last(i); else if (i % 5 == 0) sum += spin(i);\n"
	"		if (sum < 0) abort();\n"
	"	}\n"
	"	return sum + deep(n % 50);\n"
	"}\n"
	"__attribute__((noinline)) void never(void)\n"
	"{\n"
	"	puts(\"never\");\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	if (argc > 5)\n"
	"		never();\n"
	"	printf(\"%ld\\n\", work(argc * 1000));\n"
	"	return argv[0] == NULL;\n"
	"}\n";

static char directory[] = "/tmp/softlbr-attribute-XXXXXX";

static void need(const char *tool)
{
	if (run("command -v %s >/dev/null 2>&1", tool)) {
		print_message("PARTLY SKIPPED: %s is not installed\n", tool);
		skip();
	}
}

static const char *path_of(const char *name)
{
	static char path[4][256];
	static unsigned at;
	char *p = path[at++ % 4];

	snprintf(p, 256, "%s/%s", directory, name);
	return p;
}

static bool file_has(const char *name, const char *text)
{
	static char content[1 << 20];
	FILE *f = fopen(path_of(name), "r");
	size_t n;

	assert_non_null(f);
	n = fread(content, 1, sizeof(content) - 1, f);
	content[n] = 0;
	fclose(f);
	return strstr(content, text) != NULL;
}

/* Build, run under callgrind, leave BINARY and exact. Skips without the tools. */
static void make_exact(const char *compiler, const char *flags, const char *name)
{
	need(compiler);
	need("valgrind");
	assert_int_equal(run("%s -w %s $D/a.c -o $D/%s", compiler, flags, name), 0);
	/* valgrind 3.19 does not survive clang's DWARF 5 */
	assert_int_equal(run("mkdir -p $D/run && objcopy --strip-debug $D/%s $D/run/%s && cd $D && "
			     "valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes "
			     "--skip-plt=no --callgrind-out-file=cg run/%s >/dev/null 2>&1",
			     name, name, name),
			 0);
	assert_int_equal(run("python3 \"$ORACLES\"/exact_edges.py $D/cg $D/run/%s $D/exact", name),
			 0);
}

static void attribute_exact(const char *name, uint64_t shift, struct source_profile *out,
			    struct attribute_stats *stats)
{
	struct branch_profile p = {0};
	struct softlbr_error e = {0};
	struct binary *b = binary_open(path_of(name), &e);

	assert_non_null(b);
	assert_true(exact_load(path_of("exact"), b, shift, &p));
	assert_int_equal(attribute_branches(b, &p, out, stats, &e), 0);
	branch_profile_deinit(&p);
	binary_close(b);
}

static const struct source_function *find(const struct source_profile *p, const char *name)
{
	const struct source_function *f;

	vector_each (&p->functions, f)
		if (!strcmp(strings_text(p->strings, f->name), name))
			return f;
	return NULL;
}

static uint64_t head(const struct source_profile *p, const char *name)
{
	const struct source_function *f = find(p, name);

	assert_non_null(f);
	return f->head;
}

static uint64_t calls(const struct source_function *f, const struct source_profile *p,
		      const char *callee)
{
	const struct source_callsite *c;
	const struct source_target *t;
	const struct source_line *l;
	uint64_t n = 0;

	vector_each (&f->lines, l)
		vector_each (&l->targets, t)
			if (!strcmp(strings_text(p->strings, t->name), callee))
				n += t->count;
	vector_each (&f->callsites, c)
		n += calls(&c->callee, p, callee);
	return n;
}

static void exact_counts_give_the_oracles_profile(void **state)
{
	static const char *const compilers[] = {"clang-16", "clang" LLVM};
	struct attribute_stats stats;
	struct source_profile p;
	struct softlbr_error e = {0};

	(void)state;
	need("llvm-symbolizer" LLVM);
	need("llvm-profdata" LLVM);
	for (int i = 0; i < 2; i++) {
		if (!tools_have(compilers[i]))
			continue;
		make_exact(compilers[i], "-O2 -gline-tables-only -fdebug-info-for-profiling", "c");
		attribute_exact("c", 0, &p, &stats);
		assert_int_equal(llvm_text_write(&p, path_of("ours.txt"), &e), 0);
		source_profile_deinit(&p);
		assert_int_equal(
			run("LLVM_SYMBOLIZER=llvm-symbolizer" LLVM
			    " python3 \"$ORACLES\"/source_counts.py $D/exact $D/c $D/oracle.raw && "
			    "llvm-profdata" LLVM
			    " merge --sample --text $D/oracle.raw -o $D/oracle.txt"),
			0);
		assert_true(file_has("oracle.txt", "work:"));
		assert_int_equal(run("diff -u $D/oracle.txt $D/ours.txt"), 0);
	}
}

/* Of a profile of stacks that have so many branches and ranges. */
static int judged(const struct attribute_stats *stats, uint64_t branches, uint64_t ranges,
		  struct verdict *v)
{
	const struct validate_stats valid = {.branches = {.in = branches},
					     .ranges = {.in = ranges}};

	verdict_init(v);
	verdict_take_source(v, stats, &valid);
	return verdict_judge(v);
}

static void heads_and_targets_are_the_calls_that_happened(void **state)
{
	struct attribute_stats stats;
	struct source_profile p;
	struct verdict v;

	(void)state;
	make_exact("gcc", "-O2 -g -fno-ipa-icf", "g");
	attribute_exact("g", 0, &p, &stats);
	/* work(1000): 667 indirect calls of add, 333 of mul; 143 of last, which jumps to mul; 172
	 * of spin, whose loop is no call; deep(0). */
	assert_int_equal(head(&p, "add"), 667);
	assert_int_equal(head(&p, "mul"), 333 + 143);
	assert_int_equal(head(&p, "last"), 143);
	assert_int_equal(head(&p, "spin"), 171);
	assert_int_equal(head(&p, "deep"), 1);
	assert_int_equal(head(&p, "main"), 1);
	assert_int_equal(calls(find(&p, "work"), &p, "add"), 667);
	assert_int_equal(calls(find(&p, "work"), &p, "mul"), 333);
	assert_int_equal(calls(find(&p, "last"), &p, "mul"), 143);
	assert_int_equal(calls(find(&p, "spin"), &p, "spin"), 0);
	assert_null(find(&p, "never"));
	assert_int_equal(stats.calls, stats.calls_to_function);
	assert_true(stats.entry_residual < 10); /* what libc enters: _start, main */
	assert_int_equal(judged(&stats, 0, 0, &v), 0);
	source_profile_deinit(&p);
}

static void a_shifted_profile_is_noticed(void **state)
{
	struct attribute_stats stats;
	struct source_profile p;
	struct verdict v;

	(void)state;
	make_exact("clang" LLVM, "-O2 -gline-tables-only -fdebug-info-for-profiling", "c");
	for (uint64_t shift = 16; shift <= 160; shift += 48) {
		attribute_exact("c", shift, &p, &stats);
		assert_int_equal(judged(&stats, 0, 0, &v), SOFTLBR_E_BINARY);
		source_profile_deinit(&p);
	}
}

/* Each figure alone is enough, and few things are no evidence. */
static void each_check_decides(void **state)
{
	static const struct attribute_stats bad[VERDICT_SAME_CODE] = {
		[VERDICT_ZERO_HEAD] = {.runs = 100, .runs_zero_head = 81},
		[VERDICT_CALLS_MISDIRECTED] = {.calls = 100, .calls_to_function = 49},
		[VERDICT_ENTRY_RESIDUAL] = {.entry_runs = 100, .entry_residual = 76},
		[VERDICT_CALLS_UNRECORDED] = {.call_runs = 100, .call_runs_unrecorded = 91},
		[VERDICT_FLOW_RESIDUAL] = {.range_ends = 100, .range_ends_unrecorded = 91},
		[VERDICT_NO_LINE] = {.weight = 100, .weight_placed = 9, .weight_line_zero = 91},
		[VERDICT_NO_SYMBOL] = {.weight = 100, .weight_no_symbol = 91},
	};
	const struct attribute_stats few = {.range_ends = 19, .range_ends_unrecorded = 19};
	struct verdict v;

	(void)state;
	for (int i = VERDICT_ZERO_HEAD; i <= VERDICT_NO_SYMBOL; i++) {
		bool unmapped = i == VERDICT_NO_LINE || i == VERDICT_NO_SYMBOL;

		assert_int_equal(judged(&bad[i], 0, 0, &v),
				 unmapped ? SOFTLBR_E_INPUT : SOFTLBR_E_BINARY);
		for (int k = VERDICT_ZERO_HEAD; k <= VERDICT_NO_SYMBOL; k++)
			assert_int_equal(v.values[k].grade, k == i ? VERDICT_FAILED : VERDICT_GOOD);
	}
	assert_int_equal(judged(&few, 0, 0, &v), 0);
}

/* Stacks of two branches have half as many ranges: entries ran half as often as they were entered.
 */
static void short_stacks_lack_ranges(void **state)
{
	const struct attribute_stats pairs = {.entry_runs = 100, .entry_residual = 105},
				     worse = {.entry_runs = 100, .entry_residual = 176};
	struct verdict v;

	(void)state;
	assert_int_equal(judged(&pairs, 3200, 3000, &v), SOFTLBR_E_BINARY);
	assert_int_equal(judged(&pairs, 200, 100, &v), 0);
	assert_int_equal(judged(&worse, 200, 100, &v), SOFTLBR_E_BINARY);
}

static void clang_applies_the_profile(void **state)
{
	struct softlbr_error e = {0};
	struct attribute_stats stats;
	struct source_profile p;

	(void)state;
	make_exact("clang" LLVM, "-O2 -gline-tables-only -fdebug-info-for-profiling", "c");
	attribute_exact("c", 0, &p, &stats);
	assert_int_equal(llvm_text_write(&p, path_of("c.prof"), &e), 0);
	source_profile_deinit(&p);
	assert_int_equal(run("cd $D && clang" LLVM " -O2 -fprofile-sample-use=c.prof "
			     "-Rpass-analysis=sample-profile -c a.c -o a.o 2>applied"),
			 0);
	assert_true(file_has("applied", "Applied 1000 samples from profile"));
	assert_true(file_has("applied", "Applied 143 samples from profile"));
}

static void gcc_takes_the_counts(void **state)
{
	static const struct {
		const char *compiler;
		unsigned version;
	} compilers[] = {{"gcc-12", 12}, {"gcc-11", 11}};
	struct softlbr_error e = {0};
	struct attribute_stats stats;
	struct source_profile p;

	(void)state;
	for (int i = 0; i < 2; i++) {
		if (!tools_have(compilers[i].compiler))
			continue;
		make_exact(compilers[i].compiler, "-O2 -g -fno-ipa-icf", "g");
		attribute_exact("g", 0, &p, &stats);
		assert_int_equal(gcov_write(&p, compilers[i].version, path_of("g.gcov"), &e), 0);
		source_profile_deinit(&p);
		assert_int_equal(
			run("cd $D && %s -O2 -fno-ipa-icf -fauto-profile=g.gcov "
			    "-fvect-cost-model=very-cheap -fdump-tree-optimized-blocks-details=blocks "
			    "-c a.c -o a.o",
			    compilers[i].compiler),
			0);
		assert_true(file_has("blocks", "count 476 (auto FDO)"));
		assert_true(file_has("blocks", "count 143 (auto FDO)"));
		assert_true(file_has("blocks", "count 667 (auto FDO)"));
	}
}

/* Two static functions of one name in parts of which some run the same lines: a position has the
 * greatest count of all of one function's parts, and the two functions are added up. */
static void parts_are_one_function(void **state)
{
	static const char text[] = "static volatile unsigned long sink;\n"
				   "static __attribute__((noinline)) int tw(int x)\n"
				   "{\n"
				   "	for (int k = 0; k < 3; k++)\n"
				   "		if (x & (1 << k))\n"
				   "			sink += k;\n"
				   "	return x;\n"
				   "}\n"
				   "int NAME(int x) { return tw(x); }\n";
	const char *flags = "-O2 -g -fdebug-info-for-profiling -fbasic-block-sections=all -fPIC";
	struct branch_profile ranges = {0};
	struct map first_runs = {0};
	const struct binary_function *f;
	struct source_profile p;
	const struct source_line *l;
	struct binary *b;
	size_t count, parts = 0;
	uint64_t earliest = 0;
	FILE *out = fopen(path_of("parts.c"), "w");

	(void)state;
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
	need("clang" LLVM);
	need("ld.lld" LLVM);
	assert_int_equal(run("cd $D && clang" LLVM " %s -DNAME=one -c parts.c -o one.o", flags), 0);
	assert_int_equal(run("cd $D && clang" LLVM " %s -DNAME=two -c parts.c -o two.o", flags), 0);
	assert_int_equal(run("cd $D && clang" LLVM " -shared -fuse-ld=lld one.o two.o -o parts.so"),
			 0);
	b = binary_open(path_of("parts.so"), NULL);
	assert_non_null(b);
	f = binary_functions(b, &count);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(f[i].name, "tw") != 0 && strncmp(f[i].name, "tw.", 3) != 0)
			continue;
		parts++;
		assert_int_equal(branch_profile_add_range(&ranges, f[i].begin, f[i].end - 1, 1000),
				 0);
	}
	assert_in_range(parts, 10, 20); /* of both */
	assert_int_equal(attribute_branches(b, &ranges, &p, NULL, NULL), 0);
	assert_int_equal(p.functions.count, 1);
	assert_string_equal(strings_text(p.strings, p.functions.items[0].name), "tw");
	/* the earliest of all its parts */
	for (size_t i = 0; i < count; i++)
		if (!strncmp(f[i].name, "tw", 2)) {
			struct map_entry *e = map_at(&first_runs, f[i].begin + 1, 0);

			assert_non_null(e);
			e->n = strcmp(f[i].name, "tw") ? 100 - i : 0;
			earliest = e->n && (!earliest || e->n < earliest) ? e->n : earliest;
		}
	attribute_first_runs(b, &first_runs, &p);
	assert_true(earliest);
	assert_int_equal(p.functions.items[0].first_run_ns, earliest);
	map_deinit(&first_runs);
	vector_each (&p.functions.items[0].lines, l)
		assert_true(l->count % 2000 == 0 && l->count <= 6000); /* times 1 or 3: unrolled */
	source_profile_deinit(&p);
	branch_profile_deinit(&ranges);
	binary_close(b);
}

/* UINT64_MAX: there is no such position. */
static uint64_t count_at(const struct source_function *f, int32_t line, uint32_t discriminator)
{
	const struct source_line *l;

	vector_each (&f->lines, l)
		if (l->at.line == line && l->at.discriminator == discriminator)
			return l->count;
	return UINT64_MAX;
}

/* Build copies.so of a function whose lines 5 and 6 gcc of @version says to be copies of line 4's
 * second statement: the one the first, the other, of a vectorised loop, the third one's fourfold.
 */
static void make_copies(unsigned version)
{
	FILE *out = fopen(path_of("copies.c"), "w");

	assert_non_null(out);
	fputs("volatile int sink;\n"
	      "int twice(int x)\n"
	      "{\n"
	      "	sink = x;\n"
	      "	sink = x + 1;\n"
	      "	sink = x + 2;\n"
	      "	return x;\n"
	      "}\n",
	      out);
	fclose(out);
	assert_int_equal(
		run("cd $D && gcc -O0 -g -fPIC -S copies.c -o copies.s && sed -i "
		    "'s/\"GNU C[0-9]* [0-9.]*/\"GNU C23 %u.2.0/; s/\\(\\.loc 1 \\)4 .*/\\14 1 discriminator 2/; "
		    "s/\\(\\.loc 1 \\)5 .*/\\14 1 discriminator %u/; "
		    "s/\\(\\.loc 1 \\)6 .*/\\14 1 discriminator %u/' copies.s && "
		    "gcc -shared copies.s -o copies.so",
		    version, 2 | 1 << 15, 2 | 4 << 8 | 2 << 15),
		0);
}

/* From gcc 16 on copies are numbered in the upper bits of a discriminator: what was one statement
 * is counted as one. To older ones each is a number like any other. */
static void copies_of_a_statement_add_up(void **state)
{
	(void)state;
	need("gcc");
	for (unsigned version = 15; version <= 17; version++) {
		struct branch_profile ranges = {0};
		const struct binary_function *f;
		struct source_profile p;
		struct binary *b;
		size_t count;

		make_copies(version);
		b = binary_open(path_of("copies.so"), NULL);
		assert_non_null(b);
		f = binary_functions(b, &count);
		while (count && strcmp(f->name, "twice") != 0)
			f++, count--;
		assert_true(count);
		assert_int_equal(branch_profile_add_range(&ranges, f->begin, f->end - 1, 100), 0);
		assert_int_equal(attribute_branches(b, &ranges, &p, NULL, NULL), 0);
		assert_int_equal(p.functions.count, 1);
		assert_int_equal(count_at(&p.functions.items[0], 2, 2), version < 16 ? 100 : 600);
		assert_int_equal(count_at(&p.functions.items[0], 2, 2 | 1 << 15),
				 version < 16 ? 100 : UINT64_MAX);
		assert_int_equal(count_at(&p.functions.items[0], 2, 2 | 1 << 8), UINT64_MAX);
		assert_int_equal(count_at(&p.functions.items[0], 1, 0), 100);
		source_profile_deinit(&p);
		branch_profile_deinit(&ranges);
		binary_close(b);
	}
}

/* A catch is in f.cold, which never ran; f did: its lines are known to be cold. g did not run, and
 * nothing is known of it. */
static void parts_that_never_ran(void **state)
{
	static const char handlers[] = "int may(int);\n"
				       "int f(int x)\n"
				       "{\n"
				       "	try { return may(x); }\n"
				       "	catch (int y) {\n"
				       "		return y * 3;\n"
				       "	}\n"
				       "}\n"
				       "int g(int x)\n"
				       "{\n"
				       "	try { return may(x) + 1; }\n"
				       "	catch (...) { return 2; }\n"
				       "}\n";
	struct branch_profile ranges = {0};
	const struct binary_function *f;
	struct source_profile p;
	const struct source_line *l;
	struct binary *b;
	size_t count, cold = 0;
	FILE *out = fopen(path_of("cold.cc"), "w");
	bool found = false;

	(void)state;
	assert_non_null(out);
	fputs(handlers, out);
	fclose(out);
	need("g++-12");
	assert_int_equal(run("cd $D && g++-12 -O2 -g -shared -fPIC cold.cc -o cold.so"), 0);
	b = binary_open(path_of("cold.so"), NULL);
	assert_non_null(b);
	f = binary_functions(b, &count);
	for (size_t i = 0; i < count; i++) {
		cold += strstr(f[i].name, ".cold") != NULL;
		if (!strcmp(f[i].name, "_Z1fi"))
			assert_int_equal(
				branch_profile_add_range(&ranges, f[i].begin, f[i].end - 1, 50), 0);
	}
	assert_int_equal(cold, 2);
	assert_int_equal(attribute_branches(b, &ranges, &p, NULL, NULL), 0);
	assert_int_equal(p.functions.count, 1);
	assert_string_equal(strings_text(p.strings, p.functions.items[0].name), "_Z1fi");
	vector_each (&p.functions.items[0].lines, l)
		if (l->at.line == 4) {
			assert_int_equal(l->count, 0);
			found = true;
		}
	assert_true(found);
	source_profile_deinit(&p);
	branch_profile_deinit(&ranges);
	binary_close(b);
}

static int set_up(void **state)
{
	char oracles[PATH_MAX];
	FILE *f;

	(void)state;
	if (!mkdtemp(directory) || !realpath("tests/oracles", oracles))
		return -1;
	setenv("D", directory, 1);
	setenv("ORACLES", oracles, 1);
	f = fopen(path_of("a.c"), "w");
	if (!f)
		return -1;
	fputs(source, f);
	return fclose(f);
}

static int tear_down(void **state)
{
	(void)state;
	return run("rm -rf %s", directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_counts_give_the_oracles_profile),
		cmocka_unit_test(heads_and_targets_are_the_calls_that_happened),
		cmocka_unit_test(a_shifted_profile_is_noticed),
		cmocka_unit_test(each_check_decides),
		cmocka_unit_test(short_stacks_lack_ranges),
		cmocka_unit_test(clang_applies_the_profile),
		cmocka_unit_test(parts_are_one_function),
		cmocka_unit_test(copies_of_a_statement_add_up),
		cmocka_unit_test(parts_that_never_ran),
		cmocka_unit_test(gcc_takes_the_counts),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
