/* SPDX-License-Identifier: MIT */
/*
 * The steps of plan_make depend on each other in this order: event, correction of the timer's bias
 * (which wants an event of time and look-ahead), depth (long where traces are weighted), period,
 * and then what is measured or filled in for all of them.
 */
#include "collector/plan/plan.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "collector/engine/core.h"
#include "collector/engine/cache_lines.h"
#include "collector/engine/memory_reader.h"
#include "collector/engine/sampler.h"
#include "collector/engine/site_values.h"
#include "collector/engine/trace.h"
#include "collector/kernel/task_status.h"
#include "collector/machine/calibration.h"

/* A trace that stops at every other branch costs this much more than one that look-ahead follows,
 * and a recording is to cost the program little by default. */
#define STOPS_PERIOD_FACTOR 8u

/* The event that threads are sampled by from outside. */
#define OUTSIDE_EVENT "cpu-clock"

/* ---- what goes together -------------------------------------------------------------------- */

/* @option records what counts do not have. */
static int check_counts_only(const struct plan_request *r, const char *option,
			     struct softlbr_error *e)
{
	if (!r->counts_only)
		return 0;
	return error_set(e, SOFTLBR_E_USAGE, NULL,
			 "%s: --aggregate keeps counts of branches alone; omit one of the two",
			 option);
}

/* Values are read from the registers that look-ahead evaluates along a trace. */
static int check_values(const struct plan_request *r, struct softlbr_error *e)
{
	if (!r->session.values)
		return 0;
	if (!SITE_VALUES_ARE_RECORDED)
		return error_set(
			e, SOFTLBR_E_USAGE, NULL,
			"--values is for x86-64: recordings have no form for the arguments "
			"of calls on this CPU");
	if (r->session.lookahead != CORE_FULL)
		return error_set(e, SOFTLBR_E_USAGE, NULL, "--values is for --lookahead full");
	return check_counts_only(r, "--values", e);
}

/* The calls and returns of a trace go on from its copied stack. */
static int check_stack_copy(const struct plan_request *r, struct softlbr_error *e)
{
	const uint32_t filter = r->session.branches;
	char text[TRACE_FILTER_TEXT_BYTES];

	if (!r->session.stack_copy)
		return 0;
	if (filter && !trace_filter_is_call_stack(filter))
		return error_set(
			e, SOFTLBR_E_USAGE, NULL,
			"--stack-copy: callers are followed from the copied stack on by all "
			"branches of a trace; omit --branches %s",
			trace_filter_text(filter, text));
	return check_counts_only(r, "--stack-copy", e);
}

/* Look-ahead meets the loads that are timed, and they are in the program's own memory. */
static int check_times(const struct plan_request *r, struct softlbr_error *e)
{
	if (!r->session.times)
		return 0;
	if (!LOAD_TIMES_ARE_RECORDED)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "--times is for x86-64: this CPU's clock is too coarse for loads");
	if (r->session.lookahead != CORE_FULL)
		return error_set(e, SOFTLBR_E_USAGE, NULL, "--times is for --lookahead full");
	if (r->session.memory == MEMORY_READV)
		return error_set(
			e, SOFTLBR_E_USAGE, NULL,
			"--times: what is loaded from copies can't be timed; omit --memory "
			"readv");
	return check_counts_only(r, "--times", e);
}

/* Counts of some branches are no branch profile. */
static int check_branches(const struct plan_request *r, struct softlbr_error *e)
{
	char text[TRACE_FILTER_TEXT_BYTES];

	if (!r->session.branches || !r->counts_only)
		return 0;
	return error_set(e, SOFTLBR_E_USAGE, NULL,
			 "--branches %s: --aggregate counts all branches and what runs between "
			 "them; omit one of the two",
			 trace_filter_text(r->session.branches, text));
}

bool plan_find_correction(const char *name, uint32_t *correction)
{
	for (uint32_t i = 0; i <= CORRECTION_AUTO; i++) {
		if (strcmp(rate_method_text((enum timer_correction)i), name) != 0)
			continue;
		*correction = i;
		return true;
	}
	return false;
}

int plan_check(const struct plan_request *r, struct softlbr_error *e)
{
	if (check_values(r, e) || check_branches(r, e) || check_stack_copy(r, e) ||
	    check_times(r, e))
		return -SOFTLBR_E_USAGE;
	return 0;
}

/* ---- what both sides choose ---------------------------------------------------------------- */

static bool asks_for_period(const struct plan_request *r)
{
	return r->period || r->frequency || r->session.period;
}

