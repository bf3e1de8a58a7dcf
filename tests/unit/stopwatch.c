/* SPDX-License-Identifier: MIT */
/* Landmarks of a path, and what two of them say of its time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "collector/core/stopwatch.h"

#define DEPTH 64u

static struct cache_lines lines;
static struct landmarks landmarks;
static struct trace_entry entries[DEPTH];
static struct core core;

static void begin(void)
{
	cache_lines_begin(&lines);
	landmarks = (struct landmarks){.lines = &lines};
	landmarks_begin(&landmarks, DEPTH);
	core = (struct core){.options = {.depth = DEPTH},
			     .trace = {.entries = entries},
			     .landmarks = &landmarks};
}

/* A block of 16 bytes that ends in the next taken branch, 4 instructions, and loads @word. */
static void run_block(uint64_t address, const uint64_t *word, uint64_t next)
{
	struct landmark met = {
		.kind = LANDMARK_CODE,
		.address = address,
		.begin = address,
		.end = address + 16,
		.work = {.branches = core.trace.count, .instructions = 4 * core.trace.count}};

	if (!landmarks_enter(&landmarks, address))
		landmarks_note(&landmarks, &met);
	if (word)
		cache_lines_load(&lines, (const uint8_t *)word, 8);
	if (landmarks_word(&landmarks)) {
		met.kind = LANDMARK_WORD;
		met.address = landmarks_word(&landmarks);
		met.next = next;
		landmarks_note(&landmarks, &met);
	}
	entries[core.trace.count++] = (struct trace_entry){address + 14, next};
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
	assert_int_equal(landmarks.first.kind, LANDMARK_WORD);
	assert_int_equal(landmarks.first.address, (uintptr_t)&words[DEPTH / 2]);
	assert_int_equal(landmarks.second.address, (uintptr_t)&words[DEPTH / 2 + 1]);
	assert_int_equal(landmarks.last.address, (uintptr_t)&words[DEPTH - 1]);
}

static void words_are_landmarks(void **state)
{
	(void)state;
	run_loop();
	/* the instruction is somewhere in the block; behind it, or where the block goes */
	assert_true(landmark_is_at(&landmarks.last, 0x1004));
	assert_true(landmark_is_at(&landmarks.last, 0x1010));
	assert_true(landmark_is_at(&landmarks.last, 0x1000)); /* its branch loads, perhaps */
	assert_false(landmark_is_at(&landmarks.last, 0x1011));
}

static void a_word_that_was_met_is_none(void **state)
{
	static _Alignas(64) uint64_t word[8];

	(void)state;
	begin();
	for (unsigned i = 0; i < DEPTH; i++)
		run_block(0x1000, word, 0x1000);
	assert_int_equal(landmarks.first.kind, LANDMARK_NONE);
}

static void code_is_a_landmark(void **state)
{
	struct stopwatch_empties e = {.started = 1, .count = 4};
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
	assert_int_equal(landmarks.first.address, 0x2000);
	assert_int_equal(landmarks.last.address, 0x1008);
	assert_false(stopwatch_start(&w, &core, &e)); /* it ran before */
	landmarks.last = landmarks.second;
	assert_true(stopwatch_start(&w, &core, &e));
	assert_false(w.empty);
	assert_int_equal(w.to.work.branches - w.from.work.branches, 20);
	assert_true(landmark_is_at(&w.to, 0x3000));
	assert_false(landmark_is_at(&w.to, 0x3001));
}

/* An empty stretch takes 16 us; one of 31 branches and 124 instructions, by the model 31 ns, 20 us:
 * the watch is sure of 4 us, and the model's limit is 20 times what it says. */
