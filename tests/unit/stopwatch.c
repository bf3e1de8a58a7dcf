/* SPDX-License-Identifier: MIT */
/* Landmarks of a path, and what two of them say of its time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "collector/engine/stopwatch.h"

#define DEPTH 64u

static struct cache_lines lines;
static struct first_touches first_touches;
static struct isa_taken entries[DEPTH];
static struct core core;

static void begin(void)
{
	cache_lines_begin(&lines);
	first_touches = (struct first_touches){.lines = &lines};
	first_touch_begin(&first_touches, DEPTH);
	core = (struct core){.options = {.depth = DEPTH},
			     .trace = {.entries = entries},
			     .first_touches = &first_touches};
}

static void note(const struct first_touch *met)
{
	struct first_touch *to = first_touch_next(&first_touches);

	if (met->work.branches < first_touches.skipped)
		return;
	*to = *met;
	first_touch_keep(&first_touches, to);
}

/* A block of 16 bytes that ends in the next taken branch, 4 instructions, and loads @word. */
static void run_block(uint64_t address, const uint64_t *word, uint64_t next)
{
	struct first_touch met = {
		.kind = FIRST_TOUCH_CODE,
		.address = address,
		.begin = address,
		.end = address + 16,
		.work = {.branches = core.trace.count, .instructions = 4 * core.trace.count}};

	lines.fresh_word = 0;
	if (!first_touch_enter(&first_touches, address))
		note(&met);
	if (word)
		cache_lines_load(&lines, (const uint8_t *)word, 8);
	if (first_touch_word(&first_touches)) {
		met.kind = FIRST_TOUCH_WORD;
		met.address = first_touch_word(&first_touches);
		met.next = next;
		note(&met);
	}
	entries[core.trace.count++] = (struct isa_taken){address + 14, next};
}

/* A loop of one block over an array, of whole cache lines, from whose beginnings they are loaded:
 * the code is new once, each word once. */
static void run_loop(void)
{
	static _Alignas(64) uint64_t words[DEPTH];

	begin();
	core.path_begin = 0x1000;
	for (unsigned i = 0; i < DEPTH; i++)
		run_block(0x1000, &words[i], 0x1000);
	assert_int_equal(first_touches.first.kind, FIRST_TOUCH_WORD);
	assert_int_equal(first_touches.first.address, (uintptr_t)&words[DEPTH / 8]);
	assert_int_equal(first_touches.second.address, (uintptr_t)&words[DEPTH / 8 + 1]);
	assert_int_equal(first_touches.last.address, (uintptr_t)&words[DEPTH - 1]);
}

static void words_are_landmarks(void **state)
{
	(void)state;
	run_loop();
	/* the instruction is somewhere in the block; behind it, or where the block goes */
	assert_true(first_touch_is_at(&first_touches.last, 0x1004));
	assert_true(first_touch_is_at(&first_touches.last, 0x1010));
	assert_true(first_touch_is_at(&first_touches.last, 0x1000)); /* its branch loads, perhaps */
	assert_false(first_touch_is_at(&first_touches.last, 0x1011));
}

static void a_word_that_was_met_is_none(void **state)
{
	static _Alignas(64) uint64_t word[8];

	(void)state;
	begin();
	for (unsigned i = 0; i < DEPTH; i++)
		run_block(0x1000, word, 0x1000);
	assert_int_equal(first_touches.first.kind, FIRST_TOUCH_NONE);
}

