/* SPDX-License-Identifier: MIT */
/* softlbr record: run a command and record its taken branches. */
#include "cli/cli.h"
#include "cli/record_aggregate.h"
#include "cli/record_outputs.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "collector/outside/attach.h"
#include "collector/core/core.h"
#include "collector/session/memory_reader.h"
#include "collector/recorder/recorder.h"
#include "collector/recorder/stats.h"
#include "formats/perfdata_write.h"

#define STATUS_SOFTLBR_FAILED 125
#define STATUS_CANNOT_RUN     126
#define STATUS_NOT_FOUND      127

/* A trace that stops at every other branch costs so much more, and the default is to stay below 2
 * %. */
#define STOPS_PERIOD_FACTOR 8u

#define DEPTH 16u

enum {
	OPTION_DELAY = 0x100,
	OPTION_DURATION,
	OPTION_LOOKAHEAD,
	OPTION_STACK,
	OPTION_BUFFERS,
	OPTION_BUFFER_SIZE,
	OPTION_AGGREGATE,
	OPTION_AGGREGATE_EVERY,
	OPTION_AGGREGATE_MOST,
	OPTION_AUDIT,
	OPTION_MEMORY,
	OPTION_RATES,
	OPTION_STATS,
	OPTION_ATTACH,
	OPTION_ON,
	OPTION_OFF,
	OPTION_CONTROL,
	OPTION_SIGNALS,
	OPTION_FORCE,
};

static const struct argp_option options[] = {
	{"pid", 'p', "PID", 0, "Attach to this running process instead of running a command", 0},
	{"attach", OPTION_ATTACH, NULL, 0,
	 "Trace the command from outside, as -p does; by itself for commands that load no library",
	 0},
	{"event", 'e', "EVENT", 0,
	 "What picks the moments: auto (the default: the best that this machine has), branches, "
	 "instructions, cycles, task-clock, rHEX, PMU/TERM=VALUE/",
	 0},
	{"period", 'c', "PERIOD", 0,
	 "Mean distance of samples: events, or time with a unit (ns, us, ms, s)", 0},
	{"depth", 'n', "N", 0,
	 "Taken branches per trace (default 16, with --rates 2048); auto: as many as look-ahead follows "
	 "in the time that a sample costs here",
	 0},
	{"output", 'o', "FILE", 0,
	 "Recording to write (default perf.data; an old one is kept as "
	 "FILE.old)",
	 0},
	{"delay", OPTION_DELAY, "TIME", 0, "Start recording this long after the command started",
	 0},
	{"duration", OPTION_DURATION, "TIME", 0,
	 "Stop recording after this long; the command goes on", 0},
	{"on", OPTION_ON, "TIME", 0, "With --off: record so long, again and again", 0},
	{"off", OPTION_OFF, "TIME", 0, "With --on: record nothing so long in between", 0},
	{"control", OPTION_CONTROL, "SOCKET", 0,
	 "Make this socket, at which `softlbr control` starts, stops and rotates the recording", 0},
	{"signals", OPTION_SIGNALS, NULL, 0,
	 "SIGUSR1 switches the recording off and on, SIGUSR2 begins a new file, instead of being "
	 "passed on to the command",
	 0},
	{"lookahead", OPTION_LOOKAHEAD, "MODE", 0,
	 "full: evaluate instructions ahead (the default); static: decoding alone resolves "
	 "unconditional direct branches; off: a breakpoint at every branch",
	 0},
	{"memory", OPTION_MEMORY, "MODE", 0,
	 "How look-ahead reads memory: probe (the default) asks once per page and loads in place, "
	 "while the thread has the memory to itself; readv has the kernel copy pages",
	 0},
	{"rates", OPTION_RATES, "WAY", 0,
	 "Weigh traces by how fast the program runs where they are: model, by what look-ahead evaluates; "
	 "probe, also by timing a part of each; off; auto (the default): probe for an event of time, "
	 "unless -c or a small -n is given",
	 0},
	{"audit", OPTION_AUDIT, "N", 0,
	 "Check the end of one trace in N against the running program (default 64; 0: none)", 0},
	{"stack", OPTION_STACK, "N", 0,
	 "Most branches in one sample record (default 127, the most that perf report reads); longer "
	 "traces are split into several records",
	 0},
	{"force", OPTION_FORCE, NULL, 0,
	 "Replace FILE even if it is no recording (it is kept as FILE.old), or no such statistics",
	 0},
	{"stats", OPTION_STATS, "FILE", 0,
	 "Write all that was counted, and where the time went, as JSON (the manual has the names)",
	 0},
	{"buffers", OPTION_BUFFERS, "N", 0, "Trace buffers per process (default 128)", 0},
	{"buffer-size", OPTION_BUFFER_SIZE, "KIB", 0,
	 "Size of a trace buffer (default 16, or as much as some of the longest stacks need)", 0},
	{"aggregate", OPTION_AGGREGATE, "DIR", 0,
	 "Keep counts of branches and ranges instead of traces, and write them as DIR/MODULE.preagg",
	 0},
	{"aggregate-every", OPTION_AGGREGATE_EVERY, "MIB", 0,
	 "With --aggregate: count when so much was recorded (default 64)", 0},
	{"aggregate-most", OPTION_AGGREGATE_MOST, "N", 0,
	 "With --aggregate: keep so many distinct branches and ranges (default 4000000)", 0},
	{0},
};