static void times_by_hand(void **state)
{
	struct rate_machine m = {.line_ps = 80000};
	struct rate_work path = {.branches = 64, .instructions = 256};
	struct stopwatch_empties e = {0};
	struct stopwatch w;
	uint64_t model = rate_model_ps(&path, &m);

	(void)state;
	run_loop();
	assert_true(stopwatch_start(&w, &core, &e));
	assert_true(w.empty); /* nothing is known of them yet */
	for (unsigned i = 0; i < 5; i++) {
		w.ps = 0;
		stopwatch_stop(&w, i == 4 ? 90000000 : 16000000, i == 4 ? 90000 : 16000, &e);
		assert_int_equal(w.ps, 0);
	}
	assert_int_equal(e.count, 5);
	assert_true(stopwatch_start(&w, &core, &e));
	assert_false(w.empty);
	assert_int_equal(stopwatch_path_ps(&w, &path, &m, &e), 0);
	assert_int_equal(stopwatch_measured_ps(&w, &path, &m, &e), 0);
	stopwatch_stop(&w, 20000000, 20000, &e);
	assert_int_equal(w.ps, 20000000);
	/* 4 us for 31 of 64 branches */
	assert_int_equal(stopwatch_measured_ps(&w, &path, &m, &e), 8258064);
	/* no longer than the stops: the watch does not tell */
	w.ps = 16000000;
	assert_int_equal(stopwatch_measured_ps(&w, &path, &m, &e), 0);
	assert_int_equal(stopwatch_path_ps(&w, &path, &m, &e), 0);
	w.ps = 20000000;
	/* 31 ns against the noise of 300: sure = 1/94.65; 31 + 3969 / 94.65 = 72.9 of 31 ns, off by
	 * 1.352: 1.352^3 / (1.352^2 + 0.25) = 1.189 */
	assert_in_range(stopwatch_path_ps(&w, &path, &m, &e), model * 216 / 100, model * 222 / 100);
	assert_int_equal(e.pace, 0); /* too unsure to learn from */
	/* where lines are slow the model is rougher: 31 * 80 ns + 31 ns against 4 us, off by 0.585:
	 * 0.338 */
	w.to.work.lines = 31;
	path.lines = 64;
	model = rate_model_ps(&path, &m);
	assert_in_range(stopwatch_path_ps(&w, &path, &m, &e), model * 131 / 100, model * 136 / 100);
	assert_int_equal(e.pace, 1280); /* a first step is a quarter */
	assert_int_equal(e.paced, 1);
	/* a thread that was away says nothing */
	w.ps = 0;
	stopwatch_stop(&w, 90000000, 20000, &e);
	assert_int_equal(w.ps, 0);
}

/* Where everything takes twice what the model says, that is no difference between traces; one that
 * could not be timed takes as much, once the pace is known. */
static void what_is_usual_is_learnt(void **state)
{
	struct rate_machine m = {.line_ps = 80000};
	struct rate_work path = {.branches = 64, .instructions = 256, .lines = 64};
	struct stopwatch_empties e = {.started = 8, .count = 4, .ps = {1000, 1000, 1000, 1000}};
	struct stopwatch w;
	uint64_t model = rate_model_ps(&path, &m);

	(void)state;
	run_loop();
	assert_true(stopwatch_start(&w, &core, &e));
	w.to.work.lines = w.from.work.lines + 31;
	assert_int_equal(stopwatch_path_ps(&w, &path, &m, &e), 0);
	w.ps = 1000 + 2 * (31 * 80000 + 31000);
	for (unsigned i = 0; i < 3; i++)
		stopwatch_path_ps(&w, &path, &m, &e);
	assert_int_equal(e.pace, 2000); /* 1280, 1600 */
	w.ps = 0;
	/* 1.8, 1.25 * 1.354 and 1.563 * 1.067, of which the logarithms' mean */
	assert_in_range(stopwatch_path_ps(&w, &path, &m, &e), model * 168 / 100, model * 175 / 100);
	w.ps = 1000 + 2 * (31 * 80000 + 31000);
	for (unsigned i = 0; i < 100; i++)
		stopwatch_path_ps(&w, &path, &m, &e);
	assert_in_range(e.pace, 1990, 2110);
	assert_in_range(stopwatch_path_ps(&w, &path, &m, &e), model * 194 / 100, model * 206 / 100);
	w.ps = 0;
	assert_in_range(stopwatch_path_ps(&w, &path, &m, &e), model * 194 / 100, model * 206 / 100);
	/* and what is out of the ordinary still is */
	w.ps = 1000 + 20 * (31 * 80000 + 31000);
	assert_true(stopwatch_path_ps(&w, &path, &m, &e) > 18 * model);
}

