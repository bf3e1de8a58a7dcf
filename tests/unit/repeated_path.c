/* SPDX-License-Identifier: MIT */
/*
 * Paths through loops that come to nothing new, in machine code that is evaluated: where they end,
 * and where a thread is found that was interrupted on one of them or behind it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "collector/engine/stopwatch.h"
#include "tests/snapshot.h"

#define BASE  0x400000u
#define STACK 0x7fff0000u

enum {
	COUNTS = 0x00,	/* inc %rcx; add %rcx, %rax; add $8, %rsi; jmp to it */
	WALKS = 0x20,	/* mov (%rsi), %rax; add $8, %rsi; jmp to it */
	STANDS = 0x40,	/* nop; jmp to it */
	OTHER = 0x50,	/* inc %rdx; jmp to it */
	LEAVES = 0x60,	/* dec %rdi; je to COUNTS + 3; jmp to LEAVES */
	AWAITS = 0x70,	/* jmp *(%rdx) */
	STRAIGHT = 0x80 /* nops, as far as there is anything */
};

static const uint8_t program[] = {
	[COUNTS] = 0x48,
	0xff,
	0xc1,
	0x48,
	0x01,
	0xc8,
	0x48,
	0x83,
	0xc6,
	8,
	0xeb,
	0xf4,
	[WALKS] = 0x48,
	0x8b,
	0x06,
	0x48,
	0x83,
	0xc6,
	8,
	0xeb,
	0xf7,
	[STANDS] = 0x90,
	0xeb,
	0xfd,
	[OTHER] = 0x48,
	0xff,
	0xc2,
	0xeb,
	0xfb,
	[LEAVES] = 0x48,
	0xff,
	0xcf,
	0x74,
	0x9e,
	0xeb,
	0xf9,
	[AWAITS] = 0xff,
	0x22,
};
#define COUNTS_INSTRUCTIONS 4u

/* The same as WALKS behind SLOW_NOPS nops. */
#define SLOW	  0x500000u
#define SLOW_NOPS 100u
/* Zeros. */
#define WORDS	    0x600000u
#define WORDS_BYTES (CORRECTION_DEPTH_MOST * 8)
/* Where AWAITS finds where to go, if it can be read. */
#define TARGET 0x9000u

static struct {
	struct core core;
	struct snapshot registers;
	struct decode_cache cache;
	struct isa_taken entries[CORRECTION_DEPTH_MOST];
	uint8_t kinds[CORRECTION_DEPTH_MOST];
	struct isa_state states[2];
	struct rate_machine machine;
	struct first_touches first_touches;
	struct waypoints waypoints;
	bool readable;		  /* the word at TARGET */
	struct cache_lines *note; /* loads are noted here, if not NULL */
	uint8_t code[1 << 20] __attribute__((aligned(16)));
} f;

static struct cache_lines lines;

static void read_code(const uint8_t *code, size_t size, size_t from, uint8_t *out, size_t bytes)
{
	memset(out, 0x90, bytes);
	if (from < size)
		memcpy(out, code + from, bytes < size - from ? bytes : size - from);
}

static bool read_memory(void *context, uint64_t address, void *out, size_t bytes)
{
	static const uint8_t walks[SLOW_NOPS + 10] = {
		[SLOW_NOPS] = 0x48, 0x8b, 0x06, 0x48, 0x83, 0xc6, 8, 0xeb, 0xf7 - SLOW_NOPS};
	const uint64_t target = BASE + COUNTS;
	uint8_t slow[sizeof(walks)];

	(void)context;
	memcpy(slow, walks, sizeof(walks));
	memset(slow, 0x90, SLOW_NOPS);
	if (address >= BASE && address < BASE + 0x8000) {
		read_code(program, sizeof(program), address - BASE, out, bytes);
	} else if (address >= SLOW && address < SLOW + sizeof(slow)) {
		read_code(slow, sizeof(slow), address - SLOW, out, bytes);
	} else if (address >= WORDS && address < WORDS + WORDS_BYTES) {
		memset(out, 0, bytes);
		if (f.note)
			cache_lines_note(f.note, address, bytes);
	} else if (address == TARGET && bytes == 8 && f.readable) {
		memcpy(out, &target, 8);
	} else {
		return false;
	}
	return true;
}

