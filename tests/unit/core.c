/* SPDX-License-Identifier: MIT */
/*
 * The tracing core without any event: a small machine-code program is stepped by hand, and the core
 * is given the registers that it would have at each breakpoint.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "collector/engine/core.h"
#include "tests/snapshot.h"

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
 *	400038	mov  %rax, (%rsi)
 *	40003b	add  $8, %rsi
 *	40003f	jmp  400038
 *	400048	inc  (%rsi)
 *	40004b	add  $8, %rsi
 *	40004f	jmp  400048
 *	400058	mov  %eax, (%rsi)
 *	40005a	jmp  40005c
 *	40005c	mov  4(%rsi), %ecx
 *	40005f	add  $8, %rsi
 *	400063	jmp  400058
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
	[0x38] = 0x48, 0x89, 0x06,	 /* mov */
	[0x3b] = 0x48, 0x83, 0xc6, 8,	 /* add */
	[0x3f] = 0xeb, 0xf7,		 /* jmp back */
	[0x48] = 0x48, 0xff, 0x06,	 /* inc */
	[0x4b] = 0x48, 0x83, 0xc6, 8,	 /* add */
	[0x4f] = 0xeb, 0xf7,		 /* jmp back */
	[0x58] = 0x89, 0x06,		 /* mov */
	[0x5a] = 0xeb, 0x00,		 /* jmp on */
	[0x5c] = 0x8b, 0x4e, 4,		 /* mov */
	[0x5f] = 0x48, 0x83, 0xc6, 8,	 /* add */
	[0x63] = 0xeb, 0xf3,		 /* jmp back */
};

static uint64_t table; /* at 0x9020; 0 = not readable */

/* Zeros, of which loads are noted. */
#define WORDS	    0x10000u
#define WORDS_BYTES 0x1000u

static struct cache_lines lines;
static struct first_touches first_touches;

static bool read_memory(void *context, uint64_t address, void *out, size_t bytes)
{
	static const uint64_t back = BASE + 0x0a;

	(void)context;
	if (address >= BASE && address - BASE < sizeof(program)) {
		size_t room = sizeof(program) - (address - BASE);

		memset(out, 0x90, bytes);
		memcpy(out, program + (address - BASE), bytes < room ? bytes : room);
		return true;
	}
	if (address >= WORDS && address - WORDS < WORDS_BYTES) {
		memset(out, 0, bytes);
		cache_lines_note(&lines, address, bytes);
		return true;
	}
	if (address == 0x9020 && bytes == 8 && table)
		memcpy(out, &table, 8);
	else if (address == STACK - 8 && bytes == 8)
		memcpy(out, &back, 8);
	else
		return false;
	return true;
}

static const struct isa_memory memory = {.read = read_memory};

#define CACHE_BYTES (1u << 20)

struct fixture {
	struct core core;
	struct snapshot registers;
	struct decode_cache cache;
	struct isa_taken entries[512];
	uint8_t kinds[512];
	struct isa_state states[2];
	uint8_t code[CACHE_BYTES] __attribute__((aligned(16)));
};

static struct fixture f;

static void begin(enum core_lookahead lookahead, unsigned depth, unsigned audit)
{
	struct core_options options = {.depth = depth, .lookahead = lookahead, .audit = audit};
	struct core_memory lent = {f.entries, f.kinds, f.states, &f.cache};

	table = BASE + 0x30;
	memset(&f, 0, sizeof(f));
	decode_cache_init(&f.cache, f.code, CACHE_BYTES);
	core_init(&f.core, &options, &lent);
	f.registers.pc = BASE;
	f.registers.gpr[4] = STACK - 8;
	f.registers.gpr[0] = BASE + 0x1c;
	f.registers.gpr[2] = 0x9000;
	f.registers.mxcsr = 0x1f80;
}

static struct core_action sample(void)
{
	snapshot_load(core_state(&f.core), &f.registers);
	return core_begin(&f.core, &memory);
}

