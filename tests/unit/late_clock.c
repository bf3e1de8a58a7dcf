/* SPDX-License-Identifier: MIT */
/* Threads that begin without a clock: who gets one, when, and what becomes of samples that were due
 * before. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>

#include "collector/inside/handler/handler_state.h"
#include "collector/inside/life/process_life.h"
#include "tests/unit/fake_kernel.h"

#define AT_ONCE 16u
#define PERIOD	10000000u
/* Longer than any first interval, and shorter than any. */
#define LONG_NS	 (2u * PERIOD)
#define SHORT_NS 1u

static struct process_header header;
static struct session_control control;

/* What libc's clone(2) was to run; it runs when a test says so. */
static int (*started)(void *);
static uint32_t *started_tid;
static unsigned starts;
static bool refuses;

int __clone(int (*run)(void *), void *stack, int flags, void *argument, ...);
int __clone(int (*run)(void *), void *stack, int flags, void *argument, ...)
{
	(void)stack;
	(void)flags;
	(void)argument;
	if (refuses) {
		errno = EAGAIN;
		return -1;
	}
	started = run;
	started_tid = &handler_state.process.late.tid;
	*started_tid = 7777;
	starts++;
	return 7777;
}

/* Our thread runs from its beginning to its end. */
static void run_ours(void)
{
	assert_non_null(started);
	started(&handler_state.process);
	*started_tid = 0;
	started = NULL;
}

static int begin(void **state)
{
	struct process *p = &handler_state.process;

	fake_kernel_reset(state);
	header = (struct process_header){0};
	control = (struct session_control){.state = SESSION_RUN};
	p->pid = fake_kernel.pid;
	p->file.header = &header;
	p->control = &control;
	p->options.event.time = true;
	p->options.period = PERIOD;
	thread_init(&p->slots);
	workspace_init(&p->workspaces);
	p->made = true;
	p->late.begun = AT_ONCE;
	started = NULL;
	starts = 0;
	refuses = false;
	return 0;
}

static void *routine(void *argument)
{
	return argument;
}

static void *other_routine(void *argument)
{
	return argument;
}

static struct thread *begin_thread(uint32_t tid, void *(*start)(void *))
{
	struct thread *t = thread_take(&handler_state.process);

	assert_non_null(t);
	t->start = start;
	fake_thread.tid = tid;
	process_begin_thread(t);
	return t;
}

/* So much time passed, of which it had all. */
static void live(struct thread *t, uint64_t ns)
{
	fake_kernel.thread_ns = t->began_at + ns;
}

static bool has_clock(const struct thread *t)
{
	return t->state == THREAD_LIVE && t->sampler.fd >= 0;
}

static void the_first_get_one_at_once(void **state)
{
	struct thread *t;

	(void)state;
	handler_state.process.late.begun = 0;
	for (uint32_t i = 0; i < AT_ONCE; i++)
		assert_true(has_clock(begin_thread(1000 + i, routine)));
	t = begin_thread(2000, routine);
	assert_int_equal(t->state, THREAD_WAITING);
	assert_int_equal(fake_kernel.calls[SYS_perf_event_open], AT_ONCE);
	assert_int_equal(starts, 1);
	begin_thread(2001, routine);
	assert_int_equal(starts, 1);
}

/* At the second look, as of the first interval so much has passed. */
static void who_lives_on_gets_one(void **state)
{
	struct thread *t = begin_thread(2000, routine);
	uint64_t due = t->sampler.period;

	(void)state;
	live(t, due / 2);
	run_ours();
	assert_true(has_clock(t));
	assert_int_equal(t->sampler.period, due);
	assert_int_equal(t->sampler.skipped, due / 2);
	assert_int_equal(header.counters[COUNTER_THREADS], 1);
	assert_int_equal(handler_state.process.late.count, 0);
	assert_int_equal(handler_state.process.late.awake, 0);
	begin_thread(2001, routine);
	assert_int_equal(starts, 2);
}

static void who_ends_before_needs_none(void **state)
{
	struct thread *t = begin_thread(2000, routine);

	(void)state;
	live(t, SHORT_NS);
	thread_end_current(&handler_state.process);
	assert_int_equal(t->state, THREAD_FREE);
	assert_int_equal(fake_kernel.calls[SYS_perf_event_open], 0);
	assert_int_equal(header.counters[COUNTER_THREADS], 1);
	assert_int_equal(header.counters[COUNTER_THREADS_BRIEF], 1);
	assert_int_equal(handler_state.process.late.count, 0);
	run_ours();
}