/* A timer makes a bias that weights correct. */
static uint32_t choose_correction(const struct plan_request *r, const struct event *event)
{
	const struct session_options *asked = &r->session;

	if (asked->correction != CORRECTION_AUTO)
		return asked->correction;
	if (!event->time || asked->lookahead != CORE_FULL || asked->depth_auto)
		return CORRECTION_OFF;
	return event->asynchronous ? CORRECTION_MODEL : CORRECTION_TIMED;
}

static void choose_depth(struct session_options *s)
{
	if (s->depth && (!s->correction || s->depth >= CORRECTION_DEPTH_LEAST))
		return;
	/* too short to tell a rate: a longer path does */
	s->recorded = s->depth;
	s->depth = s->correction ? CORRECTION_DEPTH : SESSION_DEPTH_EVENT;
	s->depth_most = s->correction ? CORRECTION_DEPTH_MOST : 0;
}

/* A weight is branches per time, and look-ahead knows the branches. */
static int check_correction(const struct session_options *s, struct softlbr_error *e)
{
	if (!s->correction || (s->lookahead == CORE_FULL && s->event.time))
		return 0;
	return error_set(e, SOFTLBR_E_USAGE, NULL,
			 "--timer-correction %s is for --lookahead full and time-based events (-e "
			 "task-clock)",
			 rate_method_text((enum timer_correction)s->correction));
}

static int choose_period(struct session_options *s, const struct plan_request *r,
			 struct softlbr_error *e)
{
	if (r->frequency)
		return event_parse_frequency(r->frequency, &s->event, &s->period, e);
	if (r->period)
		return event_parse_period(r->period, &s->event, &s->period, e);
	if (s->period)
		return 0;
	s->period = s->event.default_period;
	if (s->lookahead != CORE_FULL)
		s->period *= STOPS_PERIOD_FACTOR;
	return 0;
}

/* Long traces are dear. */
static int choose_budget(struct session_options *s, const struct plan_request *r,
			 struct softlbr_error *e)
{
	if (s->budget && !s->event.time)
		return error_set(
			e, SOFTLBR_E_USAGE, NULL,
			"--budget is for samples by time (-e task-clock): how long event %s "
			"takes is not known; omit one of the two",
			s->event.name);
	s->budget_asked = s->budget > 0;
	if (!s->budget && (s->correction || s->depth >= CORRECTION_DEPTH_LEAST) && s->event.time)
		s->budget = r->runs ? BUDGET_RUNNING : BUDGET_DEFAULT;
	return 0;
}

/* By s->event, which is chosen. */
static int choose_traces(struct session_options *s, const struct plan_request *r,
			 struct softlbr_error *e)
{
	s->correction = choose_correction(r, &s->event);
	choose_depth(s);
	if (check_correction(s, e) || choose_budget(s, r, e))
		return -SOFTLBR_E_USAGE;
	return choose_period(s, r, e);
}

/* ---- from outside -------------------------------------------------------------------------- */

/* From outside, threads are sampled by time. */
static int plan_outside(struct session_options *s, const struct plan_request *r,
			const struct plan_machine *m, struct softlbr_error *e)
{
	bool named = strcmp(r->event, "auto") != 0;

	if (named && m->find_event(r->event, &s->event, e))
		return -SOFTLBR_E_USAGE;
	if (named && !s->event.time)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "event %s: from outside, threads are sampled by time; omit -e, "
				 "or record a command that can be preloaded",
				 r->event);
	if (s->times)
		return error_set(
			e, SOFTLBR_E_USAGE, NULL,
			"--times is for preloaded commands: from outside nothing is loaded "
			"in place");
	if (s->depth_auto)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "--depth auto is for preloaded commands: give a number");
	if (m->find_event(OUTSIDE_EVENT, &s->event, e) || choose_traces(s, r, e))
		return -SOFTLBR_E_USAGE;
	if (s->correction && s->recorded) { /* who asks for little wants short stops */
		s->depth = CORRECTION_DEPTH_LEAST;
		s->depth_most = 0;
	}
	return (s->correction || s->budget) && m->measure(&s->machine) ? error_set_nomem(e) : 0;
}

/* ---- from inside --------------------------------------------------------------------------- */

static bool is_hardware(const struct event *event)
{
	return event->type != PERF_TYPE_SOFTWARE && event->type != PERF_TYPE_BREAKPOINT;
}

/* What the kernel refuses, and @why, an errno. @event: it is this one, or NULL. */
static int explain_refusal(int why, const struct event *event, const char *what,
			   struct softlbr_error *e)
{
	if (event && is_hardware(event) && (why == ENOENT || why == ENODEV || why == EOPNOTSUPP))
		return error_set(e, SOFTLBR_E_SYSTEM, NULL,
				 "event %s: this machine has no PMU (performance counters in "
				 "hardware), or its hypervisor offers none; omit -e to sample by "
				 "time (task-clock)",
				 event->name);
	errno = why;
	return error_set_errno(
		e, NULL,
		"the kernel refuses %s (perf_event_open; perf_event_paranoid or a seccomp "
		"filter may be the cause: `softlbr doctor` tells which and what to do)",
		what);
}