struct arguments {
	struct recorder_options o;
	const char *event, *period, *stats;
	bool attach, force;
	struct accumulate aggregate; /* of a directory, if it is asked for */
	uint32_t aggregate_mib;
};

static void parse_number(struct argp_state *state, const char *what, const char *text,
			 unsigned long low, unsigned long high, uint32_t *out)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (end == text || *end || value < low || value > high)
		argp_error(state, "%s %s: give a number from %lu to %lu", what, text, low, high);
	*out = (uint32_t)value;
}

static void duration(struct argp_state *state, const char *what, const char *text, uint64_t *out)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"", 1e9}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}};
	char *end;
	double value = strtod(text, &end);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (end != text && value >= 0 && value < 1e9 && !strcmp(end, units[i].unit)) {
			*out = (uint64_t)(value * units[i].ns);
			return;
		}
	argp_error(state, "%s %s: give a time, such as 5s or 200ms", what, text);
}

static void parse_lookahead(struct argp_state *state, const char *text, uint32_t *out)
{
	for (*out = CORE_FULL; *out <= CORE_OFF; ++*out)
		if (!strcmp(text, core_lookahead_text(*out)))
			return;
	argp_error(state, "--lookahead %s: give full, static or off", text);
}

static void parse_memory_mode(struct argp_state *state, const char *text, uint32_t *out)
{
	for (*out = MEMORY_PROBE; *out <= MEMORY_READV; ++*out)
		if (!strcmp(text, memory_reader_mode_text(*out)))
			return;
	argp_error(state, "--memory %s: give probe or readv", text);
}