static void code_is_a_landmark(void **state)
{
	struct first_touch bad;
	struct stopwatch w;

	(void)state;
	begin();
	core.path_begin = 0x1000;
	for (unsigned i = 0; i < 40; i++)
		run_block(0x1000, NULL, i == 39 ? 0x2000 : 0x1000);
	run_block(0x2000, NULL, 0x1000);
	for (unsigned i = 41; i < 60; i++)
		run_block(0x1000, NULL, i == 59 ? 0x3000 : 0x1000);
	run_block(0x3000, NULL, 0x1008);
	/* a block that shares its code with the loop's */
	run_block(0x1008, NULL, 0x1000);
	assert_int_equal(first_touches.first.address, 0x2000);
	assert_int_equal(first_touches.last.address, 0x1008);
	assert_false(stopwatch_start(&w, &core)); /* it ran before */
	bad = first_touches.last;
	first_touches.last = first_touches.second;
	first_touches.second = first_touches.first; /* as if it were another, next to it */
	assert_true(stopwatch_start(&w, &core));
	assert_int_equal(w.at[STOPWATCH_FROM].kind, FIRST_TOUCH_CODE);
	first_touches.second = bad; /* no end of an pair of stops */
	assert_true(stopwatch_start(&w, &core));
	assert_int_equal(w.at[STOPWATCH_FROM].kind, FIRST_TOUCH_NONE);
	assert_int_equal(w.at[STOPWATCH_TO].work.branches - w.at[STOPWATCH_BEGIN].work.branches,
			 20);
	assert_true(first_touch_is_at(&w.at[STOPWATCH_TO], 0x3000));
	assert_false(first_touch_is_at(&w.at[STOPWATCH_TO], 0x3001));
	/* without it, the first stop is followed by the last one */
	assert_true(stopwatch_stop(&w, 0, 0, NULL));
	assert_ptr_equal(stopwatch_awaits(&w), &w.at[STOPWATCH_TO]);
	assert_false(stopwatch_stop(&w, 5000, 5, NULL));
	assert_int_equal(w.ps, 5000);
}

/* Its stops, the last two @empty_us and @ps apart from the ones before. */
static void run_segment(struct stopwatch *w, uint64_t empty_us, uint64_t ps,
			struct stopwatch_costs *e)
{
	assert_true(stopwatch_start(w, &core));
	assert_true(stopwatch_stop(w, 90000000, 0, e));
	assert_true(stopwatch_stop(w, empty_us * 1000000, empty_us * 1000, e));
	assert_false(stopwatch_stop(w, ps, ps / 1000, e));
}

/* A pair of stops takes 16 us; one of 54 branches and 216 instructions, which usually take 33.75
 * ns, 20 us: by the watch 4 us. */
static void times_by_hand(void **state)
{
	struct rate_machine m = {.line_ps = 80000};
	struct rate_work path = {.branches = 64, .instructions = 256};
	struct stopwatch_costs e = {0};
	struct stopwatch w;
	uint64_t usual = 40000;

	(void)state;
	run_loop();
	assert_true(stopwatch_start(&w, &core));
	assert_int_equal(stopwatch_path_ps(&w, &path, &m, &e), usual); /* nothing else is known */
	assert_int_equal(stopwatch_measured_ps(&w, &path, &m, &e), 0);
	for (unsigned i = 0; i < 4; i++)
		run_segment(&w, 16, 20000000, &e);
	assert_int_equal(e.count, 4);
	/* a thread that was away says nothing */
	assert_true(stopwatch_start(&w, &core));
	stopwatch_stop(&w, 0, 0, &e);
	stopwatch_stop(&w, 90000000, 20000, &e);
	assert_int_equal(e.count, 4);
	assert_false(stopwatch_stop(&w, 90000000, 20000, &e));
	assert_int_equal(w.ps, 0);
	run_segment(&w, 16, 20000000, &e);
	assert_int_equal(w.ps, 20000000);
	/* 4 us for 54 of 64 branches */
	assert_int_equal(stopwatch_measured_ps(&w, &path, &m, &e), 4740740);
	/* no longer than the stops: the watch does not tell */
	w.ps = 16000000;
	assert_int_equal(stopwatch_measured_ps(&w, &path, &m, &e), 0);
	assert_int_equal(stopwatch_path_ps(&w, &path, &m, &e), usual);
	assert_int_equal(e.fit.count, 0); /* nothing to learn from */
	w.ps = 20000000;
	/* against the noise of 300: sure = 1/80; 33.75 + 3966 / 80 = 83.3 of 33.75 ns */
	assert_in_range(stopwatch_path_ps(&w, &path, &m, &e), usual * 244 / 100, usual * 250 / 100);
	assert_int_equal(e.fit.count, 1);
	/* where lines are slow the watch is sure: 6 us, against 54 * 80 ns + 34 ns */
	w.at[STOPWATCH_TO].work.lines = 54;
	path.lines = 64;
	w.ps = 22000000;
	usual += UINT64_C(64) * 80000;
	assert_in_range(stopwatch_path_ps(&w, &path, &m, &e), usual * 136 / 100, usual * 139 / 100);
	assert_int_equal(e.fit.count, 2);
}