static void expect_break(struct core_action action, uint64_t offset)
{
	assert_int_equal(action.verdict, CORE_BREAK);
	assert_int_equal(action.address, BASE + offset);
	f.registers.pc = action.address;
}

static void expect_entry(unsigned i, uint64_t from, uint64_t to)
{
	assert_int_equal(f.core.trace.entries[i].from, BASE + from);
	assert_int_equal(f.core.trace.entries[i].to, BASE + to);
}

static struct core_action resume(bool zero_flag)
{
	f.registers.flags = zero_flag ? 0x40 : 0;
	snapshot_load(core_state(&f.core), &f.registers);
	return core_resume(&f.core, &memory);
}

static void expect_whole_path(void)
{
	static const uint8_t path[9][2] = {{0x05, 0x10}, {0x14, 0x10}, {0x14, 0x10},
					   {0x12, 0x18}, {0x18, 0x1c}, {0x1c, 0x30},
					   {0x30, 0x0a}, {0x0a, 0x0a}, {0x0a, 0x0a}};

	assert_int_equal(f.core.trace.start, BASE);
	assert_int_equal(f.core.trace.count, 9);
	for (unsigned i = 0; i < 9; i++)
		expect_entry(i, path[i][0], path[i][1]);
}

static void follows_the_paper(void **state)
{
	(void)state;
	begin(CORE_STATIC, 9, 0);
	expect_break(sample(), 0x12);
	expect_break(resume(false), 0x12); /* and over the direct jump back */
	expect_break(resume(false), 0x12);
	expect_break(resume(true), 0x18);
	expect_break(resume(false), 0x1c);
	expect_break(resume(false), 0x30);
	assert_int_equal(resume(false).verdict, CORE_COMPLETE); /* the ret, then by decoding */
	expect_whole_path();
	assert_int_equal(f.core.counters.unresolved, 6);
	assert_int_equal(f.core.counters.standing, 0);
	assert_int_equal(f.core.counters.taken, 4);
	assert_int_equal(f.core.counters.resolved, 5);
	assert_int_equal(f.core.counters.resolved_static, 5);
	assert_int_equal(f.core.counters.resolved_taken, 5);
}

static void stops_everywhere_when_off(void **state)
{
	(void)state;
	begin(CORE_OFF, 9, 0);
	expect_break(sample(), 0x05);
	expect_break(resume(false), 0x12);
	expect_break(resume(false), 0x14);
	expect_break(resume(false), 0x12);
	assert_int_equal(f.core.counters.resolved, 0);
}

/* A thread that the resume flag takes past a breakpoint at its pc: one there would stand until the
 * branch is run again, wherever the program has gone meanwhile. */
static void awaits_no_branch_that_it_stands_at(void **state)
{
	static const uint64_t resume_flag = 0x10000, zero_flag = 0x40;

	(void)state;
	for (int mode = 0; mode < 2; mode++) {
		begin(mode ? CORE_STATIC : CORE_OFF, 2, 0);
		f.registers.pc = BASE + 0x12;
		expect_break(sample(), 0x12);
		f.registers.flags = resume_flag;
		expect_break(sample(), mode ? 0x12 : 0x14); /* static: over the jump back to 10 */
		f.registers.pc = BASE + 0x12;
		f.registers.flags = resume_flag | zero_flag;
		expect_break(sample(), 0x18);
		assert_int_equal(f.core.trace.count, 1);
		expect_entry(0, 0x12, 0x18);
		assert_int_equal(f.core.counters.unresolved, 2);
		assert_int_equal(f.core.counters.standing, 2); /* no breakpoint was hit */
	}
}

static void evaluates_the_whole_path(void **state)
{
	(void)state;
	begin(CORE_FULL, 9, 0);
	f.registers.gpr[4] = STACK; /* the evaluated call pushes its return address */
	assert_int_equal(sample().verdict, CORE_COMPLETE);
	expect_whole_path();
	assert_int_equal(f.core.counters.breakpoint_free, 1);
	assert_int_equal(f.core.counters.unresolved, 0);
	assert_int_equal(f.core.counters.resolved, 11); /* two loop branches fall through */
	assert_int_equal(f.core.counters.resolved_static, 5);
	assert_int_equal(f.core.counters.resolved_taken, 9);
}