/* Can what is recorded from inside be had? 0; USAGE for an event that there is not; SYSTEM for what
 * the kernel refuses. */
static int find_events(struct session_options *s, const struct plan_request *r,
		       const struct plan_machine *m, struct softlbr_error *e)
{
	int why;

	s->filters = m->filters();
	if (m->kills && m->kills())
		return explain_refusal(EPERM, NULL, "events, by a signal,", e);
	if (m->find_event(r->event, &s->event, e))
		return -SOFTLBR_E_USAGE;
	why = m->try_event(&s->event);
	if (why)
		return explain_refusal(why, &s->event, s->event.name, e);
	why = m->try_breakpoint(s->event.asynchronous);
	return why ? explain_refusal(why, NULL, "hardware breakpoints", e) : 0;
}

/* Threads that are switched often are sampled by timers, where those can be had. Whether a filter
 * ends who asks for one is not known where no child may try. */
static bool wants_timers(const struct session_options *s, const struct plan_machine *m)
{
	return s->correction == CORRECTION_PROBE && s->event.time && !s->event.asynchronous &&
	       s->period >= SAMPLER_TIMER_PERIOD_NS && (m->kills || !s->filters) && m->has_timers();
}

static int find_depth(struct session_options *s, const struct plan_machine *m,
		      struct softlbr_error *e)
{
	if (s->lookahead != CORE_FULL)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "--depth auto is for --lookahead full: give a number");
	return m->find_depth(&s->event, &s->depth, e);
}

/* After find_events. */
static int plan_inside(struct session_options *s, const struct plan_request *r,
		       const struct plan_machine *m, struct softlbr_error *e)
{
	int rc;

	if (choose_traces(s, r, e))
		return -SOFTLBR_E_USAGE;
	s->timers = wants_timers(s, m);
	rc = s->depth_auto ? find_depth(s, m, e) : 0;
	if (rc)
		return rc;
	if ((s->correction || s->times || s->budget) && m->measure(&s->machine))
		return error_set_nomem(e);
	return 0;
}

/* ---- this machine -------------------------------------------------------------------------- */

static uint32_t count_filters(void)
{
	struct task_status own;

	task_status_filters(&own);
	return own.filters;
}

static bool filter_kills(void)
{
	struct task_status own;

	task_status_filters(&own);
	return event_deadly_signal(&own) != 0;
}

static bool has_timers(void)
{
	struct task_status own;

	task_status_filters(&own);
	return event_timer_works(&own);
}

const struct plan_machine plan_machine_own = {
	.filters = count_filters,
	.kills = filter_kills,
	.find_event = event_parse,
	.try_event = event_try,
	.try_breakpoint = event_try_breakpoint,
	.has_timers = has_timers,
	.measure = rate_measure,
};

/* ---- the whole ----------------------------------------------------------------------------- */

/* Where the kernel refuses what recording from inside needs, the program is recorded from outside,
 * which needs no events, unless the request forbids that or asks for what is recorded from inside
 * alone: then the refusal is the error. */
static int choose_side(struct plan *plan, const struct plan_request *r,
		       const struct plan_machine *m, struct softlbr_error *e)
{
	struct softlbr_error refused = {0};
	int rc;

	if (r->side == PLAN_OUTSIDE) {
		plan->outside = true;
		return plan_outside(&plan->session, r, m, e);
	}
	rc = find_events(&plan->session, r, m, &refused);
	if (!rc)
		return plan_inside(&plan->session, r, m, e);
	if (rc == -SOFTLBR_E_SYSTEM && r->side != PLAN_INSIDE &&
	    !plan_outside(&plan->session, r, m, NULL)) {
		plan->outside = true;
		plan->refused = refused;
		return 0;
	}
	if (e && !e->code)
		*e = refused;
	return rc;
}

int plan_make(struct plan *plan, const struct plan_request *r, const struct plan_machine *m,
	      struct softlbr_error *e)
{
	struct session_options *s = &plan->session;
	int rc;

	*plan = (struct plan){.session = r->session};
	if (trace_filter_is_call_stack(s->branches) && !r->stack_copy_given)
		s->stack_copy = PLAN_STACK_BYTES;
	rc = choose_side(plan, r, m, e);
	if (rc)
		return rc;
	plan->thins = s->correction && !asks_for_period(r) && !r->ends && !session_is_tagged(s);
	session_fit_buffers(s);
	return 0;
}
