/* SPDX-License-Identifier: MIT */
/* Where a thread is found by the registers that were foreseen on its path, and where it is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "collector/engine/waypoints.h"

#define LOOP	0x1000u
#define ELSE	0x2000u
#define POINTS	32u
#define ARRAY	UINT64_C(0x7f0000001000)
#define COUNTER 1u /* registers by number */
#define POINTER 2u
#define WITHOUT 5u /* one that stays the same */

static struct waypoints points;
static struct isa_state state;

/* What a path has done that took so many branches. */
static struct rate_work work_of(uint64_t branches)
{
	return (struct rate_work){.branches = branches,
				  .instructions = 4 * branches,
				  .lines = branches / 2,
				  .wait_ticks = 3 * branches,
				  .copied = branches / 4,
				  .range_bytes = 64 * branches,
				  .blocks = 7};
}

static void fill(uint64_t registers[ISA_GENERAL_REGISTERS])
{
	for (unsigned r = 0; r < ISA_GENERAL_REGISTERS; r++)
		registers[r] = 0x100 + r;
}

/* The loop's registers behind so many branches. */
typedef void registers_behind(uint64_t branches, uint64_t registers[ISA_GENERAL_REGISTERS]);

static void counts_up(uint64_t branches, uint64_t registers[ISA_GENERAL_REGISTERS])
{
	registers[COUNTER] = 5 + branches;
	registers[POINTER] = ARRAY + 8 * branches;
}

/* As with `dec %ecx`: what is above 32 bits is zero. */
static void counts_down(uint64_t branches, uint64_t registers[ISA_GENERAL_REGISTERS])
{
	registers[COUNTER] = (uint32_t)(0xfffff000u - branches);
}

/* From the end of an array to its begin, and another register by less than nothing. */
static void runs_backwards(uint64_t branches, uint64_t registers[ISA_GENERAL_REGISTERS])
{
	registers[POINTER] = ARRAY - 16 * branches;
	registers[COUNTER] = 100 - branches;
}

static void is_the_same(uint64_t branches, uint64_t registers[ISA_GENERAL_REGISTERS])
{
	(void)branches;
	(void)registers;
}

/* A register that has steps of its own beside one that counts. */
static void counts_beside_a_hash(uint64_t branches, uint64_t registers[ISA_GENERAL_REGISTERS])
{
	registers[COUNTER] = 3 * branches;
	registers[POINTER] = branches * branches * UINT64_C(0x9e3779b97f4a7c15);
}

static void hashes(uint64_t branches, uint64_t registers[ISA_GENERAL_REGISTERS])
{
	registers[POINTER] = branches * branches * UINT64_C(0x9e3779b97f4a7c15);
}

/* A path with @count waypoints in its loop. */
static void follow(registers_behind *behind, unsigned count)
{
	points.count = 0;
	for (unsigned i = 1; i <= count; i++) {
		const struct rate_work work = work_of((uint64_t)i * WAYPOINT_BRANCHES);

		fill(state.gpr);
		memset(state.gpr_known, 0xff, sizeof(state.gpr_known));
		behind(work.branches, state.gpr);
		isa_state_set_pc(&state, LOOP);
		waypoints_note(&points, &state, &work);
	}
	assert_int_equal(points.count, count);
}

/* The thread is in the loop, behind so many branches, but for register @r, which differs by @by. */
static bool find(registers_behind *behind, uint64_t branches, unsigned r, int64_t by,
		 struct rate_work *work)
{
	uint64_t registers[ISA_GENERAL_REGISTERS];

	fill(registers);
	behind(branches, registers);
	registers[r] += (uint64_t)by;
	memset(work, 0, sizeof(*work));
	return waypoints_find(&points, LOOP, registers, NULL, work);
}

static void assert_found(registers_behind *behind, uint64_t branches)
{
	const struct rate_work is = work_of(branches);
	struct rate_work work;

	assert_true(find(behind, branches, 0, 0, &work));
	assert_memory_equal(&work, &is, sizeof(work));
}

static void assert_not_found(registers_behind *behind, uint64_t branches)
{
	struct rate_work work;

	assert_false(find(behind, branches, 0, 0, &work));
}

static void on_the_path(void **unused)
{
	uint64_t registers[ISA_GENERAL_REGISTERS];
	struct rate_work work;

	(void)unused;
	follow(counts_up, POINTS);
	for (unsigned i = 1; i <= POINTS; i++)
		assert_found(counts_up, (uint64_t)i * WAYPOINT_BRANCHES);
	/* with the same registers elsewhere */
	fill(registers);
	counts_up(WAYPOINT_BRANCHES, registers);
	assert_false(waypoints_find(&points, ELSE, registers, NULL, &work));
	/* one that never counted does not keep a thread from being found there */
	follow(hashes, POINTS);
	assert_found(hashes, 3 * WAYPOINT_BRANCHES);
}

/* Its time may be that of any of them, and that of a later round. */
static void at_several_places(void **unused)
{
	(void)unused;
	follow(is_the_same, POINTS);
	assert_not_found(is_the_same, WAYPOINT_BRANCHES);
	follow(counts_up, POINTS);
	points.at[7] = points.at[6];
	assert_not_found(counts_up, 7 * WAYPOINT_BRANCHES);
	assert_found(counts_up, 9 * WAYPOINT_BRANCHES);
}

