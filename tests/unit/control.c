/* SPDX-License-Identifier: MIT */
/* When a recording is on, and for how long it stays so by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "collector/recorder/control.h"
#include "collector/kernel/clock.h"

#define SECOND UINT64_C(1000000000)

/* @s after its beginning: its state, and for how long, give or take what the test itself takes. */
static void expect(struct control *s, uint64_t after_ns, enum session_state state,
		   uint64_t steady_ns)
{
	s->begin_ns = clock_now_ns() - after_ns;
	assert_int_equal(control_state(s), state);
	if (steady_ns == UINT64_MAX)
		assert_true(control_steady_ns(s) == UINT64_MAX);
	else
		assert_in_range(control_steady_ns(s), steady_ns - SECOND, steady_ns);
}

static void test_without_options_it_is_on_for_ever(void **state)
{
	struct control s = {.socket = -1, .asker = -1};

	(void)state;
	expect(&s, 100 * SECOND, SESSION_RUN, UINT64_MAX);
	control_end(&s);
	expect(&s, 100 * SECOND, SESSION_STOP, UINT64_MAX);
}

static void test_a_window(void **state)
{
	struct control s = {.options = {.delay_ns = 20 * SECOND, .duration_ns = 30 * SECOND}};

	(void)state;
	expect(&s, 5 * SECOND, SESSION_WAIT, 15 * SECOND);
	expect(&s, 25 * SECOND, SESSION_RUN, 25 * SECOND);
	expect(&s, 55 * SECOND, SESSION_STOP, UINT64_MAX);
}

static void test_a_duty_cycle(void **state)
{
	struct control s = {.options = {.delay_ns = 20 * SECOND,
					.duration_ns = 100 * SECOND,
					.on_ns = 10 * SECOND,
					.off_ns = 30 * SECOND}};

	(void)state;
	expect(&s, 5 * SECOND, SESSION_WAIT, 15 * SECOND);
	expect(&s, 24 * SECOND, SESSION_RUN, 6 * SECOND);
	expect(&s, 35 * SECOND, SESSION_WAIT, 25 * SECOND);
	expect(&s, 64 * SECOND, SESSION_RUN, 6 * SECOND);
	/* it ends before it would be on again */
	expect(&s, 115 * SECOND, SESSION_WAIT, 5 * SECOND);
}

static void test_who_has_connected_is_heard_first(void **state)
{
	struct control s = {.socket = 7, .asker = -1};

	(void)state;
	assert_int_equal(control_ear(&s), 7);
	s.asker = 9;
	assert_int_equal(control_ear(&s), 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_options_it_is_on_for_ever),
		cmocka_unit_test(test_a_window),
		cmocka_unit_test(test_a_duty_cycle),
		cmocka_unit_test(test_who_has_connected_is_heard_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
