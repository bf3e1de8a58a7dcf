/* SPDX-License-Identifier: MIT */
/* What softlbr record says of a recording. */
#include "cli/record.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/engine/budget.h"
#include "collector/engine/core.h"
#include "collector/machine/calibration.h"
#include "collector/recorder/recorder.h"
#include "collector/recorder/convergence.h"

/* This share of what was recorded last may be new without advice to record longer. */
#define NEW_SHARE_MOST 0.002
#define SAMPLES_LEAST  100u
/* Losses are worth a word from this share of the samples on. */
#define LOSS_SHARE_MOST 0.1
/* Of CPU time: what used less, of processes that run already, did nothing; and a period that has
 * passed so often has samples, but for a strange chance (exp(-8)). */
#define IDLE_CPU_NS 1000000u
#define SAMPLES_DUE 8u
/* The part of its time that a program spends in user code is small from here on. */
#define MOSTLY 10u
/* Samples that stand for less than one part in so many of a command's time in user code need a
 * reason, from so many seconds on. */
#define THIN_PART 4u
#define THIN_S	  0.1
/* Times the budget: what is beyond samples is told. */
#define DEAR 2
/* A program that used less CPU time than this has no overhead worth a figure: the collector's start
 * alone would be a multiple of it. */
#define OVERHEAD_CPU_NS_LEAST 100000000u

/* ---- one line ------------------------------------------------------------------------------ */

/* The cost of a stop is measured in 5 ms, but not after a program that was never stopped. */
static int measure_stop(const struct record_arguments *a, const struct recorder_result *r,
			double *us)
{
	*us = 0;
	if (!a->ptrace && !r->counters[COUNTER_SAMPLES] && !r->counters[COUNTER_HITS])
		return 0;
	return a->ptrace ? calibration_switch(us, NULL)
			 : calibration_stop(&a->o.session.event, us, NULL);
}

void record_account(struct record_arguments *a, const struct recorder_result *r)
{
	const struct event_cost_library collector = {a->o.library, SESSION_ENVIRONMENT};
	struct account_rates rates = {0};
	struct event_cost_wanted wanted;
	struct recorder_result all = *r;
	struct timespec own;

	if (measure_stop(a, r, &rates.stop_us))
		rates.stop_us = NAN;
	if (account_needs_events(r, a->ptrace, &wanted))
		event_cost_measure(&a->o.session.event, a->ptrace ? NULL : &collector, &wanted,
				   &rates.events, NULL);
	/* with what was measured here */
	if (!clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own))
		all.own_ns = (a->ptrace ? r->own_ns : 0) + (uint64_t)own.tv_sec * 1000000000u +
			     (uint64_t)own.tv_nsec;
	account_make(&a->cost, &all, &rates, a->ptrace);
}

static void print_cpu_time(const struct record_arguments *a, const struct recorder_result *r)
{
	const struct account *cost = &a->cost;
	bool known = isfinite(cost->overhead);

	if (!r->cpu_ns)
		return;
	fprintf(stderr, " %.2f s of CPU time", known ? cost->program : (double)r->cpu_ns / 1e9);
	if (selection_is_any(&a->o.selection) && r->processes > 1)
		fprintf(stderr, " of %u processes", r->processes);
	if (known && r->cpu_ns >= OVERHEAD_CPU_NS_LEAST)
		fprintf(stderr, " at %.1f %% overhead", 100 * cost->overhead);
}

static const char *output_name(const struct record_arguments *a)
{
	return strcmp(a->o.output, "-") ? a->o.output : "standard output";
}

static void print_period(const struct event *event, double period)
{
	if (event->time)
		fprintf(stderr, "%.3g ms", period / 1e6);
	else
		fprintf(stderr, "%.0f", period);
}

/* Times the period that was asked for: the reason is told. */
#define RARER 1.5

static double mean_period(const uint64_t c[COUNTER_COUNT])
{
	return c[COUNTER_TRACES] ? (double)c[COUNTER_PERIODS] / (double)c[COUNTER_TRACES] : 0;
}

