/* SPDX-License-Identifier: MIT */
/*
 * The tracing core without any event: a small machine-code program is stepped by hand, and the core
 * is given the registers that it would have at each breakpoint.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "collector/core.h"

#define BASE  0x400000u
#define STACK 0x7fff0000u

/*
 *	400000	mov  $3, %ecx
 *	400005	call 400010
 *	40000a	jmp  40000a
 *	400010	dec  %ecx
 *	400012	je   400018		not taken twice, then taken
 *	400014	jmp  400010
 *	400018	jmp  *%rax		to 40001c
 *	40001c	jmp  *0x20(%rdx)	to 400030
 *	400030	ret	to 40000a
 */
static const uint8_t program[] = {
	[0x00] = 0xb9, 3,    0,	   0, 0, /* mov */
	[0x05] = 0xe8, 6,    0,	   0, 0, /* call */
	[0x0a] = 0xeb, 0xfe,		 /* jmp self */
	[0x10] = 0xff, 0xc9,		 /* dec */
	[0x12] = 0x74, 0x04,		 /* je */
	[0x14] = 0xeb, 0xfa,		 /* jmp back */
	[0x18] = 0xff, 0xe0,		 /* jmp rax */
	[0x1c] = 0xff, 0x62, 0x20,	 /* jmp 0x20(rdx) */
	[0x30] = 0xc3,			 /* ret */
};

static bool read_memory(void *context, uint64_t address, void *out, size_t bytes)
{
	static const uint64_t table = BASE + 0x30, back = BASE + 0x0a;

	(void)context;
	if (address >= BASE && address - BASE < sizeof(program)) {
		size_t room = sizeof(program) - (address - BASE);

		memset(out, 0x90, bytes);
		memcpy(out, program + (address - BASE), bytes < room ? bytes : room);
		return true;
	}
	if (address == 0x9020 && bytes == 8)
		memcpy(out, &table, 8);
	else if (address == STACK - 8 && bytes == 8)
		memcpy(out, &back, 8);
	else
		return false;
	return true;
}

static const struct isa_memory memory = {read_memory, NULL};

struct fixture {
	struct core core;
	struct isa_state state;
	struct trace_entry entries[64];
	struct core_cached cache[CORE_CACHE_SLOTS];
};

static struct fixture f;

static void begin(enum core_lookahead lookahead, unsigned depth)
{
	static const struct isa_snapshot registers = {
		.gpr = {[4] = STACK - 8, [0] = BASE + 0x1c, [2] = 0x9000},
		.pc = BASE,
	};
	struct core_options options = {.depth = depth, .lookahead = lookahead};

	memset(&f, 0, sizeof(f));
	assert_int_equal(core_init(&f.core, &options, f.entries, f.cache), 0);
	isa_state_load_snapshot(&f.state, &registers);
}

static void expect_break(struct core_action action, uint64_t offset)
{
	assert_int_equal(action.verdict, CORE_BREAK);
	assert_int_equal(action.address, BASE + offset);
	isa_state_set_pc(&f.state, action.address);
}

static void expect_entry(unsigned i, uint64_t from, uint64_t to)
{
	assert_int_equal(f.core.trace.entries[i].from, BASE + from);
	assert_int_equal(f.core.trace.entries[i].to, BASE + to);
}

static struct core_action resume(bool zero_flag)
{
	f.state.flags = zero_flag ? 0x40 : 0;
	return core_resume(&f.core, &f.state, &memory);
}

static void follows_the_paper(void **state)
{
	(void)state;
	begin(CORE_STATIC, 9);
	expect_break(core_begin(&f.core, &f.state, &memory), 0x12);
	expect_break(resume(false), 0x12); /* and over the direct jump back */
	expect_break(resume(false), 0x12);
	expect_break(resume(true), 0x18);
	expect_break(resume(false), 0x1c);
	expect_break(resume(false), 0x30);
	f.state.gpr[4] = STACK - 8;
	assert_int_equal(resume(false).verdict,
			 CORE_COMPLETE); /* the ret, then the loop by decoding */
	assert_int_equal(f.core.trace.start, BASE);
	assert_int_equal(f.core.trace.count, 9);
	expect_entry(0, 0x05, 0x10);
	expect_entry(1, 0x14, 0x10);
	expect_entry(2, 0x14, 0x10);
	expect_entry(3, 0x12, 0x18);
	expect_entry(4, 0x18, 0x1c);
	expect_entry(5, 0x1c, 0x30);
	expect_entry(6, 0x30, 0x0a);
	expect_entry(7, 0x0a, 0x0a);
	expect_entry(8, 0x0a, 0x0a);
	assert_int_equal(f.core.counters.unresolved, 6);
	assert_int_equal(f.core.counters.taken, 4);
	assert_int_equal(f.core.counters.resolved, 5);
	core_deinit(&f.core);
}

static void stops_everywhere_when_off(void **state)
{
	(void)state;
	begin(CORE_OFF, 9);
	expect_break(core_begin(&f.core, &f.state, &memory), 0x05);
	expect_break(resume(false), 0x12);
	expect_break(resume(false), 0x14);
	expect_break(resume(false), 0x12);
	assert_int_equal(f.core.counters.resolved, 0);
	core_deinit(&f.core);
}

static void ends_where_nothing_is_known(void **state)
{
	struct core_action action;

	(void)state;
	begin(CORE_STATIC, 9);
	isa_state_set_pc(&f.state, 0x1000);
	action = core_begin(&f.core, &f.state, &memory);
	assert_int_equal(action.verdict, CORE_ABANDON);
	assert_int_equal(action.reason, CORE_UNREADABLE);

	isa_state_set_pc(&f.state, BASE + 0x1c);
	f.state.gpr[2] = 0x5000; /* the table is not readable */
	expect_break(core_begin(&f.core, &f.state, &memory), 0x1c);
	action = resume(false);
	assert_int_equal(action.verdict, CORE_ABANDON);
	assert_int_equal(action.reason, CORE_UNEVALUATED);
	core_deinit(&f.core);

	begin(CORE_STATIC, 9);
	f.core.options.exclude_begin = BASE + 0x10;
	f.core.options.exclude_end = BASE + 0x20;
	action = core_begin(&f.core, &f.state, &memory);
	assert_int_equal(action.verdict, CORE_ABANDON);
	assert_int_equal(action.reason, CORE_EXCLUDED);
	assert_int_equal(f.core.trace.count, 1); /* the call into it */
	core_deinit(&f.core);
}

static void every_reason_has_a_text(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CORE_REASON_COUNT; i++)
		assert_non_null(core_reason_text(i));
	assert_string_equal(core_reason_text(CORE_REASON_COUNT), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_the_paper),
		cmocka_unit_test(stops_everywhere_when_off),
		cmocka_unit_test(ends_where_nothing_is_known),
		cmocka_unit_test(every_reason_has_a_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