/* The next one of its kind has it, and then its own. */
static void a_missed_sample_is_taken_over(void **state)
{
	struct process *p = &handler_state.process;
	struct thread *t = begin_thread(2000, routine);
	uint64_t due = t->sampler.period;

	(void)state;
	live(t, due);
	thread_end_current(p);
	assert_int_equal(p->late.count, 1);
	assert_int_equal(p->late.missed[0].moment, due);
	t = begin_thread(2001, other_routine);
	assert_int_equal(t->state, THREAD_WAITING);
	live(t, 0);
	thread_end_current(p);
	p->late.missed[0].moment = SHORT_NS;
	t = begin_thread(2002, routine);
	assert_true(has_clock(t));
	assert_int_equal(t->sampler.period, SHORT_NS);
	assert_true(t->sampler.then > 0);
	assert_int_equal(p->late.count, 0);
	due = t->sampler.then;
	sampler_fired(&t->sampler);
	assert_int_equal(t->sampler.period, due);
	thread_end_current(p);
	assert_int_equal(p->late.count, 0);
}

/* One that is too short for it leaves it to the next; not for ever. */
static void a_missed_sample_is_passed_on(void **state)
{
	struct process *p = &handler_state.process;
	unsigned carriers = 0;

	(void)state;
	p->late.missed[0] = (struct missed_sample){SHORT_NS, (uintptr_t)routine, 0};
	p->late.count = 1;
	while (p->late.count && carriers < 100) {
		assert_true(has_clock(begin_thread(2000 + carriers++, routine)));
		thread_end_current(p);
	}
	assert_int_equal(carriers, 8);
}

/* Looks that come late miss more than one. */
static void a_late_look_misses_samples(void **state)
{
	struct thread *t = begin_thread(2000, routine);

	(void)state;
	live(t, 3 * LONG_NS);
	run_ours();
	assert_true(has_clock(t));
	assert_in_range(handler_state.process.late.count, 3, 12);
	assert_true(t->sampler.period > 3 * LONG_NS);
}

/* Of many at once some wait. */
static void not_all_wait(void **state)
{
	unsigned clocks = 0;

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		clocks += has_clock(begin_thread(2000 + i, routine));
	assert_int_equal(clocks, 100 - 16);
	fake_thread.tid = 2000;
	live(thread_current(), 0);
	thread_end_current(&handler_state.process);
	assert_false(has_clock(begin_thread(3000, routine)));
	assert_true(has_clock(begin_thread(3001, routine)));
}

static void who_is_gone_gives_its_slot_back(void **state)
{
	struct thread *t = begin_thread(2000, routine);

	(void)state;
	live(t, LONG_NS);
	fake_kernel.thread_ns = 0;
	run_ours();
	assert_int_equal(t->state, THREAD_FREE);
	assert_int_equal(fake_kernel.calls[SYS_perf_event_open], 0);
}

static void our_thread_is_refused(void **state)
{
	(void)state;
	refuses = true;
	assert_true(has_clock(begin_thread(2000, routine)));
	refuses = false;
	assert_false(has_clock(begin_thread(2001, routine)));
}

/* Nobody waits for a thread that is not there yet, or has nothing left to do but to end. */
static void our_thread_comes_or_goes(void **state)
{
	struct late_clocks *l = &handler_state.process.late;

	(void)state;
	l->awake = LATE_CLOCKS_STARTED;
	assert_true(has_clock(begin_thread(2000, routine)));
	l->awake = LATE_CLOCKS_NONE;
	l->tid = 7777;
	assert_true(has_clock(begin_thread(2001, routine)));
	assert_int_equal(starts, 0);
}

/* Switched off, or left: who waits gets none. */
static void they_are_switched_off(void **state)
{
	struct process *p = &handler_state.process;
	struct thread *t = begin_thread(2000, routine);

	(void)state;
	live(t, t->sampler.period / 2);
	p->paused = 1;
	run_ours();
	assert_int_equal(t->state, THREAD_FREE);
	p->paused = 0;
	t = begin_thread(2001, routine);
	live(t, t->sampler.period / 2);
	process_end();
	assert_int_equal(t->state, THREAD_FREE);
	run_ours();
	assert_int_equal(fake_kernel.calls[SYS_perf_event_open], 0);
}

/* Nobody knows when the next sample of a counter is due. */
static void counters_are_not_put_off(void **state)
{
	(void)state;
	handler_state.process.options.event.time = false;
	assert_true(has_clock(begin_thread(2000, routine)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_first_get_one_at_once, begin),
		cmocka_unit_test_setup(who_lives_on_gets_one, begin),
		cmocka_unit_test_setup(who_ends_before_needs_none, begin),
		cmocka_unit_test_setup(a_missed_sample_is_taken_over, begin),
		cmocka_unit_test_setup(a_missed_sample_is_passed_on, begin),
		cmocka_unit_test_setup(a_late_look_misses_samples, begin),
		cmocka_unit_test_setup(not_all_wait, begin),
		cmocka_unit_test_setup(who_is_gone_gives_its_slot_back, begin),
		cmocka_unit_test_setup(our_thread_is_refused, begin),
		cmocka_unit_test_setup(our_thread_comes_or_goes, begin),
		cmocka_unit_test_setup(they_are_switched_off, begin),
		cmocka_unit_test_setup(counters_are_not_put_off, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