/* Traces that take longer than the period allows come more rarely than was asked for. */
static bool period_is_missed(const struct record_arguments *a, const uint64_t c[COUNTER_COUNT])
{
	const struct session_options *s = &a->o.session;

	return (a->asked.period || a->asked.frequency) && s->budget &&
	       mean_period(c) >= RARER * (double)s->period;
}

static void print_period_missed(const struct record_arguments *a, const uint64_t c[COUNTER_COUNT])
{
	const struct session_options *s = &a->o.session;
	double is = mean_period(c);

	fprintf(stderr, " (one each ");
	print_period(&s->event, is);
	fprintf(stderr, " instead of ");
	print_period(&s->event, (double)s->period);
	fprintf(stderr, ", by --budget=%g)", 100.0 * s->budget / BUDGET_WHOLE);
}

/* The part of running processes' CPU time that was in user code, s; 0 if it is not known. */
static double user_s(const struct recorder_result *r)
{
	uint64_t ticks = r->user_ticks + r->system_ticks;

	return ticks ? (double)r->cpu_ns / 1e9 * (double)r->user_ticks / (double)ticks : 0;
}

/* For how much time in user code the samples of a timer stand, s. */
static double sampled_s_of(const struct recorder_result *r)
{
	return (double)(r->sampled_ns ? r->sampled_ns : r->counters[COUNTER_PERIODS]) / 1e9;
}

/* Print the period in force, and for how much time in user code the samples stand. */
static void print_sampled_time(const struct recorder_result *r)
{
	double sampled_s = sampled_s_of(r);

	if (r->counters[COUNTER_TRACES])
		fprintf(stderr, " (one each %.3g ms, for %.2f s in user code)",
			1e3 * sampled_s / (double)r->counters[COUNTER_TRACES], sampled_s);
}

static void print_line(const struct record_arguments *a, const struct recorder_result *r)
{
	const uint64_t *c = r->counters, traces = c[COUNTER_TRACES];

	fprintf(stderr, "softlbr: recorded");
	print_cpu_time(a, r);
	fprintf(stderr, ": %" PRIu64 " sample%s", traces, traces == 1 ? "" : "s");
	if (selection_is_any(&a->o.selection))
		print_sampled_time(r);
	fprintf(stderr, ", %" PRIu64 " taken branches", c[COUNTER_BRANCHES]);
	if (period_is_missed(a, c))
		print_period_missed(a, c);
	if (a->o.session.values)
		fprintf(stderr, ", %" PRIu64 " values", c[COUNTER_VALUES]);
	if (a->o.session.times)
		fprintf(stderr, ", %" PRIu64 " timed loads", c[COUNTER_LOADS]);
	if (a->o.session.stack_copy)
		fprintf(stderr, ", %" PRIu64 " copied stacks", c[COUNTER_STACKS]);
	fputs(" -> ", stderr);
	if (a->aggregate.directory)
		fprintf(stderr, "%u files in %s\n", a->aggregate.files, a->aggregate.directory);
	else if (r->kept_old)
		fputs("nothing\n", stderr);
	else
		fprintf(stderr, "%s\n", output_name(a));
}

/* ---- programs that were not recorded ------------------------------------------------------- */

#define UNENTERED_LINES 5u

static void print_unentered(const struct exclusion_list *l)
{
	bool outside_helps = false;
	uint64_t more = l->more;

	for (unsigned i = 0; i < l->count; i++) {
		const struct exclusion_program *p = &l->programs[i];

		outside_helps |= p->reason == EXCLUSION_STATIC || p->reason == EXCLUSION_LIBC ||
				 p->reason == EXCLUSION_GO || p->reason == EXCLUSION_OLD_LIBC;
		if (i >= UNENTERED_LINES) {
			more += p->count;
			continue;
		}
		fprintf(stderr, "softlbr: not recorded: %s: %s", p->path,
			exclusion_text(p->reason));
		if (p->count > 1)
			fprintf(stderr, " (%" PRIu32 " times)", p->count);
		fputc('\n', stderr);
	}
	if (more)
		fprintf(stderr, "softlbr: not recorded: %" PRIu64 " more starts of programs\n",
			more);
	if (outside_helps)
		fputs("softlbr: --outside=always records programs that are static, have a Go runtime "
		      "or another libc\n",
		      stderr);
}