/* What only one stop told is less certain. */
static void few_stops_are_noisy(void **state)
{
	struct rate_machine m = {0};
	struct rate_work path = {.branches = 64, .instructions = 256};
	struct stopwatch_costs e = {0};
	struct stopwatch w;
	uint64_t few, many;

	(void)state;
	run_loop();
	run_segment(&w, 16, 17000000, &e);
	few = stopwatch_path_ps(&w, &path, &m, &e);
	for (unsigned i = 0; i < 3; i++)
		run_segment(&w, 16, 17000000, &e);
	many = stopwatch_path_ps(&w, &path, &m, &e);
	assert_true(few > 0 && few < many);
}

/* Where everything takes twice what is usual, that is no difference between traces; one that could
 * not be timed takes as much. */
static void what_is_usual_is_learnt(void **state)
{
	struct rate_machine m = {.line_ps = 80000};
	struct rate_work path = {.branches = 64, .instructions = 256, .lines = 64};
	struct stopwatch_costs e = {.count = 4, .ps = {1000, 1000, 1000, 1000}};
	struct stopwatch w;
	const uint64_t usual = UINT64_C(64) * 80000 + 40000, segment = 54 * 80000 + 33750;

	(void)state;
	run_loop();
	assert_true(stopwatch_start(&w, &core));
	w.at[STOPWATCH_TO].work.lines = w.at[STOPWATCH_FROM].work.lines + 54;
	assert_int_equal(stopwatch_path_ps(&w, &path, &m, &e), usual);
	w.ps = 1000 + 2 * segment;
	for (unsigned i = 0; i < 3; i++)
		stopwatch_path_ps(&w, &path, &m, &e);
	w.ps = 0;
	assert_in_range(stopwatch_path_ps(&w, &path, &m, &e), usual * 160 / 100, usual * 190 / 100);
	w.ps = 1000 + 2 * segment;
	for (unsigned i = 0; i < 100; i++)
		stopwatch_path_ps(&w, &path, &m, &e);
	assert_in_range(stopwatch_path_ps(&w, &path, &m, &e), usual * 198 / 100, usual * 201 / 100);
	w.ps = 0;
	assert_in_range(stopwatch_path_ps(&w, &path, &m, &e), usual * 197 / 100, usual * 201 / 100);
	/* and what is out of the ordinary still is */
	w.ps = 1000 + 20 * segment;
	assert_true(stopwatch_path_ps(&w, &path, &m, &e) > 18 * usual);
}

/* A loop whose segment took 1 us without the stops, and has met no block of code for the first
 * time. */
static void time_loop(struct stopwatch *w)
{
	run_loop();
	assert_true(stopwatch_start(w, &core));
	w->ps = 1000 + 1000000;
	w->at[STOPWATCH_TO].work.blocks = w->at[STOPWATCH_FROM].work.blocks;
}

/* What is left of that, for a path that is the segment. */
static uint64_t left_of_loop(const struct stopwatch *w)
{
	const struct rate_machine m = {0};
	const struct rate_work path = {.branches = 54, .instructions = 216};
	const struct stopwatch_costs e = {.count = 4, .ps = {1000, 1000, 1000, 1000}};

	return stopwatch_measured_ps(w, &path, &m, &e);
}

/* 54 blocks of 10 ns each in 1 us; and more than can be. */
static void cold_code_is_subtracted(void **state)
{
	struct stopwatch w;

	(void)state;
	time_loop(&w);
	w.at[STOPWATCH_TO].work.blocks += 54;
	assert_int_equal(left_of_loop(&w), 1000000 - 54 * 10000);
	w.at[STOPWATCH_TO].work.blocks += 540 - 54;
	assert_int_equal(left_of_loop(&w), 400000);
}

