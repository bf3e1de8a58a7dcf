/* SPDX-License-Identifier: MIT */
/* How a session records, by what is asked for and what the machine can do. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "collector/engine/core.h"
#include "collector/engine/cache_lines.h"
#include "collector/engine/memory_reader.h"
#include "collector/engine/sampler.h"
#include "collector/engine/site_values.h"
#include "collector/engine/trace.h"
#include "collector/plan/plan.h"

#define DEFAULT_PERIOD_NS 10000019u
#define FOUND_DEPTH	  77u

/* The machine that the fake one below is. */
static struct {
	bool kills, asynchronous, has_pmu, has_timers, lacks_memory;
	int event_errno, breakpoint_errno;
	unsigned measured, depths; /* how often these were asked */
	uint32_t filters;
} machine;

static uint32_t fake_filters(void)
{
	return machine.kills ? 1 : machine.filters;
}

static bool fake_kills(void)
{
	return machine.kills;
}

static int fake_find_event(const char *name, struct event *out, struct softlbr_error *e)
{
	if (strcmp(name, "auto") != 0)
		return event_parse(name, out, e);
	return event_parse(machine.has_pmu ? "branches" : "task-clock", out, e);
}

static int fake_try_event(struct event *event)
{
	event->asynchronous = machine.asynchronous;
	if (event->type != PERF_TYPE_SOFTWARE && !machine.has_pmu)
		return ENOENT;
	return machine.event_errno;
}

static int fake_try_breakpoint(bool asynchronous)
{
	assert_int_equal(asynchronous, machine.asynchronous);
	return machine.breakpoint_errno;
}

static bool fake_has_timers(void)
{
	return machine.has_timers;
}

static int fake_measure(struct rate_machine *out)
{
	machine.measured++;
	out->line_ps = 80000;
	return machine.lacks_memory ? -1 : 0;
}

static int fake_find_depth(const struct event *event, uint32_t *depth, struct softlbr_error *e)
{
	(void)event;
	(void)e;
	machine.depths++;
	*depth = FOUND_DEPTH;
	return 0;
}

static const struct plan_machine fake = {
	.filters = fake_filters,
	.kills = fake_kills,
	.find_event = fake_find_event,
	.try_event = fake_try_event,
	.try_breakpoint = fake_try_breakpoint,
	.has_timers = fake_has_timers,
	.measure = fake_measure,
	.find_depth = fake_find_depth,
};

/* What `softlbr record COMMAND` asks for. */
static struct plan_request request(void)
{
	return (struct plan_request){.event = "auto",
				     .session = {.correction = CORRECTION_AUTO,
						 .lookahead = CORE_FULL,
						 .audit = PLAN_AUDIT,
						 .chunk_count = 128}};
}

/* As most virtual machines are: no PMU, and events that stop the thread itself. */
static int begin(void **state)
{
	(void)state;
	memset(&machine, 0, sizeof(machine));
	machine.has_timers = true;
	return 0;
}

static struct plan made(const struct plan_request *r)
{
	struct softlbr_error e = {0};
	struct plan plan;

	assert_int_equal(plan_check(r, &e), 0);
	if (plan_make(&plan, r, &fake, &e))
		fail_msg("%s", e.text);
	return plan;
}

static void assert_refused(const struct plan_request *r, int code, const char *text)
{
	struct softlbr_error e = {0};
	struct plan plan;
	int rc = plan_check(r, &e);

	if (!rc)
		rc = plan_make(&plan, r, &fake, &e);
	assert_int_equal(rc, -code);
	assert_int_equal(e.code, code);
	if (!strstr(e.text, text))
		fail_msg("\"%s\" is not in \"%s\"", text, e.text);
}

static void assert_traces(const struct plan *p, uint32_t correction, uint32_t depth, uint32_t most)
{
	assert_int_equal(p->session.correction, correction);
	assert_int_equal(p->session.depth, depth);
	assert_int_equal(p->session.depth_most, most);
}

/* ---- by default ---------------------------------------------------------------------------- */