static const struct isa_memory memory = {.read = read_memory};

static int begin(void **state)
{
	struct core_options options = {.depth = CORRECTION_DEPTH,
				       .depth_most = CORRECTION_DEPTH_MOST,
				       .lookahead = CORE_FULL,
				       .machine = &f.machine,
				       .ends_early = true};
	struct core_memory lent = {f.entries, f.kinds, f.states, &f.cache};

	(void)state;
	memset(&f, 0, sizeof(f));
	decode_cache_init(&f.cache, f.code, sizeof(f.code));
	core_init(&f.core, &options, &lent);
	f.first_touches.lines = f.note = &lines;
	f.core.first_touches = &f.first_touches;
	f.core.waypoints = &f.waypoints;
	f.registers.gpr[2] = TARGET;
	f.registers.gpr[4] = STACK;
	f.registers.gpr[6] = WORDS;
	f.registers.mxcsr = 0x1f80;
	return 0;
}

/* The path from @address on. */
static struct core_action sample(uint64_t address)
{
	cache_lines_begin(&lines);
	f.registers.pc = address;
	snapshot_load(core_state(&f.core), &f.registers);
	return core_begin(&f.core, &memory);
}

static void assert_ends_at(uint64_t address, unsigned branches)
{
	assert_int_equal(sample(address).verdict, CORE_COMPLETE);
	assert_int_equal(f.core.trace.count, branches);
}

/* ---- where a path ends --------------------------------------------------------------------- */

/* From where nothing was new for a while. */
#define REPEATED_WAYPOINTS ((CORE_REPEATS - WAYPOINTS_BEHIND_NEW) / WAYPOINT_BRANCHES + 1)

static void one_that_repeats_ends_early(void **state)
{
	(void)state;
	assert_ends_at(BASE + COUNTS, CORE_REPEATS);
	assert_int_equal(f.waypoints.count, REPEATED_WAYPOINTS);
	assert_int_equal(f.waypoints.at[0].pc, BASE + COUNTS);
	assert_int_equal(f.waypoints.at[0].work.branches, WAYPOINTS_BEHIND_NEW);
	assert_int_equal(f.waypoints.at[0].work.instructions,
			 WAYPOINTS_BEHIND_NEW * COUNTS_INSTRUCTIONS);
	/* the next one has waypoints of its own */
	assert_ends_at(BASE + STANDS, CORE_REPEATS);
	assert_int_equal(f.waypoints.count, REPEATED_WAYPOINTS);
	assert_int_equal(f.waypoints.at[0].pc, BASE + STANDS);
}

/* Only from there on nothing is new. */
static void one_that_comes_to_a_new_loop(void **state)
{
	(void)state;
	f.registers.gpr[7] = 600;
	assert_ends_at(BASE + LEAVES, CORE_REPEATS + 608);
	assert_int_equal(f.core.trace.entries[599].to, BASE + COUNTS + 3);
}

static void one_that_meets_new_words_goes_on(void **state)
{
	(void)state;
	assert_ends_at(BASE + WALKS, CORRECTION_DEPTH_MOST);
	/* and is timed between them; of its first eighth nobody asks whether words are new */
	assert_true(f.waypoints.count < CORRECTION_DEPTH / 8 / WAYPOINT_BRANCHES);
}

/* A loop that meets new words: 104 instructions a branch are enough, as a model has it. */
static void one_that_is_slow_ends_early(void **state)
{
	(void)state;
	assert_true((SLOW_NOPS + 3) * RATE_INSTRUCTION_PS * CORE_SLOW_BRANCHES > CORE_SLOW_PS);
	assert_true((SLOW_NOPS + 3) * RATE_INSTRUCTION_PS * CORE_SLOW_BRANCHES / 2 < CORE_SLOW_PS);
	assert_ends_at(SLOW, CORE_SLOW_BRANCHES);
	/* and a quick one does not */
	assert_ends_at(BASE + WALKS, CORRECTION_DEPTH_MOST);
}