/* ---- losses -------------------------------------------------------------------------------- */

/* Losses are samples that are shorter than they should be, or missing. */
static const struct {
	enum session_counter counter;
	const char *what;
} losses[] = {
	{COUNTER_DROPPED,
	 "dropped: no buffer was free (raise --buffers); what ran then counts too little"},
	{COUNTER_NO_BREAKPOINT,
	 "cut short: no hardware breakpoint was free (does a debugger use them?); the branches before that are right"},
	{COUNTER_TRAP_BLOCKED,
	 "cut short: the program blocks or ignores SIGTRAP, or asks for pending signals; the branches before that are right"},
	{COUNTER_LOST,
	 "cut short: their next breakpoint was never reached (longjmp, or the thread ended); the branches before that are right"},
	{COUNTER_SIGNALLED,
	 "dropped: a signal of the program came in between, or could (it sets EFLAGS.TF or AC), or 32-bit code ran"},
	{COUNTER_SPURIOUS, "cut short: a breakpoint was hit that was not set"},
};

#define LOSS_COUNT (sizeof(losses) / sizeof(losses[0]))

/* ---- one line of advice -------------------------------------------------------------------- */

static bool advise_not_loaded(const struct record_arguments *a, const struct recorder_result *r)
{
	if (r->processes || a->ptrace || r->exclusions.count)
		return false;
	fprintf(stderr,
		"softlbr: warning: the collector was not loaded into the command: it may be "
		"setuid, clear its environment, or run under a limit on file sizes (ulimit "
		"-f); --ptrace records it from outside\n");
	return true;
}

/* Print why there is no sample of processes that run already, and what helps. */
static void explain_nothing(const struct record_arguments *a, const struct recorder_result *r)
{
	bool several = r->processes > 1;
	double cpu_s = (double)r->cpu_ns / 1e9;

	if (several)
		fprintf(stderr, "the %u processes", r->processes);
	else
		fputs("the process", stderr);
	if (r->cpu_ns < IDLE_CPU_NS)
		fprintf(stderr, " %s idle (%.3f s of CPU time); record while %s\n",
			several ? "were" : "was", cpu_s, several ? "they work" : "it works");
	else if (!r->was_on)
		fprintf(stderr,
			" used %.3f s of CPU time, none of it while recording was switched on\n",
			cpu_s);
	else if (r->system_ticks > MOSTLY * r->user_ticks)
		fprintf(stderr,
			" used %.3f s of CPU time, but only %.3f s of it in user code: the "
			"kernel's is not recorded\n",
			cpu_s, user_s(r));
	else if (r->cpu_ns < SAMPLES_DUE * a->o.session.period)
		fprintf(stderr,
			" used %.3f s of CPU time, and samples are %.3g ms of it apart; record "
			"longer, or more often with -c\n",
			cpu_s, (double)a->o.session.period / 1e6);
	else if (!r->counters[COUNTER_SAMPLES])
		fprintf(stderr,
			" used %.3f s of CPU time, but no sample came: it was not in user code, or of "
			"many threads with little each; record longer\n",
			cpu_s);
	else
		fprintf(stderr,
			" used %.3f s of CPU time, but all %" PRIu64 " samples were lost: -v "
			"says where\n",
			cpu_s, r->counters[COUNTER_SAMPLES]);
}

static bool advise_nothing(const struct record_arguments *a, const struct recorder_result *r)
{
	if (r->counters[COUNTER_TRACES])
		return false;
	fputs("softlbr: warning: nothing was recorded: ", stderr);
	if (selection_is_any(&a->o.selection))
		explain_nothing(a, r);
	else
		fprintf(stderr,
			"the program used %.3f s of CPU time; let it run longer, or record "
			"several runs\n",
			(double)r->cpu_ns / 1e9);
	return true;
}

static void print_came(const uint64_t *c, uint64_t part, const char *how)
{
	fprintf(stderr, "%" PRIu64 " of %" PRIu64 " samples came %s\n", part, c[COUNTER_SAMPLES],
		how);
}