static void test_long_weighted_traces(void **state)
{
	const struct plan_request r = request();
	struct plan p = made(&r);

	(void)state;
	assert_string_equal(p.session.event.name, "task-clock:u");
	assert_traces(&p, CORRECTION_TIMED, CORRECTION_DEPTH, CORRECTION_DEPTH_MOST);
	assert_int_equal(p.session.period, DEFAULT_PERIOD_NS);
	assert_int_equal(p.session.budget, BUDGET_DEFAULT);
	assert_int_equal(p.session.stack, SESSION_STACK);
	assert_int_equal(p.session.audit, PLAN_AUDIT);
	assert_int_equal(p.session.chunk_count, 128);
	assert_int_equal(p.session.machine.line_ps, 80000);
	assert_int_equal(p.session.timers, CORRECTION_TIMED == CORRECTION_PROBE);
	assert_false(p.outside);
	assert_true(p.thins);
	assert_int_equal(p.refused.code, 0);
}

/* Half of the longest trace fits a buffer, with the chunk's header. */
static void test_buffers_fit_the_traces(void **state)
{
	struct plan_request r = request();

	(void)state;
	assert_int_equal(made(&r).session.chunk_bytes, 32768);
	r.session.depth = 16;
	assert_int_equal(made(&r).session.chunk_bytes, 16384);
	assert_int_equal(made(&r).session.stack, 16);
	r.session.depth = 256; /* of a longer path, which is not recorded */
	assert_int_equal(made(&r).session.chunk_bytes, 16384);
	assert_int_equal(made(&r).session.stack, SESSION_STACK);
	r.session.depth = 16;
	r.session.chunk_bytes = 4096;
	assert_int_equal(made(&r).session.chunk_bytes, 4096);
	r.session.depth = 4096;
	assert_true(made(&r).session.chunk_bytes > 32768);
}

/* Branches start traces without bias. */
static void test_pmu_needs_no_weights(void **state)
{
	struct plan_request r = request();
	struct plan p;

	(void)state;
	machine.has_pmu = true;
	p = made(&r);
	assert_string_equal(p.session.event.name, "branches:u");
	assert_traces(&p, CORRECTION_OFF, SESSION_DEPTH_EVENT, 0);
	assert_int_equal(p.session.period, p.session.event.default_period);
	assert_int_equal(machine.measured, 0);
	assert_false(p.thins || p.session.timers);
	r.event = "task-clock";
	p = made(&r);
	assert_traces(&p, CORRECTION_TIMED, CORRECTION_DEPTH, CORRECTION_DEPTH_MOST);
}

/* Before Linux 5.13 two stops cost too much to time a path by them. */
static void test_asynchronous_events(void **state)
{
	const struct plan_request r = request();
	struct plan p;

	(void)state;
	machine.asynchronous = true;
	p = made(&r);
	assert_traces(&p, CORRECTION_MODEL, CORRECTION_DEPTH, CORRECTION_DEPTH_MOST);
	assert_true(p.session.event.asynchronous);
	assert_false(p.session.timers);
}

/* ---- what is asked for is had -------------------------------------------------------------- */

/* A timer's bias is there at any period. */
static void test_period_alone(void **state)
{
	struct plan_request r = request();
	struct plan p;

	(void)state;
	r.period = "100ms";
	p = made(&r);
	assert_traces(&p, CORRECTION_TIMED, CORRECTION_DEPTH, CORRECTION_DEPTH_MOST);
	assert_int_equal(p.session.period, 100000000);
	r.period = NULL;
	r.frequency = "50";
	p = made(&r);
	assert_traces(&p, CORRECTION_TIMED, CORRECTION_DEPTH, CORRECTION_DEPTH_MOST);
	assert_int_equal(p.session.period, 20000000);
	r.frequency = NULL;
	r.session.period = 500000; /* collector.h */
	p = made(&r);
	assert_traces(&p, CORRECTION_TIMED, CORRECTION_DEPTH, CORRECTION_DEPTH_MOST);
	assert_int_equal(p.session.period, 500000);
	assert_false(p.thins);
	assert_int_equal(machine.measured, 3);
}

static void assert_recorded(const struct plan *p, uint32_t recorded, uint32_t stack)
{
	assert_int_equal(p->session.recorded, recorded);
	assert_int_equal(p->session.stack, stack);
}

