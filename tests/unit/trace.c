/* SPDX-License-Identifier: MIT */
/* collector/engine/trace.h: which branches of a trace are recorded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <linux/perf_event.h>

#include "collector/engine/trace.h"
#include "isa/isa.h"

static uint32_t filter_of(const char *text)
{
	const char *wrong;
	uint32_t filter;

	assert_true(trace_filter_read(text, &filter, &wrong));
	return filter;
}

/* Each is read and told; perf's names are as ours. */
static void filters_are_read(void **state)
{
	static const struct {
		const char *text, *told;
		uint64_t type; /* PERF_SAMPLE_BRANCH_* */
	} lists[] = {
		{"any", "any", PERF_SAMPLE_BRANCH_ANY},
		{"u", "any", PERF_SAMPLE_BRANCH_ANY},
		{"any,u", "any", PERF_SAMPLE_BRANCH_ANY},
		{"call", "call", PERF_SAMPLE_BRANCH_ANY_CALL},
		{"any_call,u", "call", PERF_SAMPLE_BRANCH_ANY_CALL},
		{"return", "return", PERF_SAMPLE_BRANCH_ANY_RETURN},
		{"any_ret", "return", PERF_SAMPLE_BRANCH_ANY_RETURN},
		{"cond", "cond", PERF_SAMPLE_BRANCH_COND},
		{"indirect", "indirect", PERF_SAMPLE_BRANCH_IND_CALL | PERF_SAMPLE_BRANCH_IND_JUMP},
		{"ind_jmp,ind_call", "indirect",
		 PERF_SAMPLE_BRANCH_IND_CALL | PERF_SAMPLE_BRANCH_IND_JUMP},
		{"ind_call", "ind_call", PERF_SAMPLE_BRANCH_IND_CALL},
		{"ind_jmp", "ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP},
		{"stack", "stack", PERF_SAMPLE_BRANCH_CALL_STACK},
		{"u,stack", "stack", PERF_SAMPLE_BRANCH_CALL_STACK},
		{"return,call", "call,return",
		 PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_ANY_RETURN},
		{"cond,any", "any", PERF_SAMPLE_BRANCH_ANY},
		{"call,return,cond,indirect", "call,return,cond,indirect",
		 PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_ANY_RETURN |
			 PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_IND_CALL |
			 PERF_SAMPLE_BRANCH_IND_JUMP},
	};
	char text[TRACE_FILTER_TEXT_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		uint32_t filter = filter_of(lists[i].text);

		assert_string_equal(trace_filter_text(filter, text), lists[i].told);
		assert_int_equal(trace_filter_sample_type(filter), lists[i].type);
	}
}

static void what_is_wrong_is_told(void **state)
{
	static const struct {
		const char *text, *wrong;
	} lists[] = {
		{"", ""},
		{"calls", "calls"},
		{"cal", "cal"},
		{"call,", ""},
		{"call,k", "k"},
		{"call, return", " return"},
		{"stack,call", "call"},
		{"call,stack", "stack"},
	};
	const char *wrong;
	uint32_t filter;

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		assert_false(trace_filter_read(lists[i].text, &filter, &wrong));
		assert_string_equal(wrong, lists[i].wrong);
	}
	assert_false(trace_filter_read("any,stack", &filter, &wrong));
	assert_false(trace_filter_read("stack,any", &filter, &wrong));
}

static const uint8_t kinds[] = {
	ISA_CALL,	   ISA_RETURN,	     ISA_RETURN, ISA_JUMP_CONDITIONAL,
	ISA_CALL_INDIRECT, ISA_RETURN,	     ISA_RETURN, ISA_JUMP_INDIRECT,
	ISA_CALL,	   ISA_CALL_INDIRECT};

#define COUNT (sizeof(kinds))

/* The numbers of the entries that are left, as digits. */
static uint64_t left_by(const char *filter, unsigned *popped, uint64_t *start)
{
	struct isa_taken entries[COUNT];
	uint8_t own[COUNT];
	struct trace t = {.start = 100, .count = COUNT, .entries = entries, .kinds = own};
	uint64_t digits = 0;

	for (unsigned i = 0; i < COUNT; i++) {
		entries[i] = (struct isa_taken){i, 10 + i};
		own[i] = kinds[i];
	}
	*popped = trace_filter_apply(&t, filter_of(filter));
	*start = t.start;
	for (unsigned i = 0; i < t.count; i++)
		digits = 10 * digits + t.entries[i].from;
	return digits;
}

static void kinds_are_kept(void **state)
{
	uint64_t start;
	unsigned popped;

	(void)state;
	assert_int_equal(left_by("any", &popped, &start), 123456789);
	assert_int_equal(left_by("call", &popped, &start), 489);
	assert_int_equal(left_by("call,return", &popped, &start), 1245689);
	assert_int_equal(left_by("indirect", &popped, &start), 479);
	assert_int_equal(left_by("ind_call", &popped, &start), 49);
	assert_int_equal(left_by("ind_jmp,cond", &popped, &start), 37);
	assert_int_equal(popped, 0);
	assert_int_equal(start, 100);
}

/* A call stack is that of the trace's end; it went back to callers that it does not have. */
static void a_call_stack_is_left(void **state)
{
	uint64_t start;
	unsigned popped;

	(void)state;
	assert_int_equal(left_by("stack", &popped, &start), 89);
	assert_int_equal(popped, 2);
	assert_int_equal(start, 19);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filters_are_read),
		cmocka_unit_test(what_is_wrong_is_told),
		cmocka_unit_test(kinds_are_kept),
		cmocka_unit_test(a_call_stack_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
