/* SPDX-License-Identifier: MIT */
/* converter/cfg/ip_estimate.c where it is plain how often code ran: 1,000 times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "base/memory.h"
#include "converter/cfg/ip_profile.h"

#define PERIOD 1.0

static struct ip_runs_table table;

static int setup(void **state)
{
	(void)state;
	ip_runs_table_init(&table, PERIOD);
	return 0;
}

/* An instruction that took so many cycles each time. */
static void add(struct ip_runs *r, enum ip_head head, double cycles)
{
	r->cycles += cycles * 1000;
	assert_int_equal(ip_runs_add(r, head, cycles * 1000, cycles * 1000 / PERIOD), 0);
}

static double solve(struct ip_runs *r)
{
	ip_runs_solve(&table, r);
	vector_deinit(&r->heads);
	return exp(r->log) / 1000;
}

#define assert_about(value, wanted)              \
	do {                                     \
		double v_ = value;               \
		assert_true(v_ > 0.85 * wanted); \
		assert_true(v_ < 1.18 * wanted); \
	} while (0)

/* One that taken branches lead to, one that fills its group, one that waited for two cycles more.
 */
static void groups(void **state)
{
	struct ip_runs r = {0}, alone = {0}, odd = {0};

	(void)state;
	add(&r, IP_HEAD_TARGET, 1);
	add(&r, IP_HEAD_EARLY, 0);
	add(&r, IP_HEAD_EARLY, 3);
	add(&r, IP_HEAD_FULL, 1);
	assert_about(solve(&r), 1);
	assert_true(r.deviation < 0.3);

	/* the first of a group that is not full waited: it took two cycles, or more in fewer runs
	 */
	add(&alone, IP_HEAD_EARLY, 2);
	assert_about(solve(&alone), 0.7);
	assert_true(alone.deviation > 0.4);

	/* what waits in two groups does not in the third */
	add(&odd, IP_HEAD_TARGET, 1);
	add(&odd, IP_HEAD_FULL, 2);
	add(&odd, IP_HEAD_FULL, 5);
	assert_about(solve(&odd), 1);
}

/* At a place that is also run into, groups begin only sometimes. */
static void parts(void **state)
{
	struct ip_runs r = {0};

	(void)state;
	add(&r, IP_HEAD_EITHER, 0.4);
	add(&r, IP_HEAD_FULL, 1);
	add(&r, IP_HEAD_EARLY, 2);
	assert_about(solve(&r), 1);
}

/* Nothing but samples of instructions: their sum, as sure as the skid lets it be. */
static void instructions(void **state)
{
	struct ip_runs r = {.counted = 10000, .samples = 10000, .instructions = 10};
	struct ip_runs none = {.instructions = 10};

	(void)state;
	assert_about(solve(&r), 1);
	assert_true(r.deviation > 0.5);
	assert_true(ip_runs_skid(0) > 10 * ip_runs_skid(1000));
	/* and of code that runs for long, which cycles say ran twice as often */
	r = (struct ip_runs){.counted = 800e3, .samples = 800e3, .instructions = 799};
	r.cycles = 2000e3;
	assert_int_equal(ip_runs_add(&r, IP_HEAD_FULL, 2000, 2000), 0);
	assert_about(solve(&r), 1);

	assert_true(solve(&none) == 0);
	assert_true(none.deviation == 1);
}

static void no_memory(void **state)
{
	struct ip_runs r = {0};

	(void)state;
	memory_fail_at(1);
	assert_int_equal(ip_runs_add(&r, IP_HEAD_FULL, 1, 1), -1);
	memory_fail_at(0);
	vector_deinit(&r.heads);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups),
		cmocka_unit_test(parts),
		cmocka_unit_test(instructions),
		cmocka_unit_test(no_memory),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