static void parse_rates(struct argp_state *state, const char *text, uint32_t *out)
{
	for (*out = RATES_OFF; *out <= RATES_AUTO; ++*out)
		if (!strcmp(text, rate_method_text(*out)))
			return;
	argp_error(state, "--rates %s: give auto, model, probe or off", text);
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct arguments *a = state->input;
	uint32_t pid, most;

	switch (key) {
	case 'p':
		parse_number(state, "--pid", text, 1, INT_MAX, &pid);
		a->o.pid = (pid_t)pid;
		break;
	case OPTION_ATTACH:
		a->attach = true;
		break;
	case 'e':
		a->event = text;
		break;
	case 'c':
		a->period = text;
		break;
	case 'n':
		a->o.session.depth_auto = !strcmp(text, "auto");
		if (!a->o.session.depth_auto)
			parse_number(state, "--depth", text, 1, TRACE_DEPTH_MAX,
				     &a->o.session.depth);
		break;
	case 'o':
		a->o.output = text;
		break;
	case OPTION_DELAY:
		duration(state, "--delay", text, &a->o.control.delay_ns);
		break;
	case OPTION_DURATION:
		duration(state, "--duration", text, &a->o.control.duration_ns);
		break;
	case OPTION_ON:
		duration(state, "--on", text, &a->o.control.on_ns);
		break;
	case OPTION_OFF:
		duration(state, "--off", text, &a->o.control.off_ns);
		break;
	case OPTION_CONTROL:
		a->o.control.socket_path = text;
		break;
	case OPTION_SIGNALS:
		a->o.control.signals = true;
		break;
	case OPTION_LOOKAHEAD:
		parse_lookahead(state, text, &a->o.session.lookahead);
		break;
	case OPTION_MEMORY:
		parse_memory_mode(state, text, &a->o.session.memory);
		break;
	case OPTION_FORCE:
		a->force = a->aggregate.force = true;
		break;
	case OPTION_STATS:
		a->stats = text;
		break;
	case OPTION_RATES:
		parse_rates(state, text, &a->o.session.rates);
		break;
	case OPTION_AUDIT:
		parse_number(state, "--audit", text, 0, UINT32_MAX, &a->o.session.audit);
		break;
	case OPTION_STACK:
		parse_number(state, "--stack", text, 2, PERFDATA_SAMPLE_BRANCHES_MAX,
			     &a->o.session.stack);
		break;
	case OPTION_BUFFERS:
		parse_number(state, "--buffers", text, 4, 65536, &a->o.session.chunk_count);
		break;
	case OPTION_BUFFER_SIZE:
		parse_number(state, "--buffer-size", text, 4, 16384, &a->o.session.chunk_bytes);
		a->o.session.chunk_bytes *= 1024;
		break;
	case OPTION_AGGREGATE:
		a->aggregate.directory = text;
		break;
	case OPTION_AGGREGATE_EVERY:
		parse_number(state, "--aggregate-every", text, 1, 1 << 20, &a->aggregate_mib);
		break;
	case OPTION_AGGREGATE_MOST:
		parse_number(state, "--aggregate-most", text, 1, INT_MAX, &most);
		a->aggregate.entries_most = most;
		break;
	case ARGP_KEY_ARGS:
		if (a->o.pid)
			argp_error(state, "give -p or a command, not both");
		a->o.command = state->argv + state->next;
		break;
	case ARGP_KEY_NO_ARGS:
		if (!a->o.pid)
			argp_error(state, "give the command to record");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* The collector stands beside the program, or where it is installed; SOFTLBR_COLLECTOR names
 * another. */
static int find_library(char *path, struct softlbr_error *e)
{
	static const char *const places[] = {COLLECTOR_NAME,
					     COLLECTOR_DIRECTORY "/" COLLECTOR_NAME};
	const char *named = getenv("SOFTLBR_COLLECTOR");
	char self[PATH_MAX], candidate[PATH_MAX + 64];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (named && realpath(named, path))
		return 0;
	self[length > 0 ? length : 0] = 0;
	if (strrchr(self, '/'))
		*strrchr(self, '/') = 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(candidate, sizeof(candidate), "%s/%s", self, places[i]);
		if (realpath(candidate, path))
			return 0;
	}
	return error_set(e, SOFTLBR_E_SYSTEM, NULL,
			 "cannot find " COLLECTOR_NAME " in %s or %s/" COLLECTOR_DIRECTORY
			 "; set SOFTLBR_COLLECTOR to its path",
			 self, self);
}

static int explain_refusal(int why, const char *what, struct softlbr_error *e)
{
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

/* By default: where a timer makes a bias. Who asks for other traces gets those. */
static void choose_rates(struct arguments *a)
{
	struct session_options *s = &a->o.session;

	if (s->rates == RATES_AUTO && s->event.time && s->lookahead == CORE_FULL && !a->attach &&
	    !s->depth_auto && (s->depth ? s->depth >= RATES_DEPTH_LEAST : !a->period))
		s->rates = s->event.asynchronous ? RATES_MODEL : RATES_PROBE;
	else if (s->rates == RATES_AUTO)
		s->rates = RATES_OFF;
	if (!s->depth)
		s->depth = s->rates ? RATES_DEPTH : DEPTH;
}

/* A rate is branches per time, and look-ahead tells it. */
static int check_rates(const struct session_options *s, struct softlbr_error *e)
{
	if (!s->rates || (s->lookahead == CORE_FULL && s->event.time))
		return 0;
	return error_set(e, SOFTLBR_E_USAGE, NULL,
			 "--rates %s is for --lookahead full and an event of time (-e task-clock)",
			 rate_method_text((enum rates)s->rates));
}

static int choose_period(struct arguments *a, struct softlbr_error *e)
{
	struct session_options *s = &a->o.session;

	s->period = s->rates ? RATES_PERIOD_NS : s->event.default_period;
	if (s->lookahead != CORE_FULL)
		s->period *= STOPS_PERIOD_FACTOR;
	return a->period ? event_parse_period(a->period, &s->event, &s->period, e) : 0;
}

/* From outside there is only time to sample by. */
static int prepare_attach(struct arguments *a, struct softlbr_error *e)
{
	struct session_options *s = &a->o.session;

	if (strcmp(a->event, "auto") && event_parse(a->event, &s->event, e))
		return -SOFTLBR_E_USAGE;
	if (strcmp(a->event, "auto") && !s->event.time)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "event %s: from outside, threads are sampled by time; leave -e "
				 "away, or record a command that can be preloaded",
				 a->event);
	if (s->rates == RATES_MODEL || s->rates == RATES_PROBE)
		return error_set(e, SOFTLBR_E_USAGE, NULL, "--rates is for preloaded commands");
	choose_rates(a);
	if (s->depth_auto)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "--depth auto is for preloaded commands: give a number");
	return event_parse("cpu-clock", &s->event, e) || choose_period(a, e) ? -SOFTLBR_E_USAGE : 0;
}