/* The end of the path, 40000a, is passed twice before the trace has its depth there. */
static void audits_the_end(void **state)
{
	struct core_action action;

	(void)state;
	begin(CORE_FULL, 9, 1);
	f.registers.gpr[4] = STACK;
	action = sample();
	expect_break(action, 0x0a);
	assert_int_equal(action.skip, 2);
	f.registers.gpr[1] = 0; /* what the program has made of rcx by then */
	assert_int_equal(resume(true).verdict, CORE_DROP); /* PF is claimed too, and not set */
	assert_int_equal(f.core.counters.audits_wrong, 1);

	f.registers.pc = BASE;
	action = sample();
	expect_break(action, 0x0a);
	f.registers.flags = 0x44;
	snapshot_load(core_state(&f.core), &f.registers);
	assert_int_equal(core_resume(&f.core, &memory).verdict, CORE_COMPLETE);
	assert_int_equal(f.core.counters.audits, 2);
	assert_int_equal(f.core.counters.audits_wrong, 1);
}

static void goes_on_behind_an_unreadable_target(void **state)
{
	(void)state;
	begin(CORE_FULL, 9, 0);
	f.registers.gpr[4] = STACK;
	f.registers.gpr[2] = 0x5000; /* the table is not readable */
	expect_break(sample(), 0x1c);
	assert_int_equal(f.core.trace.count, 5);
	f.registers.gpr[2] = 0x9000; /* not as claimed */
	f.registers.gpr[4] = STACK - 8;
	f.registers.gpr[1] = 0;
	assert_int_equal(resume(true).verdict, CORE_DROP);
}

/* Stop at the jump through the table, which was not readable, and then is, to @to. */
static struct core_action jump_through_table(uint64_t to, unsigned depth)
{
	begin(CORE_FULL, depth, 1);
	f.registers.gpr[4] = STACK;
	table = 0;
	expect_break(sample(), 0x1c);
	table = BASE + to;
	f.registers.gpr[4] = STACK - 8;
	f.registers.gpr[1] = 0;
	f.registers.flags = 0x44;
	snapshot_load(core_state(&f.core), &f.registers);
	return core_resume(&f.core, &memory);
}

/* A thread that stands at a branch comes to its target, and what was passed before is passed. */
static void counts_visits_from_the_branch_on(void **state)
{
	struct core_action action;

	(void)state;
	action = jump_through_table(0x0a, 9);
	expect_break(action, 0x0a);
	assert_int_equal(action.skip, 3); /* from the table, and two of the jumps to itself */

	action = jump_through_table(0x10, 6);
	expect_break(action, 0x10);
	assert_int_equal(action.skip, 0);
}

/* A sample that follows a breakpoint's signal at once finds the thread about to pass it. */
static void counts_visits_of_its_beginning(void **state)
{
	static const struct {
		uint64_t flags;
		unsigned skip;
	} cases[] = {{0, 3}, {0x10000, 2}};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct core_action action;

		begin(CORE_FULL, 3, 1);
		f.registers.pc = BASE + 0x0a;
		f.registers.flags = cases[i].flags;
		action = sample();
		expect_break(action, 0x0a);
		assert_int_equal(action.skip, cases[i].skip);
	}
}

