/* SPDX-License-Identifier: MIT */
/* softlbr record: run a command and record its taken branches. */
#include "cli/record.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_guard.h"
#include "base/file_link.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/installed.h"
#include "cli/record_outputs.h"
#include "collector/engine/load_times.h"
#include "collector/engine/trace_filter.h"
#include "collector/outside/attach.h"
#include "collector/engine/core.h"
#include "collector/engine/memory_reader.h"
#include "collector/engine/sampler.h"
#include "collector/machine/calibration.h"
#include "collector/machine/rate_measure.h"
#include "collector/recorder/command.h"

#define STATUS_CANNOT_RUN 126
#define STATUS_NOT_FOUND  127

/* A trace that stops at every other branch costs so much more, and the default is to stay below 2
 * %. */
#define STOPS_PERIOD_FACTOR 8u

void record_tell(const struct record_arguments *a, const char *format, ...)
{
	va_list arguments;

	if (a->quiet)
		return;
	va_start(arguments, format);
	fputs("softlbr: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
}

/* SOFTLBR_COLLECTOR names another than the one that was installed. */
static int find_library(char *path, struct softlbr_error *e)
{
	const char *named = getenv("SOFTLBR_COLLECTOR");

	if (named && realpath(named, path))
		return 0;
	return installed_find(COLLECTOR_NAME, COLLECTOR_DIRECTORY,
			      "; set SOFTLBR_COLLECTOR to its path", path, e);
}

static bool is_hardware(const struct event *event)
{
	return event->type != PERF_TYPE_SOFTWARE && event->type != PERF_TYPE_BREAKPOINT;
}

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

static int choose_depth(struct session_options *s, struct softlbr_error *e)
{
	struct calibration cost = {0};

	if (s->lookahead != CORE_FULL)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "--depth auto is for --lookahead full: give a number");
	if (calibration_sample(&cost, &s->event, e))
		return -SOFTLBR_E_SYSTEM;
	s->depth = calibration_depth(&cost);
	return 0;
}

static bool has_period(const struct record_arguments *a)
{
	return a->period || a->frequency;
}

/* By default: where a timer makes a bias. Who asks for other traces gets those. */
static void choose_rates(struct record_arguments *a)
{
	struct session_options *s = &a->o.session;

	if (s->rates == RATES_AUTO && s->event.time && s->lookahead == CORE_FULL &&
	    !s->depth_auto && (s->depth ? s->depth >= RATES_DEPTH_LEAST : !has_period(a)))
		s->rates = s->event.asynchronous ? RATES_MODEL : RATES_TIMED;
	else if (s->rates == RATES_AUTO)
		s->rates = RATES_OFF;
	if (s->depth)
		return;
	if (s->rates) {
		s->depth = RATES_DEPTH;
		s->depth_most = RATES_DEPTH_MOST;
	} else {
		s->depth = SESSION_DEPTH_EVENT;
	}
}

/* A rate is branches per time, and look-ahead tells it. */
static int check_rates(const struct session_options *s, struct softlbr_error *e)
{
	if (!s->rates || (s->lookahead == CORE_FULL && s->event.time))
		return 0;
	return error_set(e, SOFTLBR_E_USAGE, NULL,
			 "--timer-correction %s is for --lookahead full and time-based events (-e "
			 "task-clock)",
			 rate_method_text((enum rates)s->rates));
}

/* @option records what counts do not have. */
static int check_aggregate(const struct record_arguments *a, const char *option,
			   struct softlbr_error *e)
{
	if (!a->aggregate.directory)
		return 0;
	return error_set(e, SOFTLBR_E_USAGE, NULL,
			 "%s: --aggregate keeps counts of branches alone; omit one of the two",
			 option);
}