static void without_waypoints_none_ends_early(void **state)
{
	(void)state;
	f.core.waypoints = NULL;
	assert_ends_at(BASE + COUNTS, CORRECTION_DEPTH_MOST);
	assert_ends_at(SLOW, CORRECTION_DEPTH_MOST);
	assert_int_equal(f.waypoints.count, 0);
}

/* Its time can't be had from an interrupt behind its sample. */
static void one_that_needed_a_breakpoint_goes_on(void **state)
{
	struct core_action action;

	(void)state;
	action = sample(BASE + AWAITS);
	assert_int_equal(action.verdict, CORE_BREAK);
	f.registers.pc = action.address;
	f.readable = true;
	snapshot_load(core_state(&f.core), &f.registers);
	assert_int_equal(core_resume(&f.core, &memory).verdict, CORE_COMPLETE);
	assert_int_equal(f.core.trace.count, CORRECTION_DEPTH);
}

/* What was asked for is had where it is less. */
static void a_short_one_is_no_longer(void **state)
{
	(void)state;
	f.core.options.depth = 64;
	f.core.options.depth_most = 0;
	assert_ends_at(BASE + COUNTS, 64);
}

/* ---- where a thread is --------------------------------------------------------------------- */

/* The thread has run the loop COUNTS so often, from the sample on, and @offset of it once more. */
static void interrupt(uint64_t rounds, unsigned offset)
{
	struct snapshot r = f.registers;

	r.pc = BASE + COUNTS + offset;
	r.gpr[1] = rounds + (offset > 0);
	r.gpr[0] = rounds * (rounds + 1) / 2 + (offset > 3) * r.gpr[1];
	r.gpr[6] = WORDS + 8 * rounds + 8 * (offset > 6);
	snapshot_load(core_state(&f.core), &r);
	f.note = NULL;
}

static void assert_found(uint64_t branches)
{
	struct rate_work work;

	assert_true(stopwatch_locate(&f.core, &memory, &work));
	assert_int_equal(work.branches, branches);
	assert_in_range(work.instructions, (branches - 1) * COUNTS_INSTRUCTIONS,
			(branches + 1) * COUNTS_INSTRUCTIONS);
}

static void assert_not_found(void)
{
	struct rate_work work;

	assert_false(stopwatch_locate(&f.core, &memory, &work));
}

static void found_anywhere_in_a_block(void **state)
{
	static const unsigned offsets[] = {0, 3, 6, 10};
	static const uint64_t rounds[] = {1, 15, 16, 17, 500, 1000};

	(void)state;
	assert_ends_at(BASE + COUNTS, CORE_REPEATS);
	for (unsigned r = 0; r < sizeof(rounds) / sizeof(*rounds); r++)
		for (unsigned i = 0; i < sizeof(offsets) / sizeof(*offsets); i++) {
			interrupt(rounds[r], offsets[i]);
			assert_found(rounds[r]);
		}
}

static void found_behind_the_path(void **state)
{
	static const uint64_t rounds[] = {1024, 1025, 5003, 100000};

	(void)state;
	assert_ends_at(BASE + COUNTS, CORE_REPEATS);
	for (unsigned i = 0; i < sizeof(rounds) / sizeof(*rounds); i++) {
		interrupt(rounds[i], 3);
		assert_found(rounds[i]);
	}
}

static void not_found_elsewhere(void **state)
{
	(void)state;
	assert_ends_at(BASE + COUNTS, CORE_REPEATS);
	interrupt(500, 3);
	assert_found(500);
	/* in the same loop, of another call */
	f.registers.gpr[3] = 1;
	interrupt(500, 3);
	assert_not_found();
	interrupt(5000, 3);
	assert_not_found();
	f.registers.gpr[3] = 0;
	interrupt(0, 3); /* it has not come to the first branch */
	assert_not_found();
	/* in another loop, in code without a branch, and where nothing is */
	f.registers.pc = BASE + OTHER;
	snapshot_load(core_state(&f.core), &f.registers);
	assert_not_found();
	f.registers.pc = BASE + STRAIGHT;
	snapshot_load(core_state(&f.core), &f.registers);
	assert_not_found();
	f.registers.pc = 0x1000;
	snapshot_load(core_state(&f.core), &f.registers);
	assert_not_found();
}