/* Print why samples stand for little of a command's time, in which @due were due. */
static void explain_thin(const struct recorder_result *r, double due)
{
	const uint64_t *c = r->counters;
	bool came = (double)c[COUNTER_SAMPLES] * THIN_PART >= due;
	uint64_t other = c[COUNTER_TRACES] + c[COUNTER_SIGNALLED] + c[COUNTER_KERNEL];

	if (c[COUNTER_TRAP_MASKED])
		fputs("the program blocks SIGTRAP meanwhile; record it by --ptrace\n", stderr);
	else if (r->exclusions.count)
		fputs("the rest is of programs that are not recorded (above)\n", stderr);
	else if (came && c[COUNTER_SAMPLES] > 2 * other)
		print_came(c, c[COUNTER_SAMPLES] - other, "inside of a long trace, as of memset");
	else if (came && c[COUNTER_SIGNALLED] > c[COUNTER_TRACES])
		print_came(c, c[COUNTER_SIGNALLED], "with signals of its own, or in 32-bit code");
	else if (came && c[COUNTER_KERNEL] > c[COUNTER_TRACES])
		print_came(c, c[COUNTER_KERNEL], "in system calls, or right behind one");
	else
		fputs("the rest is of processes that the collector is not in: of a bare fork, clone or "
		      "vfork, or where /dev/shm, the root directory or the user is another one "
		      "(sandboxes, containers, sudo); record inside of those, or from outside by --ptrace\n",
		      stderr);
}

/* Samples stand for the user code of a command and its descendants. */
static bool advise_thin(const struct record_arguments *a, const struct recorder_result *r)
{
	double user = user_s(r), sampled = sampled_s_of(r);
	const struct session_options *s = &a->o.session;

	if (a->ptrace || selection_is_any(&a->o.selection) || !s->event.time ||
	    control_switches(&a->o.control) || a->o.convergence.noise > 0 || user < THIN_S ||
	    user * 1e9 < SAMPLES_DUE * (double)s->period || sampled * THIN_PART >= user)
		return false;
	fprintf(stderr,
		"softlbr: warning: samples stand for %.2f s of %.2f s in user code: ", sampled,
		user);
	explain_thin(r, user * 1e9 / (double)s->period);
	return true;
}

/* The parts that rarer samples can't make less. */
static double fixed_cost(const struct account *c)
{
	return (c->calls + c->starts + c->switches) / c->program;
}

/* Print where it goes when a program pays much more than was asked for. */
static bool advise_cost(const struct record_arguments *a, const struct recorder_result *r)
{
	const struct account *c = &a->cost;
	double budget = (double)a->o.session.budget / BUDGET_WHOLE;

	if (!budget || r->cpu_ns < OVERHEAD_CPU_NS_LEAST || !isfinite(c->overhead) ||
	    fixed_cost(c) <= DEAR * budget)
		return false;
	fprintf(stderr,
		"softlbr: warning: recording cost more than %g %%: %.1f %% in changes of the "
		"program's signal mask, %.1f %% in starts of processes and threads, %.1f %% in "
		"switches between them; %s%s\n",
		100 * budget, 100 * c->calls / c->program, 100 * c->starts / c->program,
		100 * c->switches / c->program,
		a->o.session.budget_asked ? "samples were rarer for it"
					  : "--budget makes samples rarer for it",
		a->ptrace || c->calls < c->starts + c->switches
			? ""
			: "; --ptrace records without the first");
	return true;
}

/* Children may be where the work is done. */
static bool advise_left_out(const struct record_arguments *a, const struct recorder_result *r)
{
	(void)a;
	if (!r->left_out || r->counters[COUNTER_TRACES] >= SAMPLES_LEAST)
		return false;
	fprintf(stderr,
		"softlbr: warning: %" PRIu64 " samples: %u child process%s not in the recording; "
		"omit --no-children\n",
		r->counters[COUNTER_TRACES], r->left_out, r->left_out == 1 ? " is" : "es are");
	return true;
}