/* Registers along a trace are what look-ahead evaluates. */
static int check_values(const struct record_arguments *a, struct softlbr_error *e)
{
	if (!a->o.session.values)
		return 0;
	if (!SITE_VALUES_ARE_RECORDED)
		return error_set(
			e, SOFTLBR_E_USAGE, NULL,
			"--values is for x86-64: recordings have no form for the arguments "
			"of calls on this CPU");
	if (a->o.session.lookahead != CORE_FULL)
		return error_set(e, SOFTLBR_E_USAGE, NULL, "--values is for --lookahead full");
	return check_aggregate(a, "--values", e);
}

/* A copied stack is what calls and returns of a trace begin on. */
static int check_stack_copy(const struct record_arguments *a, struct softlbr_error *e)
{
	const enum trace_filter filter = (enum trace_filter)a->o.session.branches;

	if (!a->o.session.stack_copy)
		return 0;
	if (filter != TRACE_ALL)
		return error_set(
			e, SOFTLBR_E_USAGE, NULL,
			"--stack-copy: callers are followed from the copied stack on by all "
			"branches of a trace; omit --branches %s",
			trace_filter_text(filter));
	return check_aggregate(a, "--stack-copy", e);
}

/* It is look-ahead that meets loads, and in the program's own memory. */
static int check_times(const struct record_arguments *a, struct softlbr_error *e)
{
	if (!a->o.session.times)
		return 0;
	if (!LOAD_TIMES_ARE_RECORDED)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "--times is for x86-64: this CPU's clock is too coarse for loads");
	if (a->o.session.lookahead != CORE_FULL)
		return error_set(e, SOFTLBR_E_USAGE, NULL, "--times is for --lookahead full");
	if (a->o.session.memory == MEMORY_READV)
		return error_set(
			e, SOFTLBR_E_USAGE, NULL,
			"--times: what is loaded from copies can't be timed; omit --memory "
			"readv");
	return check_aggregate(a, "--times", e);
}

/* Counts of some branches are no branch profile. */
static int check_branches(const struct record_arguments *a, struct softlbr_error *e)
{
	if (a->o.session.branches == TRACE_ALL || !a->aggregate.directory)
		return 0;
	return error_set(e, SOFTLBR_E_USAGE, NULL,
			 "--branches %s: --aggregate counts all branches and what runs between "
			 "them; omit one of the two",
			 trace_filter_text((enum trace_filter)a->o.session.branches));
}

static int choose_period(struct record_arguments *a, struct softlbr_error *e)
{
	struct session_options *s = &a->o.session;

	s->period = s->event.default_period;
	if (s->lookahead != CORE_FULL)
		s->period *= STOPS_PERIOD_FACTOR;
	if (a->frequency)
		return event_parse_frequency(a->frequency, &s->event, &s->period, e);
	return a->period ? event_parse_period(a->period, &s->event, &s->period, e) : 0;
}

/* From outside there is only time to sample by. */
static int prepare_ptrace(struct record_arguments *a, struct softlbr_error *e)
{
	struct session_options *s = &a->o.session;

	if (strcmp(a->event, "auto") && event_parse(a->event, &s->event, e))
		return -SOFTLBR_E_USAGE;
	if (strcmp(a->event, "auto") && !s->event.time)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "event %s: from outside, threads are sampled by time; omit -e, "
				 "or record a command that can be preloaded",
				 a->event);
	if (s->times)
		return error_set(
			e, SOFTLBR_E_USAGE, NULL,
			"--times is for preloaded commands: from outside nothing is loaded "
			"in place");
	if (s->depth_auto)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "--depth auto is for preloaded commands: give a number");
	if (event_parse("cpu-clock", &s->event, e))
		return -SOFTLBR_E_USAGE;
	choose_rates(a);
	if (check_rates(s, e) || choose_period(a, e))
		return -SOFTLBR_E_USAGE;
	return s->rates && rate_measure(&s->machine) ? error_set_nomem(e) : 0;
}

/* From outside no events are needed. What was asked for by name and is not had there is an error.
 */