/* Each round is as the one before. */
static void not_found_where_nothing_counts(void **state)
{
	(void)state;
	assert_ends_at(BASE + STANDS, CORE_REPEATS);
	snapshot_load(core_state(&f.core), &f.registers);
	assert_not_found();
}

/* A thread that runs into the loop again is followed to it, and was not there so long. */
static void not_found_before_the_path(void **state)
{
	struct snapshot r;

	(void)state;
	assert_ends_at(BASE + COUNTS, CORE_REPEATS);
	r = f.registers;
	r.pc = BASE + COUNTS;
	r.gpr[1] = (uint64_t)-20;
	r.gpr[0] = 190;
	r.gpr[6] = WORDS - 20 * 8;
	snapshot_load(core_state(&f.core), &r);
	assert_not_found();
}

static void the_trace_stays_as_it_is(void **state)
{
	static struct core before;
	static struct isa_taken entries[CORE_REPEATS];
	static struct waypoints waypoints;
	struct rate_work work, now;
	uint64_t registers[2][ISA_GENERAL_REGISTERS];

	(void)state;
	assert_ends_at(BASE + WALKS, CORRECTION_DEPTH_MOST);
	assert_ends_at(BASE + COUNTS, CORE_REPEATS);
	before = f.core;
	memcpy(entries, f.entries, sizeof(entries));
	waypoints = f.waypoints;
	work = core_work(&f.core, &lines);
	assert_true(isa_state_general_registers(f.core.now, registers[0]));
	for (unsigned i = 0; i < 3; i++) {
		interrupt(i == 2 ? 5000 : 500, 6);
		f.note = &lines; /* who has it noted all the same */
		if (i == 1) {
			f.registers.pc = BASE + OTHER;
			snapshot_load(core_state(&f.core), &f.registers);
			assert_not_found();
		} else {
			assert_found(i == 2 ? 5000 : 500);
		}
		now = core_work(&f.core, &lines);
		assert_memory_equal(&now, &work, sizeof(work));
		assert_memory_equal(&f.core.trace, &before.trace, sizeof(before.trace));
		assert_memory_equal(entries, f.entries, sizeof(entries));
		assert_memory_equal(&f.waypoints, &waypoints, sizeof(waypoints));
		/* code at which it was interrupted may be new, and is decoded */
		assert_int_equal(f.core.counters.evaluated, before.counters.evaluated);
		assert_int_equal(f.core.counters.resolved, before.counters.resolved);
		assert_ptr_equal(f.core.now, before.now);
		assert_true(isa_state_general_registers(f.core.now, registers[1]));
		assert_memory_equal(registers[0], registers[1], sizeof(registers[0]));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(one_that_repeats_ends_early, begin),
		cmocka_unit_test_setup(one_that_comes_to_a_new_loop, begin),
		cmocka_unit_test_setup(one_that_meets_new_words_goes_on, begin),
		cmocka_unit_test_setup(one_that_is_slow_ends_early, begin),
		cmocka_unit_test_setup(without_waypoints_none_ends_early, begin),
		cmocka_unit_test_setup(one_that_needed_a_breakpoint_goes_on, begin),
		cmocka_unit_test_setup(a_short_one_is_no_longer, begin),
		cmocka_unit_test_setup(found_anywhere_in_a_block, begin),
		cmocka_unit_test_setup(found_behind_the_path, begin),
		cmocka_unit_test_setup(not_found_elsewhere, begin),
		cmocka_unit_test_setup(not_found_where_nothing_counts, begin),
		cmocka_unit_test_setup(not_found_before_the_path, begin),
		cmocka_unit_test_setup(the_trace_stays_as_it_is, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