static bool advise_refused(const struct record_arguments *a, const struct recorder_result *r)
{
	(void)a;
	if (!r->refused)
		return false;
	fprintf(stderr,
		"softlbr: warning: %" PRIu64
		" threads are not in the recording, because the kernel "
		"refused their sampling events: %s%s\n",
		r->counters[COUNTER_THREADS_FAILED], strerror(r->refused),
		r->refused == EMFILE ? "; raise ulimit -n, or see softlbr doctor"
				     : "; see softlbr doctor");
	return true;
}

static bool advise_aggregate(const struct record_arguments *a, const struct recorder_result *r)
{
	(void)r;
	if (!a->aggregate.dropped)
		return false;
	fprintf(stderr,
		"softlbr: warning: %" PRIu64 " counts were dropped: there were more distinct "
		"branches and ranges than %" PRIu64 "; raise --aggregate-max\n",
		a->aggregate.dropped, a->aggregate.entries_most);
	return true;
}

static bool advise_foreign(const struct record_arguments *a, const struct recorder_result *r)
{
	bool lies = !counters_are_believable(r->counters);

	(void)a;
	if (r->foreign || lies)
		fprintf(stderr,
			"softlbr: warning: %" PRIu64 " damaged records were left out%s: a recorded "
			"program overwrote the collector's memory (look for stray writes in it)\n",
			r->foreign, lies ? ", and the counts are not believable" : "");
	return r->foreign || lies;
}

static bool advise_losses(const struct record_arguments *a, const struct recorder_result *r)
{
	(void)a;
	for (size_t i = 0; i < LOSS_COUNT; i++) {
		uint64_t lost = r->counters[losses[i].counter];

		if ((double)lost <= LOSS_SHARE_MOST * (double)r->counters[COUNTER_SAMPLES])
			continue;
		fprintf(stderr, "softlbr: warning: %" PRIu64 " samples %s\n", lost,
			losses[i].counter == COUNTER_LOST && !r->counters[COUNTER_HITS]
				? "cut short: no breakpoint was hit (softlbr doctor)"
				: losses[i].what);
		return true;
	}
	return false;
}

/* The target is the noise that was asked for, or else the one that a profile should have. */
static double target_of(const struct record_arguments *a)
{
	return a->o.convergence.noise > 0 ? a->o.convergence.noise : CONVERGENCE_NOISE;
}

static void print_noise(const struct record_arguments *a, const struct convergence_end *n)
{
	double target = target_of(a);

	if (!(n->noise > target))
		return;
	fprintf(stderr, "; sampling noise is about %.1f %%; record %.0f s in all for %g %%",
		100 * n->noise, convergence_seconds_to(n->seconds, n->noise, target), 100 * target);
}

static struct overlap_estimate estimate_of(const struct record_arguments *a,
					   const struct convergence_end *n)
{
	struct overlap_evidence known = n->evidence;

	known.biased = a->o.session.event.time && !known.weighted;
	return overlap_estimate(&known);
}

/* What convert says of all modules together. */
static void print_grade(const char *before, const struct overlap_estimate *o)
{
	static const char *const grades[] = {
		[OVERLAP_IS_GOOD] = "good", [OVERLAP_IS_FAIR] = "fair", [OVERLAP_IS_POOR] = "poor"};

	fprintf(stderr, "%s%s: %.0f %% (%.0f to %.0f %%) expected overlap with exact counts",
		before, grades[overlap_grade(o, OVERLAP_GOOD)], 100 * o->value, 100 * o->low,
		100 * o->high);
}

/* The profile is not good, and would not be if it were longer. */
static bool advise_otherwise(const struct record_arguments *a, const struct recorder_result *r)
{
	const struct convergence_end *n = &r->convergence;
	struct overlap_estimate o = estimate_of(a, n);

	if (!n->evidence.traces || overlap_grade(&o, OVERLAP_GOOD) == OVERLAP_IS_GOOD ||
	    o.cause == OVERLAP_BY_NOISE)
		return false;
	print_grade("softlbr: ", &o);
	fputs(o.cause == OVERLAP_BY_BIAS
		      ? ": its traces have no weights, so slow code counts too much; record by "
			"default options, without -F and -c\n"
		      : ": how fast a part of the code ran could not be measured; recording longer "
			"does not help\n",
	      stderr);
	return true;
}