static int refused(struct record_arguments *a, int why, const struct event *event, const char *what,
		   struct softlbr_error *e)
{
	explain_refusal(why, event, what, e);
	a->ptrace = a->outside != RECORD_OUTSIDE_NEVER;
	if (!a->ptrace || prepare_ptrace(a, NULL))
		return -SOFTLBR_E_SYSTEM;
	record_tell(a, "%s; recording from outside, by ptrace", e->text);
	*e = (struct softlbr_error){0};
	return 0;
}

static int prepare_preload(struct record_arguments *a, char *library, struct softlbr_error *e)
{
	struct session_options *s = &a->o.session;
	struct task_status own;
	int why = 0;

	task_status_filters(&own);
	s->filters = own.filters;
	if (event_deadly_signal(&own))
		return refused(a, EPERM, NULL, "events, by a signal,", e);
	if (event_parse(a->event, &s->event, e))
		return -SOFTLBR_E_USAGE;
	why = event_try(&s->event);
	if (why)
		return refused(a, why, &s->event, s->event.name, e);
	why = event_try_breakpoint(s->event.asynchronous);
	if (why)
		return refused(a, why, NULL, "hardware breakpoints", e);
	choose_rates(a);
	if (check_rates(s, e) || choose_period(a, e))
		return -SOFTLBR_E_USAGE;
	s->timers = s->rates == RATES_PROBE && s->event.time && !s->event.asynchronous &&
		    s->period >= SAMPLER_TIMER_PERIOD_NS && event_timer_works(&own);
	if (s->event.asynchronous)
		record_tell(
			a,
			"this kernel has no sigtrap events (Linux 5.13): signals come by F_SETSIG, "
			"at twice the cost");
	if (s->depth_auto && choose_depth(s, e))
		return -SOFTLBR_E_SYSTEM;
	if ((s->rates || s->times) && rate_measure(&s->machine))
		return error_set_nomem(e);
	if (find_library(library, e))
		return -SOFTLBR_E_SYSTEM;
	a->o.library = library;
	return 0;
}

static int refuse_outside(const struct record_arguments *a, const struct command_way *way,
			  struct softlbr_error *e)
{
	char reason[COMMAND_REASON_BYTES];

	return error_set(e, SOFTLBR_E_SYSTEM, way->program,
			 "%s%s: it can't be recorded from inside; omit --outside never to "
			 "record it from outside, by ptrace",
			 a->o.command[0], command_reason(way, reason));
}

/* Before anything is started. */
static int choose_way(struct record_arguments *a, const struct command_way *way,
		      struct softlbr_error *e)
{
	char reason[COMMAND_REASON_BYTES];

	if (a->o.pid)
		return command_check_process(a->o.pid, e);
	if (command_check(way, e))
		return -SOFTLBR_E_SYSTEM;
	a->o.sanitizer = way->sanitizer;
	if (way->reason && a->outside == RECORD_OUTSIDE_NEVER)
		return refuse_outside(a, way, e);
	if (way->reason && !a->ptrace)
		record_tell(a, "%s%s: recording from outside, by ptrace", a->o.command[0],
			    command_reason(way, reason));
	a->ptrace |= way->reason != REFUSAL_NONE;
	a->traces = way->traces;
	return 0;
}

/* After --aggregate, which has an output of its own. */
static int check_outputs(struct record_arguments *a, const struct record_extras *x,
			 struct softlbr_error *e)
{
	if (strcmp(a->o.output, "-")) {
		a->followed = file_link_follow(a->o.output, e);
		if (!a->followed)
			return -SOFTLBR_E_SYSTEM;
		a->o.output = a->followed;
	}
	if (record_outputs_check(&a->o, a->stats, a->force, e))
		return -SOFTLBR_E_USAGE;
	return a->stats && !a->force ? file_guard_replace(a->stats, x->stats_kind, e) : 0;
}