/* Short traces are the first part of paths that are long enough to tell a rate. */
static void test_short_traces_have_weights(void **state)
{
	struct plan_request r = request();
	struct plan p;

	(void)state;
	r.session.depth = CORRECTION_DEPTH_LEAST - 1;
	p = made(&r);
	assert_traces(&p, CORRECTION_TIMED, CORRECTION_DEPTH, CORRECTION_DEPTH_MOST);
	assert_recorded(&p, CORRECTION_DEPTH_LEAST - 1, SESSION_STACK);
	r.session.depth = 16;
	p = made(&r);
	assert_traces(&p, CORRECTION_TIMED, CORRECTION_DEPTH, CORRECTION_DEPTH_MOST);
	assert_recorded(&p, 16, 16);
	r.session.depth = CORRECTION_DEPTH_LEAST;
	p = made(&r);
	assert_traces(&p, CORRECTION_TIMED, CORRECTION_DEPTH_LEAST, 0);
	assert_recorded(&p, 0, SESSION_STACK);
	assert_true(p.thins);
	r.period = "7ms"; /* with a depth that is long enough */
	p = made(&r);
	assert_traces(&p, CORRECTION_TIMED, CORRECTION_DEPTH_LEAST, 0);
	assert_false(p.session.timers); /* the period is too short for them */
	assert_false(p.thins);
	r.session.depth = 16;
	r.session.correction = CORRECTION_OFF;
	p = made(&r);
	assert_traces(&p, CORRECTION_OFF, 16, 0);
	assert_recorded(&p, 0, 16);
}

/* A thread's timer has no shorter period than the kernel looks at it. */
static void test_shortest_period_of_timers(void **state)
{
	struct plan_request r = request();

	(void)state;
	r.session.period = SAMPLER_TIMER_PERIOD_NS;
	assert_int_equal(made(&r).session.timers, CORRECTION_TIMED == CORRECTION_PROBE);
	r.session.period--;
	assert_false(made(&r).session.timers);
}

static void test_correction_by_name(void **state)
{
	struct plan_request r = request();
	struct plan p;

	(void)state;
	r.session.correction = CORRECTION_OFF;
	p = made(&r);
	assert_traces(&p, CORRECTION_OFF, SESSION_DEPTH_EVENT, 0);
	r.session.correction = CORRECTION_MODEL;
	p = made(&r);
	assert_traces(&p, CORRECTION_MODEL, CORRECTION_DEPTH, CORRECTION_DEPTH_MOST);
	assert_false(p.session.timers);
	r.session.correction = CORRECTION_PROBE;
	r.session.depth = 16;
	p = made(&r);
	assert_traces(&p, CORRECTION_PROBE, CORRECTION_DEPTH, CORRECTION_DEPTH_MOST);
	assert_int_equal(p.session.recorded, 16);
	assert_true(p.session.timers);
	machine.has_timers = false;
	assert_false(made(&r).session.timers);
	r.event = "instructions";
	machine.has_pmu = true;
	assert_refused(&r, SOFTLBR_E_USAGE, "--timer-correction probe is for");
}

/* A trace that stops at every other branch is dear: eight times the period. */
static void test_without_evaluation(void **state)
{
	struct plan_request r = request();
	struct plan p;

	(void)state;
	r.session.lookahead = CORE_STATIC;
	p = made(&r);
	assert_traces(&p, CORRECTION_OFF, SESSION_DEPTH_EVENT, 0);
	assert_int_equal(p.session.period, 8 * (uint64_t)DEFAULT_PERIOD_NS);
	r.period = "7ms";
	assert_int_equal(made(&r).session.period, 7000000);
	r.session.correction = CORRECTION_MODEL;
	assert_refused(&r, SOFTLBR_E_USAGE, "--timer-correction model is for");
}

static void test_depth_of_this_machine(void **state)
{
	struct plan_request r = request();
	struct plan p;

	(void)state;
	r.session.depth_auto = true;
	p = made(&r);
	assert_traces(&p, CORRECTION_OFF, FOUND_DEPTH, 0);
	assert_int_equal(machine.depths, 1);
	r.session.lookahead = CORE_OFF;
	assert_refused(&r, SOFTLBR_E_USAGE, "--depth auto is for --lookahead full");
}

/* Where something else stands beside the traces, each is wanted; and who waits for the end of the
 * recording wants it soon. */