/* Usually 4.35 us, 10 us by the watch: it counts the less, the more code was cold. */
static void cold_code_is_noisy(void **state)
{
	struct rate_machine m = {.line_ps = 80000};
	struct rate_work path = {.branches = 54, .instructions = 216, .lines = 54};
	uint64_t took[2];
	struct stopwatch w;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct stopwatch_costs e = {.count = 4, .ps = {1000, 1000, 1000, 1000}};
		uint64_t cold = i ? 200 : 0;

		time_loop(&w);
		w.at[STOPWATCH_TO].work.lines = w.at[STOPWATCH_FROM].work.lines + 54;
		w.at[STOPWATCH_TO].work.blocks += cold;
		w.ps = 1000 + 10000000 + cold * 10000;
		assert_int_equal(stopwatch_measured_ps(&w, &path, &m, &e), 10000000);
		took[i] = stopwatch_path_ps(&w, &path, &m, &e);
	}
	/* sure = 4.35^2 / (4.35^2 + 0.3^2), and with 6^2 of 200 blocks */
	assert_in_range(took[0], 9950000, 10000000);
	assert_in_range(took[1], 6280000, 6380000);
}

/* 20 lines of 10 ns each, where another processor copied them. */
static void lines_that_were_taken_away_are_subtracted(void **state)
{
	struct stopwatch w;

	(void)state;
	time_loop(&w);
	w.at[STOPWATCH_TO].work.copied = w.at[STOPWATCH_FROM].work.copied + 20;
	assert_int_equal(left_of_loop(&w), 1000000);
	w.elsewhere = true;
	assert_int_equal(left_of_loop(&w), 800000);
}

/* Lines that look-ahead left in the nearest cache, the thread does not wait for: that is added. */
static void what_was_warmed_is_added(void **state)
{
	struct rate_machine m = {.line_ps = 80000};
	struct rate_work path = {.branches = 64, .instructions = 256, .lines = 64};
	struct stopwatch_costs e = {.count = 4, .ps = {1000, 1000, 1000, 1000}};
	struct stopwatch w;
	uint64_t cold;

	(void)state;
	run_loop();
	assert_true(stopwatch_start(&w, &core));
	w.at[STOPWATCH_TO].work.lines = w.at[STOPWATCH_FROM].work.lines + 54;
	w.ps = 1000 + 5 * 54 * 80000;
	cold = stopwatch_path_ps(&w, &path, &m, &e);
	e.fit = (struct rate_fit){0};
	w.warmed = true;
	w.ps = 1000 + 4 * 54 * 80000;
	assert_int_equal(stopwatch_path_ps(&w, &path, &m, &e), cold);
	/* 54 from a farther cache, 64 on the whole path, 100 ns each, of which 60 are waited for;
	 * they are not put out again */
	e.fit = (struct rate_fit){0};
	w.warmed = false;
	m.tick_1024_ps = 1024 * 1000;
	w.at[STOPWATCH_TO].work.lines = w.at[STOPWATCH_FROM].work.lines;
	w.at[STOPWATCH_TO].work.wait_ticks = w.at[STOPWATCH_FROM].work.wait_ticks + 54 * 100;
	path.lines = 0;
	path.wait_ticks = 64 * 100;
	w.ps = 1000 + 54000;
	assert_int_equal(stopwatch_measured_ps(&w, &path, &m, &e), 64 * 61000);
	assert_in_range(stopwatch_path_ps(&w, &path, &m, &e), 64 * 60990, 64 * 61010);
}

/* A process that begins with what others measured adds to it. */
static void stop_costs_are_added(void **state)
{
	struct stopwatch_costs e = {.count = 3, .ps = {7, 8, 9}};
	struct stopwatch w;

	(void)state;
	run_loop();
	run_segment(&w, 16, 20000000, &e);
	assert_int_equal(e.count, 4);
	assert_int_equal(e.ps[3], 16000000);
}

/* ---- a thread that is interrupted ---------------------------------------------------------- */

#define INTERRUPT_PS UINT64_C(4000000)

static const struct rate_machine plain;
/* By the model 1,024 ns, and ten times as much, nearly. */
static const struct rate_work repeated = {.branches = 1024, .instructions = 4096};
static const struct rate_work ran = {.branches = 10000, .instructions = 40000};
#define REPEATED_PS UINT64_C(1024000)
/* What it usually takes. */
#define USUAL_PS UINT64_C(640000)