/* From outside no events are needed. What was asked for by name and is not had there is an error.
 */
static int refused(struct arguments *a, int why, const char *what, struct softlbr_error *e)
{
	explain_refusal(why, what, e);
	a->attach = true;
	if (prepare_attach(a, NULL))
		return -SOFTLBR_E_SYSTEM;
	fprintf(stderr, "softlbr: %s; recording from outside, by ptrace\n", e->text);
	*e = (struct softlbr_error){0};
	return 0;
}

static int prepare_preload(struct arguments *a, char *library, struct softlbr_error *e)
{
	struct session_options *s = &a->o.session;
	int why = 0;

	if (event_deadly_signal())
		return refused(a, EPERM, "events, by a signal,", e);
	if (event_parse(a->event, &s->event, e))
		return -SOFTLBR_E_USAGE;
	why = event_try(&s->event);
	if (why)
		return refused(a, why, s->event.name, e);
	why = event_try_breakpoint(s->event.asynchronous);
	if (why)
		return refused(a, why, "hardware breakpoints", e);
	choose_rates(a);
	if (check_rates(s, e) || choose_period(a, e))
		return -SOFTLBR_E_USAGE;
	if (s->event.asynchronous)
		fprintf(stderr, "softlbr: this kernel has no sigtrap events (Linux 5.13): signals "
				"come by F_SETSIG, at twice the cost\n");
	if (s->depth_auto && choose_depth(s, e))
		return -SOFTLBR_E_SYSTEM;
	if (s->rates && rate_measure(&s->machine))
		return error_set_nomem(e);
	if (find_library(library, e))
		return -SOFTLBR_E_SYSTEM;
	a->o.library = library;
	return 0;
}

static int prepare_aggregate(struct arguments *a, struct softlbr_error *e)
{
	a->o.rotation = (struct rotation_options){.bytes = (uint64_t)a->aggregate_mib << 20,
						  .take = accumulate_take,
						  .context = &a->aggregate};
	if (accumulate_open(&a->aggregate, e))
		return -SOFTLBR_E_SYSTEM;
	a->o.output = a->aggregate.traces;
	return 0;
}