/* Paths that take the same time whatever the model says, half of them four times as much as others:
 * so does one that could not be timed. */
static void what_the_model_tells_is_learnt(void **state)
{
	struct rate_machine m = {.line_ps = 80000};
	struct rate_work paths[2] = {{.branches = 64, .instructions = 256, .lines = 16},
				     {.branches = 64, .instructions = 256, .lines = 64}};
	struct stopwatch_empties e = {.started = 8, .count = 4, .ps = {1000, 1000, 1000, 1000}};
	uint64_t times[2];
	struct stopwatch w;

	(void)state;
	run_loop();
	for (unsigned i = 0; i < 40; i++) {
		assert_true(stopwatch_start(&w, &core, &e));
		e.started = 8; /* none is empty */
		w.to.work.lines = w.from.work.lines + (i % 2 ? 31 : 8);
		w.ps = 1000 + 2 * 31 * 80000;
		stopwatch_path_ps(&w, &paths[i % 2], &m, &e);
	}
	w.ps = 0;
	for (unsigned i = 0; i < 2; i++)
		times[i] = stopwatch_path_ps(&w, &paths[i], &m, &e);
	/* by the model alone 3.7 times */
	assert_true(times[1] < times[0] * 3 / 2);
}

/* Lines that look-ahead left in the nearest cache, the thread does not wait for: that is added. */
static void what_was_warmed_is_added(void **state)
{
	struct rate_machine m = {.line_ps = 80000};
	struct rate_work path = {.branches = 64, .instructions = 256, .lines = 64};
	struct stopwatch_empties e = {.started = 8, .count = 4, .ps = {1000, 1000, 1000, 1000}};
	struct stopwatch w;
	uint64_t cold;

	(void)state;
	run_loop();
	assert_true(stopwatch_start(&w, &core, &e));
	w.to.work.lines = w.from.work.lines + 31;
	w.ps = 1000 + 5 * 31 * 80000;
	cold = stopwatch_path_ps(&w, &path, &m, &e);
	e.pace = e.paced = 0;
	w.warmed = true;
	w.ps = 1000 + 4 * 31 * 80000;
	assert_int_equal(stopwatch_path_ps(&w, &path, &m, &e), cold);
	/* 31 from a farther cache, 64 on the whole path, 100 ns each, of which 60 are waited for;
	 * they are not put out again */
	e.pace = e.paced = 0;
	w.warmed = false;
	m.tick_1024_ps = 1024 * 1000;
	w.to.work.lines = w.from.work.lines;
	w.to.work.wait_ticks = w.from.work.wait_ticks + 31 * 100;
	path.lines = 0;
	path.wait_ticks = 64 * 100;
	w.ps = 1000 + 31000;
	assert_int_equal(stopwatch_measured_ps(&w, &path, &m, &e), 64 * 61000);
	assert_int_equal(stopwatch_path_ps(&w, &path, &m, &e), 64 * 61000);
}

/* A process that lives for a trace or a few goes on with what others measured, and adds to it. */
static void what_stops_cost_is_handed_on(void **state)
{
	struct stopwatch_empties known = {.started = 3,
					  .count = 3,
					  .pace = 900,
					  .paced = 5,
					  .ps = {7, 8, 9}},
				 e = {0};
	struct stopwatch w;

	(void)state;
	stopwatch_copy(&e, &known);
	assert_memory_equal(&e, &known, sizeof(e));
	run_loop();
	assert_true(stopwatch_start(&w, &core, &e));
	assert_true(w.empty);
	known.started = 6;
	known.count = 4;
	known.ps[3] = 10;
	stopwatch_copy(&e, &known);
	assert_memory_equal(&e, &known, sizeof(e));
	run_loop();
	assert_true(stopwatch_start(&w, &core, &e));
	assert_false(w.empty);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_landmarks),
		cmocka_unit_test(a_word_that_was_met_is_none),
		cmocka_unit_test(code_is_a_landmark),
		cmocka_unit_test(times_by_hand),
		cmocka_unit_test(what_is_usual_is_learnt),
		cmocka_unit_test(what_the_model_tells_is_learnt),
		cmocka_unit_test(what_was_warmed_is_added),
		cmocka_unit_test(what_stops_cost_is_handed_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