/* What interrupts cost is known. */
static struct stopwatch_costs known_costs(void)
{
	struct stopwatch_costs e = {.interrupts = STOPWATCH_STOP_COSTS};

	for (unsigned i = 0; i < STOPWATCH_STOP_COSTS; i++)
		e.interrupt_ps[i] = INTERRUPT_PS;
	return e;
}

/* The thread was interrupted, and ran for @ps besides. */
static struct stopwatch interrupted(uint64_t ps, struct stopwatch_costs *e)
{
	struct stopwatch w = {.interrupted = true};

	stopwatch_interrupt(&w, &ran, INTERRUPT_PS + ps, (INTERRUPT_PS + ps) / 1000, e);
	return w;
}

/* What the path takes by that. */
static uint64_t path_by_interrupt(uint64_t ps, struct stopwatch_costs *e)
{
	const struct stopwatch w = interrupted(ps, e);

	return stopwatch_path_ps(&w, &repeated, &plain, e);
}

/* Its time becomes the path's in proportion, and no stop has to have been measured. */
static void an_interrupt_times_the_path(void **state)
{
	struct stopwatch_costs e = known_costs();
	struct stopwatch w;

	(void)state;
	assert_int_equal(path_by_interrupt(40000000, &e), 4 * REPEATED_PS);
	assert_int_equal(e.count, 0);
	assert_int_equal(e.fit.count, 1);
	/* nor do what stops cost and what is usual change it */
	e.count = 4;
	e.ps[0] = e.ps[1] = e.ps[2] = e.ps[3] = 16000000;
	assert_int_equal(path_by_interrupt(40000000, &e), 4 * REPEATED_PS);
	w = interrupted(40000000, &e);
	assert_int_equal(stopwatch_measured_ps(&w, &repeated, &plain, &e), 4 * REPEATED_PS);
	/* slower than breakpoints may say that a path is */
	assert_int_equal(path_by_interrupt(500000000, &e), 50 * REPEATED_PS);
}

static void what_an_interrupt_does_not_tell(void **state)
{
	struct stopwatch_costs e = known_costs(), unknown = {0};
	struct stopwatch w = {.interrupted = true};

	(void)state;
	/* the thread was away for a while */
	assert_false(stopwatch_interrupt(&w, &ran, INTERRUPT_PS + 80000000, 44000, &e));
	assert_int_equal(w.ps, 0);
	assert_int_equal(stopwatch_path_ps(&w, &repeated, &plain, &e), USUAL_PS);
	assert_int_equal(stopwatch_measured_ps(&w, &repeated, &plain, &e), 0);
	/* it took no longer than the interrupt, and nobody knows how long that takes */
	assert_int_equal(path_by_interrupt(0, &e), USUAL_PS);
	assert_int_equal(path_by_interrupt(40000000, &unknown), USUAL_PS);
	/* what stops cost does not tell either */
	unknown.count = 4;
	assert_int_equal(path_by_interrupt(40000000, &unknown), USUAL_PS);
	assert_int_equal(e.fit.count + unknown.fit.count, 0);
}

/* 40 ps an instruction, and 1 ms in all. */
static void what_an_interrupt_can_tell_is_limited(void **state)
{
	struct stopwatch_costs e = known_costs();

	(void)state;
	assert_int_equal(path_by_interrupt(100000, &e), 4096 * 40);
	assert_in_range(path_by_interrupt(UINT64_C(900000000), &e), 90 * REPEATED_PS - 1,
			90 * REPEATED_PS);
	assert_in_range(path_by_interrupt(UINT64_C(1500000000), &e), 100 * REPEATED_PS - 1,
			100 * REPEATED_PS);
}

/* As behind breakpoints: code that was put out of the caches, and lines that were not. */
static void caches_count_behind_an_interrupt(void **state)
{
	const struct rate_machine m = {.line_ps = 80000};
	struct stopwatch_costs e = known_costs();
	struct stopwatch w = interrupted(40000000, &e);
	struct rate_work work = ran;

	(void)state;
	w.warmed = true;
	w.ran.lines = work.lines = 100;
	w.ran.blocks = work.blocks = 10;
	/* of a path that is what ran */
	assert_int_equal(stopwatch_measured_ps(&w, &work, &m, &e), 40000000 + 8000000 - 100000);
}