static void test_thinning(void **state)
{
	struct plan_request r = request();

	(void)state;
	r.ends = true;
	assert_false(made(&r).thins);
	r.ends = false;
	r.session.stack_copy = 8192;
	assert_false(made(&r).thins);
}

static void test_what_goes_together(void **state)
{
	struct plan_request r = request();

	(void)state;
	r.counts_only = true;
	made(&r);
	r.session.branches = PERF_SAMPLE_BRANCH_ANY_CALL;
	assert_refused(&r, SOFTLBR_E_USAGE, "--branches call: --aggregate");
	r.counts_only = false;
	made(&r);
	r.session.stack_copy = 4096;
	assert_refused(&r, SOFTLBR_E_USAGE, "omit --branches call");
	r.session.branches = PERF_SAMPLE_BRANCH_CALL_STACK;
	assert_int_equal(made(&r).session.stack_copy, PLAN_STACK_BYTES);
	r.stack_copy_given = true;
	assert_int_equal(made(&r).session.stack_copy, 4096);
	r.session.stack_copy = 0;
	assert_int_equal(made(&r).session.stack_copy, 0);
	r = request();
	r.session.values = 8;
	if (!SITE_VALUES_ARE_RECORDED) {
		assert_refused(&r, SOFTLBR_E_USAGE, "--values is for x86-64");
		return;
	}
	made(&r);
	r.counts_only = true;
	assert_refused(&r, SOFTLBR_E_USAGE, "--values: --aggregate");
	r.session.lookahead = CORE_STATIC;
	assert_refused(&r, SOFTLBR_E_USAGE, "--values is for --lookahead full");
}

/* Times need what weights need to know, though they are no weights. */
static void test_times(void **state)
{
	struct plan_request r = request();

	(void)state;
	r.session.times = 8;
	r.session.correction = CORRECTION_OFF;
	if (!LOAD_TIMES_ARE_RECORDED) {
		assert_refused(&r, SOFTLBR_E_USAGE, "--times is for x86-64");
		return;
	}
	assert_int_equal(made(&r).session.machine.line_ps, 80000);
	r.session.memory = MEMORY_READV;
	assert_refused(&r, SOFTLBR_E_USAGE, "omit --memory readv");
	r.session.memory = MEMORY_PROBE;
	r.side = PLAN_OUTSIDE;
	assert_refused(&r, SOFTLBR_E_USAGE, "--times is for preloaded commands");
}

/* ---- from outside -------------------------------------------------------------------------- */

static void test_outside_samples_by_time(void **state)
{
	struct plan_request r = request();
	struct plan p;

	(void)state;
	machine.has_pmu = true;
	machine.event_errno = EPERM; /* nobody asks for one */
	r.side = PLAN_OUTSIDE;
	p = made(&r);
	assert_true(p.outside);
	assert_int_equal(p.refused.code, 0);
	assert_string_equal(p.session.event.name, "cpu-clock:u");
	assert_traces(&p, CORRECTION_TIMED, CORRECTION_DEPTH, CORRECTION_DEPTH_MOST);
	assert_false(p.session.timers);
	assert_true(p.thins);
	r.event = "task-clock";
	assert_string_equal(made(&r).session.event.name, "cpu-clock:u");
	r.event = "branches";
	assert_refused(&r, SOFTLBR_E_USAGE, "from outside, threads are sampled by time");
	r.event = "nosuch";
	assert_refused(&r, SOFTLBR_E_USAGE, "event nosuch: not known");
	r.event = "auto";
	r.session.depth_auto = true;
	assert_refused(&r, SOFTLBR_E_USAGE, "--depth auto is for preloaded commands");
}

/* From outside nothing is needed of the kernel but ptrace. */
static void test_refusals_lead_outside(void **state)
{
	struct plan_request r = request();
	struct plan p;

	(void)state;
	machine.breakpoint_errno = EPERM;
	p = made(&r);
	assert_true(p.outside);
	assert_int_equal(p.refused.code, SOFTLBR_E_SYSTEM);
	assert_non_null(strstr(p.refused.text, "the kernel refuses hardware breakpoints"));
	assert_string_equal(p.session.event.name, "cpu-clock:u");
	r.side = PLAN_INSIDE;
	assert_refused(&r, SOFTLBR_E_SYSTEM, "the kernel refuses hardware breakpoints");
	r.side = PLAN_EITHER;
	machine.kills = true;
	p = made(&r);
	assert_true(p.outside);
	assert_non_null(strstr(p.refused.text, "events, by a signal,"));
	r.session.depth_auto = true; /* not had from outside */
	assert_refused(&r, SOFTLBR_E_SYSTEM, "events, by a signal,");
}

