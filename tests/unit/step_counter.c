/* SPDX-License-Identifier: MIT */
/* Counting with threads: the same counts as without, for one space and for several. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "converter/samples/branch_stacks.h"

#define SPACES	3
#define BATCHES 8000 /* of 40 steps, with more distinct ones than are counted without threads */

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* The same steps whatever @c is; (from, to) in @truth by a way of its own. */
static void add_all(struct step_counter *c, struct address_space *spaces, struct map *truth)
{
	uint32_t random = 7;

	for (unsigned i = 0; i < BATCHES; i++) {
		unsigned s = next_random(&random) % 97 ? (i / 1000) % SPACES : 0;
		struct step batch[40];

		for (unsigned k = 0; k < 40; k++) {
			uint64_t from = next_random(&random) % 3000, to = next_random(&random) % 30;
			struct map_entry *e = map_at(&truth[s], from, to);

			batch[k] = (struct step){.from = from, .to = to, .next = STEP_LAST, .n = 1};
			assert_non_null(e);
			e->n++;
			if (!(from % 8)) /* of others no time is known */
				continue;
			batch[k].first_ns = 1 + next_random(&random);
			if (!e->m || batch[k].first_ns < e->m)
				e->m = batch[k].first_ns;
		}
		assert_int_equal(step_counter_add(c, &spaces[s], batch, NULL, 40), 0);
	}
}

static void check(unsigned threads)
{
	struct step_counter *c = step_counter_new(threads);
	struct address_space spaces[SPACES];
	struct map truth[SPACES];

	memset(spaces, 0, sizeof(spaces));
	memset(truth, 0, sizeof(truth));
	assert_non_null(c);
	add_all(c, spaces, truth);
	assert_int_equal(step_counter_finish(c), 0);
	add_all(c, spaces, truth); /* it can go on */
	assert_int_equal(step_counter_finish(c), 0);
	step_counter_free(c);
	for (unsigned s = 0; s < SPACES; s++) {
		const struct step *i = NULL;

		assert_true(truth[s].count > 2 * STEP_COUNTER_ALONE);
		assert_int_equal(spaces[s].steps.count, truth[s].count);
		while ((i = steps_next(&spaces[s].steps, i))) {
			struct map_entry *e = map_find(&truth[s], i->from, i->to);

			assert_non_null(e);
			assert_int_equal(i->n, e->n);
			assert_int_equal(i->first_ns, e->m);
			assert_true(i->next == STEP_LAST);
		}
		steps_deinit(&spaces[s].steps);
		map_deinit(&truth[s]);
	}
}

/* What is told of two branches, more often than a block has room for, is all counted. */
static void what_is_told_is_counted(void **state)
{
	struct step batch[40];
	struct step_told told[40];

	(void)state;
	for (unsigned k = 0; k < 40; k++) {
		batch[k] = (struct step){.from = 8 + k % 2, .to = 16, .next = 24, .n = 1};
		told[k] = (struct step_told){(uint16_t)(k % 4),
					     k % 5 ? BRANCH_PREDICTED : BRANCH_MISPREDICTED};
	}
	for (unsigned threads = 0; threads < 4; threads++) {
		struct step_counter *c = step_counter_new(threads);
		struct branch_details details = {0}, *d = &details;
		struct address_space space = {.details = d};
		const struct map_entry *i = NULL, *outcome;
		uint64_t latencies = 0;

		assert_non_null(c);
		for (unsigned n = 0; n < 1000; n++)
			assert_int_equal(step_counter_add(c, &space, batch, told, 40), 0);
		assert_int_equal(step_counter_add(c, &space, batch, NULL, 40), 0);
		assert_int_equal(step_counter_finish(c), 0);
		step_counter_free(c);
		assert_int_equal(space.steps.count, 2);
		outcome = map_find(&d->outcomes, 8, 16); /* k = 0, 10, 20, 30 */
		assert_non_null(outcome);
		assert_int_equal(outcome->n, 16000);
		assert_int_equal(outcome->m, 4000);
		while ((i = map_next(&d->latencies, (struct map_entry *)i))) {
			struct branch_latency l = branch_details_latency(i);

			assert_int_equal(l.begin, 16);
			assert_int_equal(l.end, 24);
			assert_in_range(l.cycles, 1, 3);
			latencies += i->n;
		}
		assert_int_equal(latencies, 30000);
		steps_deinit(&space.steps);
		branch_details_deinit(d);
	}
}

static void counts_are_the_same(void **state)
{
	(void)state;
	check(0);
	check(1);
	check(2);
	check(8);
}

/* What was not finished is thrown away, without a leak or a wait without end. */
static void can_be_given_up(void **state)
{
	struct address_space spaces[SPACES];
	struct map truth[SPACES];

	(void)state;
	for (unsigned threads = 1; threads <= 4; threads++) {
		struct step_counter *c = step_counter_new(threads);

		memset(spaces, 0, sizeof(spaces));
		memset(truth, 0, sizeof(truth));
		add_all(c, spaces, truth);
		step_counter_free(c);
		for (unsigned s = 0; s < SPACES; s++) {
			assert_true(spaces[s].steps.count <= truth[s].count);
			steps_deinit(&spaces[s].steps);
			map_deinit(&truth[s]);
		}
	}
	step_counter_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_the_same),
		cmocka_unit_test(what_is_told_is_counted),
		cmocka_unit_test(can_be_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