/* The second interrupt of a thread, behind @branches in all. */
static void interrupt_again(struct stopwatch *w, uint64_t branches, uint64_t ps,
			    struct stopwatch_costs *e)
{
	const struct rate_work more = {.branches = branches, .instructions = 4 * branches};
	const struct stopwatch before = *w;

	assert_false(stopwatch_interrupt(w, &more, ps, ps / 1000, e));
	/* the first one is what the path's time is by */
	assert_int_equal(w->ps, before.ps);
	assert_int_equal(w->ran.branches, before.ran.branches);
}

/* 4 ns a branch, and 4 us: 44 us for 10,000, 124 for 30,000 more. */
static void two_interrupts_tell_what_one_costs(void **state)
{
	struct stopwatch_costs e = {0};
	struct stopwatch w = {.interrupted = true};

	(void)state;
	assert_true(stopwatch_interrupt(&w, &ran, 44000000, 44000, &e));
	interrupt_again(&w, 40000, 124000000, &e);
	assert_int_equal(e.interrupts, 1);
	assert_int_equal(e.interrupt_ps[0], INTERRUPT_PS);
	assert_int_equal(stopwatch_path_ps(&w, &repeated, &plain, &e), 4 * REPEATED_PS);
}

static void what_two_interrupts_do_not_tell(void **state)
{
	struct stopwatch_costs e = {0};
	struct stopwatch w;

	(void)state;
	w = interrupted(40000000, &e);
	interrupt_again(&w, 24000, 60000000, &e); /* too near to the first one */
	interrupt_again(&w, 10000, 60000000, &e); /* in the same place, and before it */
	interrupt_again(&w, 5000, 60000000, &e);
	interrupt_again(&w, 40000, 140000000, &e); /* slower: it would cost less than nothing */
	interrupt_again(&w, 410000, 40000000, &e); /* faster: all of the first one */
	/* the thread was away behind the first one */
	assert_false(stopwatch_interrupt(&w, &ran, 124000000, 90000, &e));
	assert_int_equal(e.interrupts, 0);
}

/* Until enough are known, and one in sixteen from then on. */
static void a_second_interrupt_is_rare(void **state)
{
	struct stopwatch_costs e = known_costs();
	unsigned asked = 0;

	(void)state;
	for (unsigned i = 0; i < 160; i++) {
		const struct rate_work work = {.branches = 5000 + 7 * i, .instructions = 20000};
		struct stopwatch w = {.interrupted = true};

		asked += stopwatch_interrupt(&w, &work, 44000000, 44000, &e);
	}
	assert_int_equal(asked, 10);
	e.interrupts--;
	for (unsigned i = 1; i < 3; i++) {
		const struct rate_work work = {.branches = 5000 + i, .instructions = 20000};
		struct stopwatch w = {.interrupted = true};

		assert_true(stopwatch_interrupt(&w, &work, 44000000, 44000, &e));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(stop_costs_are_added),
		cmocka_unit_test(words_are_landmarks),
		cmocka_unit_test(a_word_that_was_met_is_none),
		cmocka_unit_test(code_is_a_landmark),
		cmocka_unit_test(times_by_hand),
		cmocka_unit_test(few_stops_are_noisy),
		cmocka_unit_test(what_is_usual_is_learnt),
		cmocka_unit_test(cold_code_is_subtracted),
		cmocka_unit_test(cold_code_is_noisy),
		cmocka_unit_test(lines_that_were_taken_away_are_subtracted),
		cmocka_unit_test(what_was_warmed_is_added),
		cmocka_unit_test(an_interrupt_times_the_path),
		cmocka_unit_test(what_an_interrupt_does_not_tell),
		cmocka_unit_test(what_an_interrupt_can_tell_is_limited),
		cmocka_unit_test(caches_count_behind_an_interrupt),
		cmocka_unit_test(two_interrupts_tell_what_one_costs),
		cmocka_unit_test(what_two_interrupts_do_not_tell),
		cmocka_unit_test(a_second_interrupt_is_rare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
