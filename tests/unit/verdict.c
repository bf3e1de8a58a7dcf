/* SPDX-License-Identifier: MIT */
/*
 * Which functions without a recorded entry count against a profile, and how a verdict is worded: on
 * branches made by hand, of a program whose addresses the decoder gives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <unistd.h>

#include "converter/pipeline/verdict.h"
#include "converter/source/attribute.h"
#include "tests/unit/exact.h"

static char directory[] = "/tmp/softlbr-verdict-XXXXXX";
static struct binary *b;

static const struct binary_function *function(const char *name)
{
	size_t count;
	const struct binary_function *f = binary_functions(b, &count);

	for (size_t i = 0; i < count; i++)
		if (!strcmp(f[i].name, name))
			return &f[i];
	fail_msg("no function %s", name);
	return NULL;
}

/* The first instruction of that kind in a function, or behind it. */
static uint64_t find(const char *name, enum isa_kind kind, bool behind)
{
	const struct binary_function *f = function(name);
	struct isa_insn insn;

	for (uint64_t va = f->begin; va < f->end && binary_decode(b, va, &insn); va += insn.length)
		if (insn.kind == kind)
			return behind ? va + insn.length : va;
	fail_msg("%s has no such instruction", name);
	return 0;
}

/* How much of what ran counts as of a zero head count. */
static double zero_head(const struct branch_profile *p)
{
	const struct validate_stats valid = {0};
	struct attribute_stats stats;
	struct source_profile source;
	struct verdict v;

	assert_int_equal(attribute_branches(b, p, &source, &stats, NULL), 0);
	source_profile_deinit(&source);
	verdict_init(&v);
	verdict_take_source(&v, &stats, &valid);
	return v.values[VERDICT_ZERO_HEAD].value;
}

static void only_what_a_trace_would_have_shown_counts(void **state)
{
	uint64_t begin = function("leaf")->begin, leaves = find("leaf", ISA_RETURN, false);
	uint64_t call = find("caller", ISA_CALL, false), after = find("caller", ISA_CALL, true);
	struct branch_profile p = {0};

	(void)state;
	branch_profile_add_range(&p, begin, leaves, 100);
	/* left for another module (main, a thread, a callback, a signal's handler) */
	branch_profile_add_branch(&p, leaves, BRANCH_OUTSIDE, 100, 0);
	assert_float_equal(zero_head(&p), 0, 0);
	/* once in a long while */
	branch_profile_add_branch(&p, leaves, after, 1, 0);
	assert_float_equal(zero_head(&p), 0, 0);
	/* as often as what is called */
	branch_profile_add_branch(&p, leaves, after, 99, 0);
	assert_float_equal(zero_head(&p), 1, 0);
	branch_profile_add_branch(&p, call, begin, 1, 0);
	assert_float_equal(zero_head(&p), 0, 0);
	branch_profile_deinit(&p);
}

/* Coroutines begin by a return to their first instruction, and retpolines call by one. */
static void a_return_to_the_first_instruction_enters(void **state)
{
	uint64_t begin = function("leaf")->begin, leaves = find("leaf", ISA_RETURN, false);
	struct branch_profile p = {0};

	(void)state;
	branch_profile_add_range(&p, begin, leaves, 100);
	branch_profile_add_branch(&p, leaves, find("caller", ISA_CALL, true), 100, 0);
	assert_float_equal(zero_head(&p), 1, 0);
	branch_profile_add_branch(&p, find("caller", ISA_RETURN, false), begin, 1, 0);
	assert_float_equal(zero_head(&p), 0, 0);
	branch_profile_deinit(&p);
}

static void few_traces_are_poor(void **state)
{
	static const struct {
		struct funnel funnel;
		int status;
	} cases[] = {{{.samples = 4}, SOFTLBR_E_POOR},
		     {{.samples = 9}, SOFTLBR_E_POOR},
		     {{.samples = 10}, 0},
		     {{.samples = 30, .samples_without_stack = 26}, SOFTLBR_E_POOR},
		     {{0}, 0}}; /* counts, not traces */
	struct verdict v;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		verdict_init(&v);
		verdict_take_traces(&v, &cases[i].funnel);
		assert_int_equal(verdict_judge(&v), cases[i].status);
	}
	verdict_init(&v);
	verdict_limit(&v, VERDICT_TRACES, 3);
	verdict_take_traces(&v, &cases[0].funnel);
	assert_int_equal(verdict_judge(&v), 0);
}

/* What failed comes before what is poor. */
static void a_verdict_says_why(void **state)
{
	char text[VERDICT_TEXT_BYTES];
	struct verdict v;

	(void)state;
	verdict_init(&v);
	verdict_set(&v, VERDICT_BRANCHES, 5000, 5000);
	verdict_judge(&v);
	verdict_explain(&v, text);
	assert_string_equal(text, "");
	assert_string_equal(verdict_name(&v), "good");
	verdict_set(&v, VERDICT_ZERO_HEAD, 0.6125, 5000);
	verdict_judge(&v);
	verdict_explain(&v, text);
	assert_string_equal(text,
			    "61.25 % of the execution is in functions that were never seen to be "
			    "called (head count 0) (limit: at most 20 %, --max-zero-head): "
			    "record longer, and with all branches");
	assert_string_equal(verdict_name(&v), "poor");
	verdict_set(&v, VERDICT_NO_LINE, 0.95, 5000);
	verdict_judge(&v);
	verdict_explain(&v, text);
	assert_string_equal(text,
			    "95 % of the executed code has no source line (limit: at most "
			    "90 %; 1 more figure is beyond its limit): build all of it with -g");
	assert_string_equal(verdict_name(&v), "refused");
}

static int set_up(void **state)
{
	static const char source[] = "int sink;\n"
				     "__attribute__((noinline)) int leaf(int n)\n"
				     "{\n"
				     "	while (n-- > 0)\n"
				     "		sink += n;\n"
				     "	return sink;\n"
				     "}\n"
				     "__attribute__((noinline)) int caller(int n)\n"
				     "{\n"
				     "	return leaf(n) + 1;\n"
				     "}\n"
				     "int main(int argc, char **argv)\n"
				     "{\n"
				     "	return caller(argc) + !argv;\n"
				     "}\n";
	char path[64];
	FILE *f;

	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/a.c", directory);
	f = fopen(path, "w");
	if (!f || fputs(source, f) < 0 || fclose(f) ||
	    run("cd %s && gcc -O1 -g a.c -o a", directory))
		return -1;
	snprintf(path, sizeof(path), "%s/a", directory);
	b = binary_open(path, NULL);
	return b ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	binary_close(b);
	return run("rm -rf %s", directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_a_trace_would_have_shown_counts),
		cmocka_unit_test(a_return_to_the_first_instruction_enters),
		cmocka_unit_test(few_traces_are_poor),
		cmocka_unit_test(a_verdict_says_why),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
