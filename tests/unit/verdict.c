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
#include <math.h>
#include <string.h>
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

/* What a recording of which nothing is known but @e is called. */
static int judge_evidence(struct verdict *v, const struct evidence *e)
{
	const struct branch_profile none = {0};
	const struct funnel funnel = {0};

	verdict_init(v);
	verdict_take_evidence(v, e, &none, &funnel, NULL);
	return verdict_judge(v);
}

/* The expected overlap decides: of how many traces, how unlike, and what of them was timed. */
static void a_grade_is_by_what_counts_rest_on(void **state)
{
	static const struct {
		struct evidence e;
		enum verdict_grade grade;
		int status;
	} cases[] = {
		/* nothing is known: aggregated counts */
		{{.traces = 0}, VERDICT_GOOD, 0},
		/* many, that say the same; nine of them; nine that differ */
		{{.traces = 800, .noise = 0.01, .spread = 0.2, .weighted = true}, VERDICT_GOOD, 0},
		{{.traces = 9, .noise = 0.002, .spread = 0.01, .weighted = true}, VERDICT_FAIR, 0},
		{{.traces = 9, .noise = 0.3, .spread = 0.7, .weighted = true},
		 VERDICT_POOR,
		 SOFTLBR_E_POOR},
		/* many, whose loop was never timed */
		{{.traces = 800,
		  .noise = 0.01,
		  .spread = 0.45,
		  .spread_untimed = 0.45,
		  .weighted = true},
		 VERDICT_POOR,
		 SOFTLBR_E_POOR},
		/* a timer's without weights are never good; those of another event are */
		{{.traces = 5000, .noise = 0.005, .spread = 0.5, .biased = true}, VERDICT_FAIR, 0},
		{{.traces = 5000, .noise = 0.005, .spread = 0.5}, VERDICT_GOOD, 0},
		{{.traces = 1, .noise = NAN}, VERDICT_POOR, SOFTLBR_E_POOR},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct verdict v;

		assert_int_equal(judge_evidence(&v, &cases[i].e), cases[i].status);
		assert_int_equal(v.grade, cases[i].grade);
	}
}

/* "cost about 2e+02 %" was said of few traces that are all alike. */
static void a_loss_is_a_part_of_the_whole(void **state)
{
	const struct evidence few = {.traces = 2, .noise = 2};
	const struct evidence more = {.traces = 1000, .noise = 0.032, .spread = 0.3};
	struct expected_overlap o = expected_overlap_of(&few, NAN, NULL);
	char text[200];

	(void)state;
	o.estimate.by_noise = 2;
	expected_overlap_advise(&o, 0.9, text, sizeof(text));
	assert_non_null(strstr(text, "cost about 100 %: record "));
	o = expected_overlap_of(&more, 10, NULL);
	o.estimate.by_noise = 0.032;
	expected_overlap_advise(&o, 0.9, text, sizeof(text));
	assert_non_null(strstr(text, "cost about 3.2 %: record "));
}

/* The limit is the user's: what is fair for one is good for another. */
static void the_least_overlap_is_a_limit(void **state)
{
	const struct evidence e = {.traces = 100, .noise = 0.05, .spread = 0.4, .weighted = true};
	char text[VERDICT_TEXT_BYTES];
	struct verdict v;

	(void)state;
	assert_int_equal(judge_evidence(&v, &e), 0);
	assert_string_equal(verdict_name(&v), "fair");
	verdict_explain(&v, text);
	assert_non_null(strstr(text, "expected overlap with exact counts: few traces"));
	verdict_limit(&v, VERDICT_OVERLAP, 0.7);
	assert_int_equal(verdict_judge(&v), 0);
	assert_string_equal(verdict_name(&v), "good");
	verdict_limit(&v, VERDICT_OVERLAP, 0.999);
	assert_int_equal(verdict_judge(&v), SOFTLBR_E_POOR);
}

/* Fair by a hair: which grade the next recording gets is chance, and the text says so. */
static void what_is_nearly_good_is_told(void **state)
{
	struct evidence e = {.traces = 1000, .noise = 0.049, .weighted = true};
	char text[VERDICT_TEXT_BYTES];
	struct verdict v;

	(void)state;
	judge_evidence(&v, &e);
	assert_string_equal(verdict_name(&v), "fair");
	verdict_explain(&v, text);
	assert_non_null(strstr(text, "exact counts, just below good: few traces"));
	e.noise = 0.06;
	judge_evidence(&v, &e);
	assert_string_equal(verdict_name(&v), "fair");
	verdict_explain(&v, text);
	assert_null(strstr(text, "just below"));
}

/* A function has the traces of its most frequent branch; a cold one says nothing of the hot. */
static void hot_functions_have_traces(void **state)
{
	const struct branch_profile none = {0};
	const struct funnel funnel = {0};
	struct evidence_place places[] = {
		{function("leaf")->begin, 900, 0, 90},
		{function("leaf")->begin + 1, 500, 500, 70},
		{function("caller")->begin, 100, 0, 12},
		{function("main")->begin, 1, 0, 1},
	};
	const struct evidence e = {.places = {.items = places, .count = 4},
				   .traces = 100,
				   .weight = 1501,
				   .noise = 0.01,
				   .weighted = true};
	struct expected_overlap_functions list = {0};
	struct verdict v;

	(void)state;
	verdict_init(&v);
	verdict_take_evidence(&v, &e, &none, &funnel, b);
	assert_float_equal(v.values[VERDICT_FUNCTION_TRACES].value, 12, 0);
	expected_overlap_functions_find(&list, &e, b);
	assert_int_equal(list.items.count, 3);
	assert_int_equal(expected_overlap_functions_at(&list, function("leaf")->begin)->traces, 90);
	assert_float_equal(expected_overlap_functions_at(&list, function("leaf")->begin)->weight,
			   1400, 0);
	assert_int_equal(expected_overlap_functions_at(&list, function("main")->begin)->traces, 1);
	assert_null(expected_overlap_functions_at(&list, 1));
	expected_overlap_functions_deinit(&list);
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
		cmocka_unit_test(a_grade_is_by_what_counts_rest_on),
		cmocka_unit_test(a_loss_is_a_part_of_the_whole),
		cmocka_unit_test(the_least_overlap_is_a_limit),
		cmocka_unit_test(what_is_nearly_good_is_told),
		cmocka_unit_test(hot_functions_have_traces),
		cmocka_unit_test(a_verdict_says_why),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