static bool advise_longer(const struct record_arguments *a, const struct recorder_result *r)
{
	const struct convergence_end *n = &r->convergence;
	struct overlap_estimate o = estimate_of(a, n);
	uint64_t samples = r->counters[COUNTER_TRACES];
	bool good = !n->evidence.traces || overlap_grade(&o, OVERLAP_GOOD) == OVERLAP_IS_GOOD;

	if (r->converged)
		return false;
	if (samples < SAMPLES_LEAST && !good)
		fprintf(stderr, "softlbr: record longer%s: there %s only %" PRIu64 " trace%s",
			period_is_missed(a, r->counters)
				? ", or with --timer-correction=off (more traces, without weights)"
				: "",
			samples == 1 ? "is" : "are", samples, samples == 1 ? "" : "s");
	else if (n->new_share > NEW_SHARE_MOST)
		fprintf(stderr,
			"softlbr: record longer: at the end, %.1f %% of the recorded branches (%.0f per "
			"second) were at places not seen before",
			100 * n->new_share, n->new_per_s);
	else if (!good || n->noise > target_of(a))
		fputs("softlbr: record longer", stderr);
	else
		return false;
	if (n->evidence.traces)
		print_grade("; ", &o);
	print_noise(a, n);
	fputc('\n', stderr);
	return true;
}

/* One line of advice is printed: of the first check that has something to say. */
static void print_advice(const struct record_arguments *a, const struct recorder_result *r)
{
	static bool (*const advisers[])(const struct record_arguments *,
					const struct recorder_result *) = {
		advise_not_loaded, advise_refused,   advise_foreign, advise_losses,
		advise_left_out,   advise_cost,	     advise_thin,    advise_nothing,
		advise_aggregate,  advise_otherwise, advise_longer,
	};

	for (size_t i = 0; i < sizeof(advisers) / sizeof(advisers[0]); i++)
		if (advisers[i](a, r))
			return;
}

/* ---- the rest, by --verbose ---------------------------------------------------------------- */

/* Print the effective interval and depth: samples get rarer where they cost too much, and traces
 * shorter where threads share memory. */
static void print_sampling(const struct record_arguments *a, const struct recorder_result *r)
{
	const struct session_options *s = &a->o.session;
	const uint64_t *c = r->counters;
	double traces = c[COUNTER_TRACES] ? (double)c[COUNTER_TRACES] : 1;

	fprintf(stderr, "softlbr:   a sample every ");
	print_period(&s->event, mean_period(c));
	fprintf(stderr, " (asked: ");
	print_period(&s->event, (double)s->period);
	fprintf(stderr, ") of %s, %.1f branches each (at most %u%s)\n", s->event.name,
		(double)c[COUNTER_BRANCHES] / traces, session_recorded_most(s),
		s->depth_auto ? ", by auto" : "");
	fprintf(stderr, "softlbr:   %u process%s, %" PRIu64 " thread%s", r->processes,
		r->processes == 1 ? "" : "es", c[COUNTER_THREADS],
		c[COUNTER_THREADS] == 1 ? "" : "s");
	if (r->convergence.distinct)
		fprintf(stderr,
			"; about %" PRIu64
			" distinct branches, %.0f new ones per second at the end",
			r->convergence.distinct, r->convergence.new_per_s);
	fputc('\n', stderr);
}

/* Print what part of the time in user code the samples stand for, as far as the kernel tells. */
static void print_share(const struct record_arguments *a, const struct recorder_result *r)
{
	double user = user_s(r);

	if (user > 0 && !r->was_off && a->o.session.event.time)
		fprintf(stderr,
			"softlbr:   the samples stand for %.0f %% of %.2f s in user code, by the "
			"kernel's account (of threads that are switched often it has too much)\n",
			100 * sampled_s_of(r) / user, user);
}

/* Print how many traces needed no breakpoint, how many stops the others took, and what the audits
 * found. */