static void ends_where_nothing_is_known(void **state)
{
	struct core_action action;

	(void)state;
	begin(CORE_STATIC, 9, 0);
	f.registers.pc = 0x1000;
	action = sample();
	assert_int_equal(action.verdict, CORE_ABANDON);
	assert_int_equal(action.reason, CORE_UNREADABLE);

	f.registers.pc = BASE + 0x1c;
	f.registers.gpr[2] = 0x5000; /* the table is not readable */
	expect_break(sample(), 0x1c);
	action = resume(false);
	assert_int_equal(action.verdict, CORE_ABANDON);
	assert_int_equal(action.reason, CORE_UNEVALUATED);

	begin(CORE_STATIC, 9, 0);
	f.core.options.exclude_begin = BASE + 0x10;
	f.core.options.exclude_end = BASE + 0x20;
	action = sample();
	assert_int_equal(action.verdict, CORE_ABANDON);
	assert_int_equal(action.reason, CORE_EXCLUDED);
	assert_int_equal(f.core.trace.count, 1); /* the call into it */
}

/* ---- first-touch points
 * ----------------------------------------------------------------------------- */

/* A loop at @offset, from WORDS on. */
static struct core_action sample_loop(uint64_t offset)
{
	f.core.first_touches = &first_touches;
	first_touches.lines = &lines;
	cache_lines_begin(&lines);
	f.registers.pc = BASE + offset;
	f.registers.gpr[6] = WORDS;
	return sample();
}

/* What is written, or loaded and written, as well as what is loaded; but not what a block loads of
 * a word that another one wrote. */
static void what_is_written_is_a_landmark(void **state)
{
	static const uint64_t loops[] = {0x38, 0x48};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		begin(CORE_FULL, 32, 0);
		assert_int_equal(sample_loop(loops[i]).verdict, CORE_COMPLETE);
		assert_int_equal(first_touches.first.kind, FIRST_TOUCH_WORD);
		assert_int_equal(first_touches.first.address, WORDS + 4 * 8);
		assert_int_equal(first_touches.second.address, WORDS + 5 * 8);
		assert_int_equal(first_touches.last.address, WORDS + 30 * 8);
		assert_int_equal(first_touches.last.work.branches, 30);
		assert_int_equal(first_touches.last.work.blocks, 1);
	}
	begin(CORE_FULL, 32, 0);
	assert_int_equal(sample_loop(0x58).verdict, CORE_COMPLETE);
	assert_int_equal(first_touches.last.begin, BASE + 0x58);
	assert_int_equal(first_touches.last.address, WORDS + 15 * 8);
}

/* The last one that is noted is not far from the path's end, and as the path was there. */
static void of_many_words_few_are_noted(void **state)
{
	const struct first_touch *last = &first_touches.last;

	(void)state;
	for (unsigned depth = 100; depth <= 500; depth++) {
		begin(CORE_FULL, depth, 0);
		assert_int_equal(sample_loop(0x38).verdict, CORE_COMPLETE);
		assert_int_equal(last->kind, FIRST_TOUCH_WORD);
		assert_in_range(last->work.branches, depth - depth / 16 - 2, depth - 1);
		assert_int_equal(last->address, WORDS + last->work.branches * 8);
		assert_int_equal(last->work.instructions, last->work.branches * 3);
	}
}

static void a_path_goes_on_to_be_timed(void **state)
{
	(void)state;
	for (unsigned more = 0; more < 2; more++) {
		begin(CORE_FULL, 16, 0);
		f.core.options.depth_most = more ? 32 : 0;
		assert_int_equal(sample_loop(0x38).verdict, CORE_COMPLETE);
		assert_int_equal(f.core.trace.count, more ? 32 : 16);
	}
	/* as far as it gets: 19 jumps back, one out of the loop, and one to where nothing is */
	begin(CORE_FULL, 16, 0);
	f.core.options.depth_most = 32;
	f.registers.gpr[0] = 0x5000;
	f.registers.gpr[1] = 20;
	assert_int_equal(sample_loop(0x10).verdict, CORE_COMPLETE);
	assert_int_equal(f.core.trace.count, 21);
}