/* An event by name is not replaced by another one. */
static void test_named_events_are_had_or_refused(void **state)
{
	struct plan_request r = request();

	(void)state;
	r.event = "branches";
	assert_refused(&r, SOFTLBR_E_SYSTEM, "this machine has no PMU");
	r.event = "nosuch";
	assert_refused(&r, SOFTLBR_E_USAGE, "event nosuch: not known");
	r.event = "task-clock";
	machine.event_errno = EACCES;
	assert_true(made(&r).outside);
}

/* A program that records itself forks no child to try what its filters do. */
static void test_filters_that_nobody_tries(void **state)
{
	struct plan_machine unforked = fake;
	struct plan_request r = request();
	struct plan p;

	(void)state;
	r.session.correction = CORRECTION_PROBE;
	unforked.kills = NULL;
	assert_int_equal(plan_make(&p, &r, &unforked, NULL), 0);
	assert_true(p.session.timers);
	machine.filters = 1;
	assert_int_equal(plan_make(&p, &r, &unforked, NULL), 0);
	assert_int_equal(p.session.filters, 1);
	assert_false(p.session.timers);
	assert_true(made(&r).session.timers);
}

static void test_no_memory(void **state)
{
	const struct plan_request r = request();

	(void)state;
	machine.lacks_memory = true;
	assert_refused(&r, SOFTLBR_E_SYSTEM, "out of memory");
}

/* Long traces by time have one; others as it is asked for, but where time is not known. */
static void test_budget(void **state)
{
	struct plan_request r = request();

	(void)state;
	r.session.budget = 50;
	assert_int_equal(made(&r).session.budget, 50);
	assert_true(made(&r).session.budget_asked);
	r.session.correction = CORRECTION_OFF;
	r.session.depth = 16;
	assert_int_equal(made(&r).session.budget, 50);
	r.session.budget = 0;
	assert_int_equal(made(&r).session.budget, 0);
	r.side = PLAN_OUTSIDE;
	r.session.depth = CORRECTION_DEPTH_LEAST;
	assert_int_equal(made(&r).session.budget, BUDGET_DEFAULT);
	assert_false(made(&r).session.budget_asked);
	r.runs = true;
	assert_int_equal(made(&r).session.budget, BUDGET_RUNNING);
	machine.has_pmu = true;
	r = request();
	r.event = "cycles";
	assert_int_equal(made(&r).session.budget, 0);
	r.session.budget = 50;
	assert_refused(&r, SOFTLBR_E_USAGE, "--budget is for samples by time");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_long_weighted_traces, begin),
		cmocka_unit_test_setup(test_buffers_fit_the_traces, begin),
		cmocka_unit_test_setup(test_pmu_needs_no_weights, begin),
		cmocka_unit_test_setup(test_asynchronous_events, begin),
		cmocka_unit_test_setup(test_period_alone, begin),
		cmocka_unit_test_setup(test_short_traces_have_weights, begin),
		cmocka_unit_test_setup(test_shortest_period_of_timers, begin),
		cmocka_unit_test_setup(test_correction_by_name, begin),
		cmocka_unit_test_setup(test_without_evaluation, begin),
		cmocka_unit_test_setup(test_depth_of_this_machine, begin),
		cmocka_unit_test_setup(test_thinning, begin),
		cmocka_unit_test_setup(test_what_goes_together, begin),
		cmocka_unit_test_setup(test_times, begin),
		cmocka_unit_test_setup(test_outside_samples_by_time, begin),
		cmocka_unit_test_setup(test_refusals_lead_outside, begin),
		cmocka_unit_test_setup(test_named_events_are_had_or_refused, begin),
		cmocka_unit_test_setup(test_filters_that_nobody_tries, begin),
		cmocka_unit_test_setup(test_no_memory, begin),
		cmocka_unit_test_setup(test_budget, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
