/* SPDX-License-Identifier: MIT */
/* Which lines look-ahead brought in, that they are out of the caches afterwards, and weights. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#include "collector/engine/cache_lines.h"
#include "collector/engine/rate.h"
#include "collector/machine/calibration.h"
#include "isa/host.h"

#define LINES 256u
/* An interrupt may make a load slow, or a neighbour bring a line back. */
#define MOST (LINES * 9 / 10)
#define FEW  (LINES / 10)

/* Far from each other: prefetchers bring neighbours. */
#define APART (8 * ISA_LINE_BYTES)

static uint8_t buffer[LINES * APART] __attribute__((aligned(APART)));
static struct cache_lines lines;

/* In an order that no prefetcher follows. */
static const uint8_t *line(unsigned i)
{
	return &buffer[i * 101 % LINES * APART];
}

static void load_all(void)
{
	for (unsigned i = 0; i < LINES; i++)
		cache_lines_load(&lines, line(i), 8);
}

static void flush_all(void)
{
	for (unsigned i = 0; i < LINES; i++)
		isa_line_flush(line(i));
	__builtin_ia32_mfence();
}

static unsigned slow_now(void)
{
	unsigned slow = 0;

	for (unsigned i = 0; i < LINES; i++)
		slow += isa_line_load_ticks(line(i)) > lines.slow_ticks;
	return slow;
}

/* What was out is counted once and is out again, what was in stays in. */
static bool restores(void)
{
	bool right;

	flush_all();
	cache_lines_begin(&lines);
	load_all();
	load_all();
	right = lines.slow >= MOST && lines.slow <= LINES && lines.listed == lines.slow;
	cache_lines_restore(&lines);
	right &= lines.listed == 0 && slow_now() >= MOST;
	cache_lines_begin(&lines);
	load_all();
	right &= lines.slow <= FEW;
	cache_lines_restore(&lines);
	return right && slow_now() <= FEW;
}

static void what_was_out_is_out_again(void **state)
{
	struct rate_machine m;
	unsigned tries = 0;

	(void)state;
	assert_int_equal(rate_measure(&m), 0);
	assert_true(m.slow_ticks && m.line_ps);
	lines.slow_ticks = m.slow_ticks;
	memset(buffer, 1, sizeof(buffer)); /* pages of its own */
	flush_all();
	if (slow_now() < MOST) {
		print_message("PARTLY SKIPPED: caches can't be told from memory here\n");
		skip();
	}
	while (!restores()) /* another program may have run meanwhile */
		assert_true(++tries < 2000);
}

static void both_lines_of_a_load(void **state)
{
	(void)state;
	lines.slow_ticks = 0; /* every load is slow */
	cache_lines_begin(&lines);
	cache_lines_load(&lines, &buffer[ISA_LINE_BYTES - 4], 8);
	assert_int_equal(lines.slow, 2);
	cache_lines_load(&lines, &buffer[0], 1);
	cache_lines_load(&lines, &buffer[ISA_LINE_BYTES], 64);
	assert_int_equal(lines.slow, 2);
	for (unsigned i = 0; i < 70000; i++) /* the look-ahead's number wraps */
		cache_lines_begin(&lines);
	cache_lines_load(&lines, &buffer[0], 8);
	assert_int_equal(lines.slow, 1);
}

/* What is not in the nearest cache, but in another, is waited for and stays where it is. */
static void farther_caches_are_waited_for(void **state)
{
	(void)state;
	lines.near_ticks = lines.farther_ticks = 1; /* every load is farther, none from memory */
	lines.slow_ticks = UINT64_MAX;
	cache_lines_begin(&lines);
	cache_lines_load(&lines, &buffer[0], 8);
	assert_int_equal(lines.slow, 0);
	assert_int_equal(lines.listed, 0);
	assert_true(lines.wait_ticks > 0);
	lines.farther_ticks = UINT64_MAX;
	cache_lines_begin(&lines);
	cache_lines_load(&lines, &buffer[0], 8);
	assert_int_equal(lines.wait_ticks, 0);
}

#define FAR_PAGES 100u

static uint64_t far_page(uint64_t i)
{
	return i * 7919 * LINES_PAGE_BYTES;
}

/* Pages from all over the address space are noted each by itself, in as many rows. */
static void pages_take_rows_as_they_are_met(void **state)
{
	uint64_t fresh = 0;

	(void)state;
	for (unsigned round = 0; round < 2; round++) {
		cache_lines_begin(&lines);
		for (uint64_t i = 0; i < FAR_PAGES; i++)
			cache_lines_note(&lines, far_page(i) + i % 512 * 8, 8);
		assert_false(lines.crowded);
		assert_int_equal(lines.pages, FAR_PAGES);
		assert_int_equal(lines.copied, FAR_PAGES);
		for (uint64_t i = 0; i < FAR_PAGES; i++) {
			fresh += cache_lines_is_fresh(&lines, far_page(i) + i % 512 * 8);
			assert_true(cache_lines_is_fresh(&lines, far_page(i) + (i + 1) % 512 * 8));
		}
		assert_int_equal(fresh, 0);
	}
}

/* 100 branches, 400 instructions of 250 ps, 5 lines of 80 ns: 100 + 400 = 500 ns. In 10 ms: 2e6. */
static void weights_by_hand(void **state)
{
	struct rate_machine m = {.line_ps = 80000};
	struct rate_work w = {.branches = 100, .instructions = 400, .lines = 5};

	(void)state;
	assert_int_equal(rate_model_ps(&w, &m), 500000);
	assert_int_equal(rate_weight(100, 500000, 10000000), 2000000);
	assert_int_equal(rate_weight(100, 500000, 1), 1);
	assert_int_equal(rate_weight(0, 0, 1000), 0);
	assert_int_equal(rate_weight(4096, 1, UINT64_MAX), INT64_MAX);
	w.wait_ticks = 1000; /* of 1 ns, 60 % of them */
	m.tick_1024_ps = 1024 * 1000;
	assert_int_equal(rate_model_ps(&w, &m), 1100000);
	w.range_bytes = 10000;
	assert_int_equal(rate_model_ps(&w, &m), 1400000);
	w = (struct rate_work){.branches = 100}; /* decoding alone: it ran all the same */
	assert_int_equal(rate_model_ps(&w, &m), 25000);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_out_is_out_again),
		cmocka_unit_test(both_lines_of_a_load),
		cmocka_unit_test(farther_caches_are_waited_for),
		cmocka_unit_test(pages_take_rows_as_they_are_met),
		cmocka_unit_test(weights_by_hand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