static void print_lookahead(const uint64_t *c)
{
	uint64_t traces = c[COUNTER_TRACES] ? c[COUNTER_TRACES] : 1;

	fprintf(stderr,
		"softlbr:   %.1f %% of samples breakpoint-free, %.2f breakpoints per sample",
		100.0 * (c[COUNTER_TRACES] ? counters_breakpoint_free(c) : 0),
		(double)(c[COUNTER_HITS] - c[COUNTER_AUDITS]) / (double)traces);
	if (c[COUNTER_AUDITS])
		fprintf(stderr, "; %" PRIu64 " of %" PRIu64 " audited samples wrong",
			c[COUNTER_AUDITS_WRONG], c[COUNTER_AUDITS]);
	fputc('\n', stderr);
}

static void print_loads(const struct record_arguments *a, const uint64_t *c)
{
	if (a->o.session.times)
		fprintf(stderr,
			"softlbr:   %" PRIu64 " timed loads of %" PRIu64
			" cache lines that the samples "
			"reached first (at most %u of each sample)\n",
			c[COUNTER_LOADS], c[COUNTER_LOADS_MET], a->o.session.times);
	if (c[COUNTER_LOADS_DROPPED])
		fprintf(stderr,
			"softlbr:   %" PRIu64
			" timed loads were dropped: no buffer was free (raise "
			"--buffers)\n",
			c[COUNTER_LOADS_DROPPED]);
}

/* Print how many of the values or loads that traces met were kept. */
static void print_values(const struct record_arguments *a, const uint64_t *c)
{
	if (!a->o.session.values)
		return;
	fprintf(stderr,
		"softlbr:   %" PRIu64 " values of %" PRIu64 " that the samples reached (at most %u "
		"of each sample)\n",
		c[COUNTER_VALUES], c[COUNTER_VALUES_MET], a->o.session.values);
	if (c[COUNTER_VALUES_DROPPED])
		fprintf(stderr,
			"softlbr:   %" PRIu64 " values were dropped: no buffer was free (raise "
			"--buffers)\n",
			c[COUNTER_VALUES_DROPPED]);
}

/* Print the parts of what the recording cost. */
static void print_cost(const struct account *c)
{
	if (!isfinite(c->overhead))
		return;
	fprintf(stderr, "softlbr:   overhead %.1f %%", 100 * c->overhead);
#define X(member, name, text) fprintf(stderr, ", %.1f %% " text, 100 * c->member / c->program);
	ACCOUNT_PARTS(X)
#undef X
	fputc('\n', stderr);
}

static void print_stops(const struct stop_times *t)
{
	if (t->all)
		fprintf(stderr,
			"softlbr:   threads stood still %" PRIu64
			" times, for %.2f ms in the median and at most %.2f ms in 99 %% of them\n",
			t->all, stop_times_us(t, 0.5) / 1e3, stop_times_us(t, 0.99) / 1e3);
}

/* Print where the time went. The kernel's part of a stop is not in it: no process sees its own. */
static void print_time(const struct recorder_result *r)
{
	const uint64_t *c = r->counters;
	double traces = c[COUNTER_TRACES] ? (double)c[COUNTER_TRACES] : 1;
	double handler_us = (double)c[COUNTER_HANDLER_NS] / 1e3;
	double decode_us = (double)c[COUNTER_DECODE_TICKS] * r->tick_ns / 1e3;

	fprintf(stderr,
		"softlbr:   per sample: %.1f us in the collector (%.1f of it decoding), %.0f "
		"instructions evaluated, %.1f pages read\n",
		handler_us / traces, decode_us / traces, (double)c[COUNTER_EVALUATED] / traces,
		(double)c[COUNTER_PAGES] / traces);
}

static void print_losses(const struct recorder_result *r)
{
	for (size_t i = 0; i < LOSS_COUNT; i++)
		if (r->counters[losses[i].counter])
			fprintf(stderr, "softlbr:   %" PRIu64 " samples %s\n",
				r->counters[losses[i].counter], losses[i].what);
	for (unsigned i = CORE_NONE + 1; i < CORE_REASON_COUNT; i++)
		if (r->counters[COUNTER_EARLY + i])
			fprintf(stderr, "softlbr:   %" PRIu64 " samples cut short: %s\n",
				r->counters[COUNTER_EARLY + i], core_reason_text(i));
}