static int prepare(struct record_arguments *a, const struct command_way *way,
		   const struct record_extras *x, char *library, struct softlbr_error *e)
{
	int rc;

	if (!a->o.control.on_ns != !a->o.control.off_ns)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "--on and --off belong together, such as --on 2s --off 60s");
	a->o.session.switched = control_switches(&a->o.control);
	if (check_values(a, e) || check_branches(a, e) || check_stack_copy(a, e) ||
	    check_times(a, e))
		return -SOFTLBR_E_USAGE;
	a->ptrace = a->o.pid || a->outside == RECORD_OUTSIDE_ALWAYS;
	if (!strcmp(a->o.output, "-") && (a->o.control.socket_path || a->o.control.signals))
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "-o -: standard output cannot be rotated; omit --control and "
				 "--signals, or name a file");
	a->o.control.signals |= a->o.pid && strcmp(a->o.output, "-");
	if (choose_way(a, way, e))
		return -SOFTLBR_E_SYSTEM;
	if (a->aggregate.directory && x->open_aggregate(a, e))
		return -SOFTLBR_E_SYSTEM;
	if (check_outputs(a, x, e))
		return -SOFTLBR_E_USAGE;
	rc = a->ptrace ? prepare_ptrace(a, e) : prepare_preload(a, library, e);
	if (!rc && a->ptrace && a->traces)
		record_tell(a,
			    "%s traces other processes itself: those that it starts are left to it",
			    a->o.command[0]);
	a->o.convergence.thins = a->o.session.rates && !has_period(a) &&
				 a->o.convergence.noise <= 0 && !session_is_tagged(&a->o.session);
	session_fit_buffers(&a->o.session);
	return rc;
}

static int status_of(const struct recorder_result *r)
{
	if (r->exec_errno)
		return r->exec_errno == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
	if (WIFSIGNALED(r->status))
		return 128 + WTERMSIG(r->status);
	return WEXITSTATUS(r->status);
}

static void close_all(struct record_arguments *a, const struct record_extras *x)
{
	if (a->aggregate.directory)
		x->close_aggregate(a);
	memory_free(a->followed);
}

int record_run(int argc, char **argv, const struct record_extras *x)
{
	struct record_arguments a = {
		.event = "auto",
		.aggregate = {.entries_most = 4000000},
		.aggregate_mib = 64,
		.o = {.output = "perf.data",
		      .softlbr_command = argv,
		      .session = {.rates = RATES_AUTO,
				  .lookahead = CORE_FULL,
				  .audit = 64,
				  .chunk_count = 128}},
	};
	char library[PATH_MAX];
	struct command_way way;
	struct softlbr_error e = {0};
	struct recorder_result result = {0};
	static char line[BUFSIZ];
	int rc = 0;

	/* a line is one write: the command writes there too */
	setvbuf(stderr, line, _IOLBF, sizeof(line));
	record_options_parse(argc, argv, &a);
	if (!x && (a.aggregate.directory || a.stats))
		return RECORD_NEEDS_EXTRAS;
	/* before the old recording becomes FILE.old */
	result.exec_errno = a.o.pid ? 0 : command_look(a.o.command[0], &way);
	if (!result.exec_errno && prepare(&a, &way, x, library, &e)) {
		cli_print_error("record", &e);
		close_all(&a, x);
		return STATUS_SOFTLBR_FAILED;
	}
	a.o.convergence.tell = record_progress_tell;
	a.o.convergence.context = &a;
	if (!result.exec_errno)
		rc = a.ptrace ? attach_run(&a.o, &result, &e) : recorder_run(&a.o, &result, &e);
	if (result.exec_errno) {
		fprintf(stderr, "softlbr record: cannot run %s: %s\n", a.o.command[0],
			strerror(result.exec_errno));
		return status_of(&result);
	}
	record_progress_end(&a);
	record_report_signal(&a, &result);
	if (rc)
		record_report_failure(&a, &result, e.text);
	else
		record_report_print(&a, &result);
	if (!rc && a.stats && x->write_stats(&a, &result, &e)) {
		cli_print_error("record", &e);
		rc = -SOFTLBR_E_SYSTEM;
	}
	close_all(&a, x);
	return rc ? STATUS_SOFTLBR_FAILED : status_of(&result);
}
