/* SPDX-License-Identifier: MIT */
/*
 * A thread whose path comes to nothing new, and that a second sample interrupts: when that comes,
 * the trace has a weight; whatever comes instead, nothing is left of it.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "collector/inside/handler/follow.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/inside/life/process_life.h"
#include "tests/unit/fake_kernel.h"

#define PERIOD_NS    10000000u
#define INTERRUPT_PS 4000000u
/* inc %rcx; add $8, %rsi; jmp to it */
static const uint8_t loop[] = {0x48, 0xff, 0xc1, 0x48, 0x83, 0xc6, 8, 0xeb, 0xf7};
#define LOOP_INSTRUCTIONS 3u
/* It begins in a block, and comes to the whole of it behind its first branch. */
#define PATH	  (CORE_REPEATS + WAYPOINT_BRANCHES)
#define ELSEWHERE 64u /* of the page, there is another one, of %rdx */
static const uint8_t other[] = {0x48, 0xff, 0xc2, 0xeb, 0xfb};

static char directory[64];
static struct session_control *control;
static uint8_t *code;
static struct thread *thread;
static ucontext_t context;

static void make_control(void)
{
	struct session_control c = {.magic = SESSION_MAGIC, .state = SESSION_RUN};
	struct session_options *o = &c.options;
	char path[128];
	int fd;

	o->event = (struct event){.name = "task-clock:u",
				  .type = PERF_TYPE_SOFTWARE,
				  .config = PERF_COUNT_SW_TASK_CLOCK,
				  .time = true};
	o->depth = CORRECTION_DEPTH;
	o->depth_most = CORRECTION_DEPTH_MOST;
	o->period = PERIOD_NS;
	o->correction = CORRECTION_PROBE;
	o->lookahead = CORE_FULL;
	/* a tick is a nanosecond */
	o->machine = (struct rate_machine){
		.tick_1024_ps = 1024 * 1000, .slow_ticks = UINT64_MAX, .farther_ticks = UINT64_MAX};
	o->chunk_count = 64;
	session_fit_buffers(o);
	snprintf(path, sizeof(path), "%s/control", directory);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	assert_true(fd >= 0 && !ftruncate(fd, SESSION_PAGE));
	assert_int_equal(pwrite(fd, &c, sizeof(c), 0), (ssize_t)sizeof(c));
	control = mmap(NULL, SESSION_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(control != MAP_FAILED);
	close(fd);
}

/* So many interrupts told what they cost. */
static void know_costs(uint32_t interrupts)
{
	struct stopwatch_costs *e = &handler_state.process.file.header->costs.stops;

	e->interrupts = interrupts;
	for (unsigned i = 0; i < STOPWATCH_STOP_COSTS; i++)
		e->interrupt_ps[i] = INTERRUPT_PS;
}

static int begin(void **state)
{
	fake_kernel_reset(state);
	strcpy(directory, "/tmp/softlbr-unit-XXXXXX");
	assert_non_null(mkdtemp(directory));
	make_control();
	code = mmap(NULL, SESSION_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(code != MAP_FAILED);
	memcpy(code, loop, sizeof(loop));
	memcpy(code + ELSEWHERE, other, sizeof(other));
	assert_int_equal(process_join(directory), 0);
	thread = thread_current();
	assert_non_null(thread);
	know_costs(STOPWATCH_STOP_COSTS);
	assert_int_equal(getcontext(&context), 0);
	memset(&context.uc_sigmask, 0, sizeof(context.uc_sigmask));
	context.uc_mcontext.gregs[REG_CSGSFS] = 0x33; /* which getcontext leaves out */
	return 0;
}

static int end(void **state)
{
	char command[96];

	(void)state;
	process_end();
	munmap(code, SESSION_PAGE);
	munmap(control, SESSION_PAGE);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return system(command);
}

static uint64_t count(unsigned counter)
{
	return handler_state.process.file.header->counters[counter];
}

/* The period that the kernel was told last. */
static uint64_t kernels_period(void)
{
	return fake_kernel.periods[thread->sampler.fd];
}

/* ---- stops --------------------------------------------------------------------------------- */

/* The thread has run the loop so often, and is behind its first instruction. */
static void stand(uint64_t rounds)
{
	greg_t *r = context.uc_mcontext.gregs;

	r[REG_RIP] = (greg_t)(uintptr_t)code + 3;
	r[REG_RCX] = (greg_t)rounds + 1;
	r[REG_RSI] = (greg_t)(8 * rounds);
}

static void sample_at(const ucontext_t *at, bool late, uint64_t ticks)
{
	assert_true(follow_begin(thread));
	follow_sample(thread, at, late, ticks);
	thread->stopwatch.ticks = 0; /* it is let go */
	follow_end(thread);
}

static void assert_is_idle(void)
{
	assert_int_equal(thread->drive.state, TRACE_IDLE);
	assert_null(thread->work);
	assert_null(thread->drive.core);
}

/* The next sample comes as if none had been between. */
static void assert_period_is_drawn(void)
{
	assert_int_equal(kernels_period(), thread->sampler.period);
	assert_in_range(thread->sampler.period, PERIOD_NS / 2, PERIOD_NS + PERIOD_NS / 2);
}

/* A sample, whose trace waits to be timed. */
static void begin_timing(void)
{
	stand(0);
	sample_at(&context, false, 0);
	assert_int_equal(thread->drive.state, TRACE_TIMING);
	assert_true(thread->stopwatch.interrupted);
	assert_false(thread->drive.armed);
	assert_int_equal(kernels_period(), STOPWATCH_INTERRUPT_NS);
	assert_int_equal(count(COUNTER_PROBES), 1);
	assert_int_equal(count(COUNTER_TRACES), 0);
}

/* The sample that interrupts comes @ns later, as it has run all the while. */
static void interrupt(uint64_t ns)
{
	thread->stopwatch.cpu_ns -= ns;
	sample_at(&context, false, ns);
}

/* Of the record that was published last: the branches that it stands for. */
static uint64_t weight_of_record(void)
{
	const struct chunk_header *chunk = thread->buffer.chunk;
	uint64_t weight;

	assert_non_null(chunk);
	memcpy(&weight, chunk->records + thread->buffer.used - sizeof(weight), sizeof(weight));
	return weight;
}

/* The trace was recorded: its path took so long. */
static void assert_recorded(uint64_t path_ps)
{
	uint64_t weight = (uint64_t)PATH * PERIOD_NS * 1000 / path_ps;

	assert_int_equal(count(COUNTER_TRACES), 1);
	assert_int_equal(count(COUNTER_BRANCHES), PATH);
	assert_in_range(weight_of_record(), weight - weight / 100, weight + weight / 100);
}

#define USUAL_PS \
	(PATH * (uint64_t)(LOOP_INSTRUCTIONS * RATE_FIT_INSTRUCTION_PS + RATE_FIT_BRANCH_PS))

/* ---- what comes ---------------------------------------------------------------------------- */

/* Ten ns a round, behind the path. */
static void the_interrupt(void **state)
{
	(void)state;
	begin_timing();
	stand(5000);
	interrupt(54000);
	assert_is_idle();
	assert_period_is_drawn();
	assert_int_equal(count(COUNTER_PROBES_TIMED), 1);
	assert_int_equal(count(COUNTER_PROBES_DIVERGED), 0);
	assert_int_equal(count(COUNTER_SAMPLES), 1);
	assert_recorded(PATH * UINT64_C(10000));
	/* and on it: 60 ns */
	stand(0);
	sample_at(&context, false, 0);
	assert_int_equal(kernels_period(), STOPWATCH_INTERRUPT_NS);
	stand(900);
	interrupt(58000);
	assert_is_idle();
	assert_period_is_drawn();
	assert_int_equal(count(COUNTER_PROBES_TIMED), 2);
	assert_int_equal(count(COUNTER_SAMPLES), 2);
	assert_in_range(weight_of_record(), PERIOD_NS / 60 * 99 / 100, PERIOD_NS / 60 * 101 / 100);
}

/* What interrupts cost is not known yet: of 6 us, 10 ns a round. */
static void begin_second(void)
{
	know_costs(0);
	begin_timing();
	stand(5000);
	interrupt(56000);
	assert_int_equal(thread->drive.state, TRACE_TIMING);
	assert_int_equal(kernels_period(), STOPWATCH_INTERRUPT_MORE * STOPWATCH_INTERRUPT_NS);
	assert_int_equal(count(COUNTER_TRACES), 0);
}

/* Once more, behind the first one: it tells what both cost. */
static void a_second_interrupt(void **state)
{
	const struct stopwatch_costs *e;

	(void)state;
	begin_second();
	stand(17000);
	interrupt(126000);
	assert_is_idle();
	assert_period_is_drawn();
	assert_int_equal(count(COUNTER_PROBES), 1);
	assert_int_equal(count(COUNTER_PROBES_TIMED), 1);
	assert_int_equal(count(COUNTER_SAMPLES), 1);
	e = &handler_state.process.file.header->costs.stops;
	assert_int_equal(e->interrupts, 1);
	assert_in_range(e->interrupt_ps[0], 5990000, 6010000);
	assert_recorded(PATH * UINT64_C(10000));
}

/* The first one timed the path. */
static void a_second_interrupt_that_is_late(void **state)
{
	(void)state;
	begin_second();
	know_costs(4); /* by other threads, meanwhile: 4 us */
	sample_at(NULL, true, 0);
	assert_is_idle();
	assert_period_is_drawn();
	assert_int_equal(count(COUNTER_PROBES_TIMED), 1);
	assert_recorded(PATH * UINT64_C(10400));
}

/* The thread is where its path never was, or was away from the processor. */
static void an_interrupt_that_tells_nothing(void **state)
{
	(void)state;
	for (unsigned away = 0; away < 2; away++) {
		if (away) {
			end(state);
			begin(state);
		}
		begin_timing();
		stand(5000);
		if (away) {
			sample_at(&context, false, 54000000);
		} else {
			context.uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)code + ELSEWHERE;
			interrupt(54000);
		}
		assert_is_idle();
		assert_period_is_drawn();
		assert_int_equal(count(COUNTER_PROBES_TIMED), 0);
		assert_int_equal(count(COUNTER_PROBES_DIVERGED), 1);
		assert_recorded(USUAL_PS);
	}
}

/* It came in code of ours, whose registers tell nothing. */
static void a_late_interrupt(void **state)
{
	(void)state;
	begin_timing();
	sample_at(NULL, true, 0);
	assert_is_idle();
	assert_period_is_drawn();
	assert_int_equal(count(COUNTER_PROBES_DIVERGED), 1);
	assert_int_equal(count(COUNTER_SAMPLES), 1);
	assert_int_equal(count(COUNTER_LATE), 0);
	assert_recorded(USUAL_PS);
}

/* A thread that has little of our stack left has no samples until its handlers are through. */
static void a_thread_that_is_held(void **state)
{
	int fd = thread->sampler.fd;

	(void)state;
	assert_true(follow_begin(thread));
	follow_hold(thread);
	assert_int_equal(thread->sampling, THREAD_HELD);
	assert_false(fake_kernel.enabled[fd]);
	follow_hold(thread); /* once more, by a second handler */
	follow_end(thread);
	assert_int_equal(thread->sampling, THREAD_SAMPLED);
	assert_true(fake_kernel.enabled[fd]);
	begin_timing();
}

static void the_sessions_end(void **state)
{
	(void)state;
	begin_timing();
	control->state = SESSION_STOP;
	stand(5000);
	interrupt(54000);
	assert_is_idle();
	assert_int_equal(count(COUNTER_PROBES_TIMED), 0);
	assert_int_equal(count(COUNTER_PROBES_DIVERGED), 1);
	assert_recorded(USUAL_PS);
	/* no event is left that would come again */
	for (unsigned fd = 0; fd < FAKE_KERNEL_FDS; fd++)
		assert_false(fake_kernel.open[fd]);
}

/* The recording waits: what was begun is ended as well. */
static void a_pause(void **state)
{
	(void)state;
	begin_timing();
	control->state = SESSION_WAIT;
	stand(5000);
	interrupt(54000);
	assert_is_idle();
	assert_period_is_drawn();
	assert_int_equal(count(COUNTER_PROBES_TIMED), 1);
	assert_recorded(PATH * UINT64_C(10000));
}

/* It never comes where the thread blocks the signal: afterwards samples are as far apart as before.
 */
static void nothing(void **state)
{
	(void)state;
	begin_timing();
	follow_suspend(thread);
	assert_is_idle();
	assert_int_equal(count(COUNTER_TRACES), 0);
	follow_resume(thread);
	assert_period_is_drawn();
	/* the next sample begins a trace of its own */
	stand(0);
	sample_at(&context, false, 0);
	assert_int_equal(thread->drive.state, TRACE_TIMING);
	assert_int_equal(count(COUNTER_SAMPLES), 2);
	assert_int_equal(count(COUNTER_PROBES), 2);
}

/* One that a trace before left, perhaps: the interrupt is awaited all the same. */
static void a_breakpoint(void **state)
{
	(void)state;
	begin_timing();
	stand(100);
	assert_true(follow_begin(thread));
	follow_breakpoint(thread, &context, false, 0);
	follow_end(thread);
	assert_int_equal(thread->drive.state, TRACE_TIMING);
	stand(5000);
	interrupt(54000);
	assert_is_idle();
	assert_period_is_drawn();
	assert_recorded(PATH * UINT64_C(10000));
}

/* ---- what is not timed so ------------------------------------------------------------------ */

static void nobody_wants_times(void **state)
{
	(void)state;
	handler_state.process.options.correction = CORRECTION_MODEL;
	stand(0);
	sample_at(&context, false, 0);
	assert_is_idle();
	assert_period_is_drawn();
	assert_int_equal(count(COUNTER_PROBES), 0);
	assert_int_equal(count(COUNTER_BRANCHES), CORRECTION_DEPTH);
}

/* The kernel looks at timers from tick to tick. */
static void a_timers_thread(void **state)
{
	(void)state;
	thread->sampler.by_timer = true;
	fake_kernel_answer(SYS_timer_settime, 0);
	fake_kernel_answer(SYS_timer_delete, 0);
	stand(0);
	sample_at(&context, false, 0);
	assert_is_idle();
	assert_int_equal(count(COUNTER_PROBES), 0);
	assert_int_equal(count(COUNTER_TRACES), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_interrupt, begin, end),
		cmocka_unit_test_setup_teardown(an_interrupt_that_tells_nothing, begin, end),
		cmocka_unit_test_setup_teardown(a_late_interrupt, begin, end),
		cmocka_unit_test_setup_teardown(a_thread_that_is_held, begin, end),
		cmocka_unit_test_setup_teardown(the_sessions_end, begin, end),
		cmocka_unit_test_setup_teardown(a_pause, begin, end),
		cmocka_unit_test_setup_teardown(nothing, begin, end),
		cmocka_unit_test_setup_teardown(a_breakpoint, begin, end),
		cmocka_unit_test_setup_teardown(a_second_interrupt, begin, end),
		cmocka_unit_test_setup_teardown(a_second_interrupt_that_is_late, begin, end),
		cmocka_unit_test_setup_teardown(nobody_wants_times, begin, end),
		cmocka_unit_test_setup_teardown(a_timers_thread, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