static int prepare(struct arguments *a, char *library, struct softlbr_error *e)
{
	enum recorder_way way = RECORDER_ATTACH;
	int rc;

	if (!a->o.control.on_ns != !a->o.control.off_ns)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "--on and --off belong together, such as --on 2s --off 60s");
	a->o.session.switched = control_switches(&a->o.control);
	a->o.control.signals |= a->o.pid != 0;
	if (!a->o.pid && command_check(a->o.command[0], &way, &a->o.sanitizer, e))
		return -SOFTLBR_E_SYSTEM;
	a->attach |= way == RECORDER_ATTACH;
	if (a->aggregate.directory && prepare_aggregate(a, e))
		return -SOFTLBR_E_SYSTEM;
	if (record_outputs_check(&a->o, a->stats, a->force, e))
		return -SOFTLBR_E_USAGE;
	rc = a->attach ? prepare_attach(a, e) : prepare_preload(a, library, e);
	session_fit_buffers(&a->o.session);
	return rc;
}

static void print_losses(const struct recorder_result *r)
{
	static const struct {
		enum session_counter counter;
		const char *what;
	} losses[] = {
		{COUNTER_DROPPED, "dropped: no free buffer (give more with --buffers)"},
		{COUNTER_LOST, "cut: their breakpoint was not reached again"},
		{COUNTER_SPURIOUS, "cut: stopped somewhere else"},
		{COUNTER_TRAP_BLOCKED, "cut: the program blocks or ignores SIGTRAP"},
		{COUNTER_NO_BREAKPOINT, "cut: no hardware breakpoint (a debugger has them?)"},
	};

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		if (r->counters[losses[i].counter])
			fprintf(stderr, "softlbr:   %llu traces %s\n",
				(unsigned long long)r->counters[losses[i].counter], losses[i].what);
	for (unsigned i = CORE_NONE + 1; i < CORE_REASON_COUNT; i++)
		if (r->counters[COUNTER_EARLY + i])
			fprintf(stderr, "softlbr:   %llu traces cut: %s\n",
				(unsigned long long)r->counters[COUNTER_EARLY + i],
				core_reason_text(i));
}

/* Where the time went, of what we can see ourselves: the kernel's part of a stop is not in it. */
static void print_time(const struct recorder_result *r)
{
	const uint64_t *c = r->counters;
	double traces = c[COUNTER_TRACES] ? (double)c[COUNTER_TRACES] : 1;
	double handler_us = (double)c[COUNTER_HANDLER_NS] / 1e3;
	double decode_us = (double)c[COUNTER_DECODE_TICKS] * r->tick_ns / 1e3;

	fprintf(stderr,
		"softlbr:   %.1f us per trace in the handler (%.1f of it decoding), %.0f "
		"instructions, %.1f pages\n",
		handler_us / traces, decode_us / traces, (double)c[COUNTER_EVALUATED] / traces,
		(double)c[COUNTER_PAGES] / traces);
}

/* How the traces came about: without a breakpoint, by how many stops, and how sure. */
static void print_lookahead(const uint64_t *c)
{
	uint64_t traces = c[COUNTER_TRACES] ? c[COUNTER_TRACES] : 1;

	fprintf(stderr,
		"softlbr:   %.1f %% of traces without a breakpoint, %.2f breakpoints per trace",
		100.0 * (double)c[COUNTER_BREAKPOINT_FREE] / (double)traces,
		(double)(c[COUNTER_HITS] - c[COUNTER_AUDITS]) / (double)traces);
	if (c[COUNTER_AUDITS])
		fprintf(stderr, "; %llu of %llu audited traces wrong",
			(unsigned long long)c[COUNTER_AUDITS_WRONG],
			(unsigned long long)c[COUNTER_AUDITS]);
	fputc('\n', stderr);
}