static void forgotten_blocks_are_decoded_anew(void **state)
{
	static uint8_t memory[1 << 20];
	struct isa_block block = {.address = 0x1234, .count = 1};
	const struct isa_block *kept;
	struct decode_cache cache;

	(void)state;
	memset(memory, 0, sizeof(memory));
	decode_cache_init(&cache, memory, sizeof(memory));
	for (unsigned round = 1; round < 100; round++) {
		assert_null(decode_cache_find(&cache, block.address));
		block.bytes = round;
		kept = decode_cache_keep(&cache, &block);
		assert_ptr_equal(decode_cache_find(&cache, block.address), kept);
		assert_int_equal(decode_cache_find(&cache, block.address)->bytes, round);
		decode_cache_forget(&cache);
	}
	assert_int_equal(cache.refused, 0); /* the slot was used again each time */
}

/* A short process touches none of the large table, wherever its code is. */
static void few_blocks_need_a_small_table(void **state)
{
	static uint8_t memory[1 << 20];
	struct isa_block block = {.count = 1};
	struct decode_cache cache;

	(void)state;
	decode_cache_init(&cache, memory, sizeof(memory));
	for (uint64_t i = 1; i <= 1000; i++) {
		block.address = i * 12345;
		assert_ptr_not_equal(decode_cache_keep(&cache, &block), &block);
	}
	for (uint32_t i = 0; i <= cache.slot_mask; i++)
		assert_int_equal(cache.slots[i], 0);
	for (uint64_t i = 1; i <= 1000; i++)
		assert_int_equal(decode_cache_find(&cache, i * 12345)->address, i * 12345);
}

static unsigned pieces_made;

static void *make_piece(size_t bytes)
{
	return pieces_made < 2 ? pieces_made++, calloc(1, bytes) : NULL;
}

/* Blocks of all lengths, in a piece that is there, in two that are made, and then in none. */
static void a_growing_cache_keeps_what_it_has(void **state)
{
	static struct isa_block block;
	static uint8_t memory[2 << 20];
	struct decode_cache cache;
	uint64_t kept = 0;

	(void)state;
	decode_cache_init_growing(&cache, memory, sizeof(memory), 64 << 20, make_piece);
	for (uint64_t i = 1; !cache.refused; i++) {
		block.address = i * 64;
		block.count = 1 + i % ISA_BLOCK_RECORDS;
		block.bytes = (uint32_t)i;
		memset(block.records, (int)i, sizeof(block.records));
		kept += decode_cache_keep(&cache, &block) != &block;
	}
	assert_int_equal(pieces_made, 2);
	assert_true(kept * sizeof(block) / 2 > 3 * DECODE_CACHE_PIECE * 9 / 10);
	for (uint64_t i = 1; i <= kept; i++) {
		const struct isa_block *b = decode_cache_find(&cache, i * 64);

		assert_non_null(b);
		assert_int_equal(b->bytes, i);
		assert_int_equal(b->count, 1 + i % ISA_BLOCK_RECORDS);
		assert_int_equal(*(const uint8_t *)&b->records[b->count - 1], (uint8_t)i);
	}
	for (unsigned i = 1; i < DECODE_CACHE_PIECES; i++)
		free(cache.pieces[i]);
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
		cmocka_unit_test(evaluates_the_whole_path),
		cmocka_unit_test(audits_the_end),
		cmocka_unit_test(goes_on_behind_an_unreadable_target),
		cmocka_unit_test(awaits_no_branch_that_it_stands_at),
		cmocka_unit_test(counts_visits_from_the_branch_on),
		cmocka_unit_test(counts_visits_of_its_beginning),
		cmocka_unit_test(ends_where_nothing_is_known),
		cmocka_unit_test(what_is_written_is_a_landmark),
		cmocka_unit_test(of_many_words_few_are_noted),
		cmocka_unit_test(a_path_goes_on_to_be_timed),
		cmocka_unit_test(forgotten_blocks_are_decoded_anew),
		cmocka_unit_test(few_blocks_need_a_small_table),
		cmocka_unit_test(a_growing_cache_keeps_what_it_has),
		cmocka_unit_test(every_reason_has_a_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