static void behind_the_path(void **unused)
{
	static registers_behind *const loops[] = {counts_up, counts_down, runs_backwards,
						  counts_beside_a_hash};

	(void)unused;
	for (unsigned i = 0; i < sizeof(loops) / sizeof(*loops); i++) {
		follow(loops[i], POINTS);
		assert_found(loops[i], (uint64_t)(POINTS + 1) * WAYPOINT_BRANCHES);
		assert_found(loops[i], (uint64_t)100 * POINTS * WAYPOINT_BRANCHES);
	}
	/* how far that is told by the counter, between waypoints as well */
	assert_found(counts_beside_a_hash, (uint64_t)(POINTS + 1) * WAYPOINT_BRANCHES + 4);
}

/* Nobody runs so far in that time. */
static void too_far_behind(void **unused)
{
	const uint64_t path = (uint64_t)POINTS * WAYPOINT_BRANCHES;

	(void)unused;
	follow(counts_up, POINTS);
	assert_found(counts_up, 1024 * path);
	assert_not_found(counts_up, 1025 * path);
}

/* In the loop at another time, or before: what counts says so. */
static void before_the_paths_end(void **unused)
{
	struct rate_work work;

	(void)unused;
	follow(counts_up, POINTS);
	assert_not_found(counts_up, 3 * WAYPOINT_BRANCHES + 4);
	assert_false(find(counts_up, 0, 0, 0, &work));
	follow(runs_backwards, POINTS);
	assert_not_found(runs_backwards, POINTS * WAYPOINT_BRANCHES - 4);
	/* it wraps around, and has come from the other side */
	follow(counts_down, POINTS);
	assert_false(find(counts_down, 0, COUNTER, 64, &work));
}

/* Another call of the same loop. */
static void a_constant_differs(void **unused)
{
	const uint64_t behind = (uint64_t)2 * POINTS * WAYPOINT_BRANCHES;
	struct rate_work work;

	(void)unused;
	follow(counts_up, POINTS);
	assert_true(find(counts_up, behind, WITHOUT, 0, &work));
	assert_false(find(counts_up, behind, WITHOUT, 1, &work));
	/* one that holds the same at the first and the last alone is no constant */
	for (unsigned i = 1; i + 1 < POINTS; i++)
		points.at[i].registers[WITHOUT] = i;
	assert_true(find(counts_up, behind, WITHOUT, 1, &work));
}

static void counters_disagree(void **unused)
{
	const uint64_t behind = (uint64_t)4 * POINTS * WAYPOINT_BRANCHES;
	const int64_t part = (int64_t)behind / 8;
	struct rate_work work;

	(void)unused;
	follow(counts_up, POINTS);
	assert_true(find(counts_up, behind, COUNTER, part - 16, &work));
	assert_false(find(counts_up, behind, COUNTER, part + 16, &work));
	assert_true(find(counts_up, behind, COUNTER, 16 - part, &work));
	assert_false(find(counts_up, behind, COUNTER, -part - 16, &work));
	/* an array's new begin */
	assert_false(find(counts_up, behind, POINTER, 1 << 20, &work));
}

/* Nothing says how it goes on. */
static void nothing_counts(void **unused)
{
	(void)unused;
	follow(hashes, POINTS);
	assert_not_found(hashes, (uint64_t)2 * POINTS * WAYPOINT_BRANCHES);
}

static void too_few_to_count(void **unused)
{
	(void)unused;
	follow(counts_up, 3);
	assert_found(counts_up, 3 * WAYPOINT_BRANCHES);
	assert_not_found(counts_up, 8 * WAYPOINT_BRANCHES);
	follow(counts_up, 4);
	assert_found(counts_up, 8 * WAYPOINT_BRANCHES);
	/* of those at one place */
	follow(counts_up, POINTS);
	for (unsigned i = 0; i + 3 < POINTS; i++)
		points.at[i].pc = ELSE;
	assert_not_found(counts_up, (uint64_t)2 * POINTS * WAYPOINT_BRANCHES);
	points.count = 0;
	assert_not_found(counts_up, WAYPOINT_BRANCHES);
}

static void what_is_not_known_is_not_noted(void **unused)
{
	const struct rate_work work = work_of(WAYPOINT_BRANCHES);

	(void)unused;
	follow(counts_up, 2);
	for (unsigned r = 0; r < ISA_GENERAL_REGISTERS; r++) {
		state.gpr_known[r] = UINT64_MAX >> 1;
		waypoints_note(&points, &state, &work);
		assert_int_equal(points.count, 2);
		state.gpr_known[r] = UINT64_MAX;
	}
	waypoints_note(&points, &state, &work);
	assert_int_equal(points.count, 3);
}

static void no_more_than_there_is_room_for(void **unused)
{
	const struct rate_work work = work_of(1);

	(void)unused;
	follow(counts_up, WAYPOINTS_MOST);
	waypoints_note(&points, &state, &work);
	assert_int_equal(points.count, WAYPOINTS_MOST);
	assert_found(counts_up, CORRECTION_DEPTH_MOST);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_the_path),
		cmocka_unit_test(at_several_places),
		cmocka_unit_test(behind_the_path),
		cmocka_unit_test(too_far_behind),
		cmocka_unit_test(before_the_paths_end),
		cmocka_unit_test(a_constant_differs),
		cmocka_unit_test(counters_disagree),
		cmocka_unit_test(nothing_counts),
		cmocka_unit_test(too_few_to_count),
		cmocka_unit_test(what_is_not_known_is_not_noted),
		cmocka_unit_test(no_more_than_there_is_room_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