static void print_summary(const struct arguments *a, const struct recorder_result *r)
{
	const uint64_t *c = r->counters;

	fprintf(stderr,
		"softlbr: %llu traces, %llu taken branches, %llu samples (%s, period %llu, depth "
		"%u%s), %u process%s -> %s\n",
		(unsigned long long)c[COUNTER_TRACES], (unsigned long long)c[COUNTER_BRANCHES],
		(unsigned long long)c[COUNTER_SAMPLES], a->o.session.event.name,
		(unsigned long long)a->o.session.period, a->o.session.depth,
		a->o.session.depth_auto ? " by auto" : "", r->processes,
		r->processes == 1 ? "" : "es",
		a->aggregate.directory ? a->aggregate.directory : a->o.output);
	if (a->aggregate.directory)
		record_aggregate_print(&a->aggregate);
	print_lookahead(c);
	print_time(r);
	print_losses(r);
	if (r->refused)
		fprintf(stderr,
			"softlbr: the events of %llu threads were refused, which are not in the "
			"recording: %s\n",
			(unsigned long long)c[COUNTER_THREADS_FAILED], strerror(r->refused));
	if (!r->processes && !a->attach)
		fprintf(stderr,
			"softlbr: warning: the collector was not loaded into the command; "
			"is it static, setuid, has it a limit of file sizes (ulimit -f), or "
			"does it clear its environment?\n");
	else if (!c[COUNTER_TRACES])
		fprintf(stderr,
			"softlbr: warning: nothing was recorded in %.3f s of CPU time; run longer, "
			"or sample more often with -c\n",
			(double)r->cpu_ns / 1e9);
}

static void print_failure(const struct arguments *a, const struct recorder_result *r,
			  const char *why)
{
	unsigned long long traces = r->counters[COUNTER_TRACES];

	fprintf(stderr, "softlbr record: %s\n", why);
	if (traces && r->bytes)
		fprintf(stderr,
			"softlbr record: %s holds what had been recorded by then, of %llu traces; "
			"the program went on without\n",
			a->o.output, traces);
}

/* What the collector can't see of itself is measured on this machine, now that it is free. */
static int write_stats(const struct arguments *a, const struct recorder_result *r,
		       struct softlbr_error *e)
{
	struct softlbr_error why = {0};
	struct calibration cost = {0};
	struct json_node *node;
	bool measured = !calibration_sample(&cost, &a->o.session.event, &why) &&
			!calibration_breakpoint(&cost, &why);
	int rc;

	if (!measured)
		fprintf(stderr, "softlbr: warning: no estimates in %s: %s\n", a->stats, why.text);
	node = stats_node(&a->o, r, measured ? &cost : NULL);
	rc = json_node_save(node, a->stats, e);
	json_node_free(node);
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

const struct argp cli_record_argp = {
	options,
	parse,
	"[--] COMMAND [ARGUMENT...]",
	"Run COMMAND with the collector preloaded and write its software branch traces to "
	"perf.data.\v"
	"The command's output and exit status pass through; 128+N if signal N ended it; 125 if "
	"softlbr failed, 126 and 127 if the command could not be run.",
	NULL,
	NULL,
	NULL};

int cli_record(int argc, char **argv)
{
	struct arguments a = {
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
	struct softlbr_error e = {0};
	struct recorder_result result = {0};
	int rc = 0;

	cli_parse(&cli_record_argp, argc, argv, CLI_OPERANDS_A_COMMAND, STATUS_SOFTLBR_FAILED, &a);
	/* before the old recording becomes FILE.old */
	result.exec_errno = a.o.pid ? 0 : command_errno(a.o.command[0]);
	if (!result.exec_errno && prepare(&a, library, &e)) {
		cli_print_error("record", &e);
		return STATUS_SOFTLBR_FAILED;
	}
	if (!result.exec_errno)
		rc = a.attach ? attach_run(&a.o, &result, &e) : recorder_run(&a.o, &result, &e);
	if (result.exec_errno) {
		fprintf(stderr, "softlbr record: cannot run %s: %s\n", a.o.command[0],
			strerror(result.exec_errno));
		return status_of(&result);
	}
	if (rc)
		print_failure(&a, &result, e.text);
	else
		print_summary(&a, &result);
	if (!rc && a.stats && write_stats(&a, &result, &e)) {
		cli_print_error("record", &e);
		rc = -SOFTLBR_E_SYSTEM;
	}
	accumulate_close(&a.aggregate);
	return rc ? STATUS_SOFTLBR_FAILED : status_of(&result);
}
