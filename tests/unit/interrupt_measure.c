/* SPDX-License-Identifier: MIT */
/* What an interrupt costs on this machine, and that nothing else is changed by asking. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collector/machine/interrupt_measure.h"
#include "collector/machine/rate_measure.h"

#define LEAST_PS UINT64_C(1000000)
#define MOST_PS	 UINT64_C(200000000)

static struct rate_machine machine;

/* "task-clock", as from inside, and "cpu-clock", as from outside; skips where they can't be had. */
static struct event event_of(bool outside)
{
	struct softlbr_error e = {0};
	struct event event;

	assert_int_equal(event_parse(outside ? "cpu-clock" : "task-clock", &event, &e), 0);
	if (event_try(&event) || (event.asynchronous && !outside)) {
		printf("SKIP: %s by sigtrap can't be had here\n", event.name);
		skip();
	}
	event.asynchronous = outside;
	return event;
}

static int begin(void **state)
{
	(void)state;
	memset(&machine, 0, sizeof(machine));
	return rate_measure(&machine);
}

static void measure(bool outside)
{
	const struct event event = event_of(outside);

	machine.interrupt_ps = 0;
	interrupt_measure(&machine, &event);
}

static void it_takes_some_microseconds(void **state)
{
	(void)state;
	for (int outside = 0; outside < 2; outside++) {
		measure(outside);
		assert_in_range(machine.interrupt_ps, LEAST_PS, MOST_PS);
	}
}

static void on_trap(int number)
{
	(void)number;
}

static void assert_trap_is(const struct sigaction *expected)
{
	struct sigaction now;

	assert_int_equal(sigaction(SIGTRAP, NULL, &now), 0);
	assert_ptr_equal(now.sa_handler, expected->sa_handler);
	assert_int_equal(now.sa_flags & SA_NODEFER, expected->sa_flags & SA_NODEFER);
	assert_int_equal(sigismember(&now.sa_mask, SIGUSR1),
			 sigismember(&expected->sa_mask, SIGUSR1));
}

/* What the program does about SIGTRAP stays so. */
static void the_action_is_left(void **state)
{
	struct sigaction action = {.sa_handler = on_trap, .sa_flags = SA_NODEFER}, before;

	(void)state;
	sigaddset(&action.sa_mask, SIGUSR1);
	assert_int_equal(sigaction(SIGTRAP, &action, &before), 0);
	for (int outside = 0; outside < 2; outside++) {
		measure(outside);
		assert_trap_is(&action);
	}
	action = (struct sigaction){.sa_handler = SIG_IGN};
	assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
	measure(false);
	assert_trap_is(&action);
	assert_int_equal(sigaction(SIGTRAP, &before, NULL), 0);
}

static unsigned count_descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) != -1;
	return n;
}

/* It comes all the same, and none is left, which would end the program once it is not blocked. */
static void a_blocked_signal(void **state)
{
	sigset_t trap, mask, pending;
	unsigned descriptors = count_descriptors();

	(void)state;
	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	for (int outside = 0; outside < 2; outside++) {
		sigprocmask(SIG_BLOCK, &trap, NULL);
		measure(outside);
		assert_in_range(machine.interrupt_ps, LEAST_PS, MOST_PS);
		sigprocmask(SIG_UNBLOCK, &trap, &mask);
		assert_int_equal(sigismember(&mask, SIGTRAP), 1);
		assert_int_equal(sigpending(&pending), 0);
		assert_int_equal(sigismember(&pending, SIGTRAP), 0);
	}
	assert_int_equal(count_descriptors(), descriptors);
}

/* The program's own, which it has not come to yet: it stays. */
static void a_pending_signal(void **state)
{
	sigset_t trap, pending;
	int number;

	(void)state;
	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	sigprocmask(SIG_BLOCK, &trap, NULL);
	assert_int_equal(raise(SIGTRAP), 0);
	measure(false);
	assert_int_equal(machine.interrupt_ps, 0);
	assert_int_equal(sigpending(&pending), 0);
	assert_int_equal(sigismember(&pending, SIGTRAP), 1);
	assert_int_equal(sigwait(&trap, &number), 0);
	sigprocmask(SIG_UNBLOCK, &trap, NULL);
}

static void there_is_no_event(void **state)
{
	const struct event events[] = {event_of(false), event_of(true)};
	struct rlimit before, none;
	struct sigaction action;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	for (unsigned i = 0; i < 2; i++) {
		machine.interrupt_ps = 0;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
		interrupt_measure(&machine, &events[i]);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
		assert_int_equal(machine.interrupt_ps, 0);
		assert_int_equal(sigaction(SIGTRAP, NULL, &action), 0);
		assert_ptr_equal(action.sa_handler, SIG_DFL);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(it_takes_some_microseconds, begin),
		cmocka_unit_test_setup(the_action_is_left, begin),
		cmocka_unit_test_setup(a_blocked_signal, begin),
		cmocka_unit_test_setup(a_pending_signal, begin),
		cmocka_unit_test_setup(there_is_no_event, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