static void print_aggregate(const struct accumulate *a)
{
	if (!a->directory)
		return;
	fprintf(stderr,
		"softlbr:   %" PRIu64 " branches counted in %u parts, %" PRIu64
		" distinct branches and ranges\n",
		a->branches, a->parts, a->entries);
	if (a->branches_elsewhere)
		fprintf(stderr,
			"softlbr:   %" PRIu64 " branches are in modules whose file is not here\n",
			a->branches_elsewhere);
}

/* ---- how the recording ended --------------------------------------------------------------- */

void record_report_print(const struct record_arguments *a, const struct recorder_result *r)
{
	/* whoever uses the file next has to know */
	if (r->kept_old)
		fprintf(stderr, "softlbr: nothing was recorded: %s is left as it was\n",
			output_name(a));
	if (a->quiet)
		return;
	print_line(a, r);
	if (a->verbose) {
		print_sampling(a, r);
		print_share(a, r);
		print_lookahead(r->counters);
		print_values(a, r->counters);
		print_loads(a, r->counters);
		if (r->counters[COUNTER_STACKS_DROPPED])
			fprintf(stderr,
				"softlbr:   %" PRIu64
				" copied stacks were dropped: no buffer was free (raise "
				"--buffers)\n",
				r->counters[COUNTER_STACKS_DROPPED]);
		print_time(r);
		print_cost(&a->cost);
		print_stops(&r->stops);
		print_losses(r);
		print_aggregate(&a->aggregate);
	}
	print_unentered(&r->exclusions);
	print_advice(a, r);
}

void record_report_failure(const struct record_arguments *a, const struct recorder_result *r,
			   const char *why)
{
	fprintf(stderr, "softlbr record: %s\n", why);
	if (r->counters[COUNTER_TRACES] && r->bytes)
		fprintf(stderr,
			"softlbr record: %s holds the %" PRIu64 " samples recorded by then; the "
			"program went on, unrecorded\n",
			output_name(a), r->counters[COUNTER_TRACES]);
}

/* A shell that runs softlbr sees an exit status, not the signal, and does not tell of it. */
void record_report_signal(const struct record_arguments *a, const struct recorder_result *r)
{
	int number = WTERMSIG(r->status);

	if (a->quiet || !a->o.command || r->exec_errno || !WIFSIGNALED(r->status) ||
	    number == SIGINT || number == SIGPIPE)
		return;
	fprintf(stderr, "softlbr: %s ended by signal %d: %s%s\n", a->o.command[0], number,
		strsignal(number), WCOREDUMP(r->status) ? " (core dumped)" : "");
}

/* ---- while it records with --until --------------------------------------------------------- */

/* The line is not drawn on a terminal that the command writes to as well. */
static bool has_terminal(const struct record_arguments *a)
{
	return isatty(STDERR_FILENO) && (!a->o.command || !isatty(STDOUT_FILENO));
}

static void print_progress(double noise, double seconds, double target)
{
	double left = convergence_seconds_to(seconds, noise, target) - seconds;

	fprintf(stderr, "\r\033[Ksoftlbr: %.1f s recorded", seconds);
	if (!isnan(noise))
		fprintf(stderr, ": overlap %.1f %%, wanted %g %%; about %.0f s more",
			100 * (1 - noise), 100 * (1 - target), left > 0 ? left : 0);
	fflush(stderr);
}

void record_progress_end(const struct record_arguments *a)
{
	if (a->o.convergence.noise > 0 && !a->quiet && has_terminal(a))
		fputs("\r\033[K", stderr);
}

void record_progress_tell(void *arguments, double noise, double seconds, bool reached)
{
	static time_t shown; /* when the line was drawn last; one process records */
	const struct record_arguments *a = arguments;
	struct timespec now;

	if (a->quiet)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (reached) {
		record_progress_end(a);
		fprintf(stderr,
			"softlbr: estimated overlap of %g %% (--until) reached after %.1f s; the program goes on, unrecorded\n",
			100 * (1 - a->o.convergence.noise), seconds);
	} else if (now.tv_sec != shown && has_terminal(a)) {
		print_progress(noise, seconds, a->o.convergence.noise);
		shown = now.tv_sec;
	}
}
