/* SPDX-License-Identifier: MIT */
/* What softlbr record can be asked for: its options, and what is wrong with them. */
#include "cli/record.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "collector/engine/trace_filter.h"
#include "collector/engine/core.h"
#include "collector/engine/memory_reader.h"
#include "collector/machine/rate_measure.h"

enum {
	OPTION_DELAY = 0x100,
	OPTION_DURATION,
	OPTION_UNTIL,
	OPTION_LOOKAHEAD,
	OPTION_STACK,
	OPTION_BUFFERS,
	OPTION_BUFFER_SIZE,
	OPTION_AGGREGATE,
	OPTION_AGGREGATE_SIZE,
	OPTION_AGGREGATE_MAX,
	OPTION_AUDIT,
	OPTION_MEMORY,
	OPTION_TIMER_CORRECTION,
	OPTION_VALUES,
	OPTION_STACK_COPY,
	OPTION_TIMES,
	OPTION_BRANCHES,
	OPTION_STATS,
	OPTION_OUTSIDE,
	OPTION_PTRACE,
	OPTION_ON,
	OPTION_OFF,
	OPTION_CONTROL,
	OPTION_SIGNALS,
	OPTION_FORCE,
};

/* Of a trace, by --values or --times alone. */
#define VALUES_DEFAULT 64u

static const struct argp_option options[] = {
	{NULL, 0, NULL, 0, "What to record:", 1},
	{"pid", 'p', "PID", 0, "Record this running process instead of a command", 1},
	{"tid", 't', "TID", 0, "Record this running thread, and those that it makes", 1},
	{"outside", OPTION_OUTSIDE, "auto|never|always", 0,
	 "Record the command from outside, as -p does: auto (the default) where it cannot be "
	 "recorded from inside, never (it is refused then), always",
	 1},
	{"ptrace", OPTION_PTRACE, NULL, 0, "The same as --outside=always", 1},
	{"all-cpus", 'a', NULL, OPTION_HIDDEN, NULL, 1},

	{NULL, 0, NULL, 0, "Sampling:", 2},
	{"event", 'e', "EVENT", 0,
	 "Sampling event: auto (the default: the best that this machine has), branches, "
	 "instructions, cycles, task-clock, rHEX, PMU/TERM=VALUE/",
	 2},
	{"period", 'c', "PERIOD", 0,
	 "Mean sampling period (randomised): a number of events, or a time with a unit (us, ms, s); "
	 "default 25ms of CPU time",
	 2},
	{"freq", 'F', "N", 0, "Samples per second of CPU time, instead of -c", 2},
	{"depth", 'n', "N", 0,
	 "Taken branches per sample (default 2048 by time, 4096 where nothing has to be stopped for, "
	 "fewer where threads write what others read; 16 with -c, -F or an event "
	 "of a PMU); auto: as many as look-ahead follows in the time that a sample costs here",
	 2},
	{"timer-correction", OPTION_TIMER_CORRECTION, "auto|model|probe|off", 0,
	 "Correct timer bias by weighting each trace by its branch rate: model, estimated from "
	 "what look-ahead evaluates; probe, also measured on a part of each trace; off; auto (the "
	 "default): probe for time-based events, unless -c or -F is given without -n, "
	 "or an -n below 512",
	 2},
	{"branches", OPTION_BRANCHES, "any|call|return|cond|indirect|stack", 0,
	 "Record these taken branches alone; stack: calls that have not returned. Profiles for "
	 "compilers need any (the default)",
	 2},
	{"values", OPTION_VALUES, "K", OPTION_ARG_OPTIONAL,
	 "Also record values that the traces come by: arguments of calls, divisors of divisions; at "
	 "most K of a trace (default 64), for softlbr show",
	 2},
	{"times", OPTION_TIMES, "K", OPTION_ARG_OPTIONAL,
	 "Also record times: of each trace by the model and by the program, and of look-ahead's first "
	 "loads of at most K cache lines of a trace (default 64), for the view of latency of softlbr "
	 "report",
	 2},
	{"stack-copy", OPTION_STACK_COPY, "KIB", 0,
	 "Also copy the stack where a trace begins, at most KIB KiB (1 to 63), so that softlbr report "
	 "and perf know all callers: what is in it is in the recording",
	 2},

	{NULL, 0, NULL, 0, "Output:", 3},
	{"output", 'o', "FILE", 0,
	 "Recording to write (default perf.data; an old one is kept as FILE.old); - is standard "
	 "output, as a pipe to convert or perf: the command's own goes to standard error",
	 3},
	{"force", OPTION_FORCE, NULL, 0,
	 "Replace FILE even if it is no recording (it is kept as FILE.old), or no such statistics",
	 3},
	{"stack", OPTION_STACK, "N", 0,
	 "Most branches in one sample record (default 127, the most that perf report reads); longer "
	 "traces are split into several records",
	 3},
	{"stats", OPTION_STATS, "FILE", 0,
	 "Write all that was counted, and where the time went, as JSON (the manual has the names)",
	 3},
	{"aggregate", OPTION_AGGREGATE, "DIR", 0,
	 "Keep counts of branches and ranges instead of traces, and write them as DIR/MODULE.preagg",
	 3},
	{"aggregate-size", OPTION_AGGREGATE_SIZE, "MIB", 0,
	 "With --aggregate: count whenever so much was recorded (default 64)", 3},
	{"aggregate-max", OPTION_AGGREGATE_MAX, "N", 0,
	 "With --aggregate: keep at most N distinct branches and ranges (default 4000000)", 3},
	{"quiet", 'q', NULL, 0, "Print nothing but errors", 3},
	{"verbose", 'v', NULL, 0, "Print how the samples came about, and what was lost", 3},

	{NULL, 0, NULL, 0, "When to record:", 4},
	{"delay", OPTION_DELAY, "TIME", 0, "Start recording this long after the command started",
	 4},
	{"duration", OPTION_DURATION, "TIME", 0,
	 "Stop recording after this long; the command goes on", 4},
	{"until", OPTION_UNTIL, "PERCENT", 0,
	 "Stop recording when chance costs no more than what is missing to PERCENT (50 to 99.9, such "
	 "as 98) of the overlap with a recording without end; the command goes on",
	 4},
	{"on", OPTION_ON, "TIME", 0, "With --off: a duty cycle, record this long at a time", 4},
	{"off", OPTION_OFF, "TIME", 0, "With --on: pause this long in between", 4},
	{"control", OPTION_CONTROL, "SOCKET", 0,
	 "Listen on this socket, through which `softlbr control` starts, stops and rotates the "
	 "recording",
	 4},
	{"signals", OPTION_SIGNALS, NULL, 0,
	 "SIGUSR1 switches the recording off and on, SIGUSR2 begins a new file, instead of being "
	 "passed on to the command",
	 4},

	{NULL, 0, NULL, 0, "Tuning and research:", 5},
	{"lookahead", OPTION_LOOKAHEAD, "full|static|off", 0,
	 "full (the default): evaluate instructions ahead; static: only decode them; off: a breakpoint "
	 "at every branch",
	 5},
	{"memory", OPTION_MEMORY, "probe|readv", 0,
	 "How look-ahead reads memory: probe (the default) asks once per page and loads in place, "
	 "while the thread has the memory to itself; readv has the kernel copy pages",
	 5},
	{"audit", OPTION_AUDIT, "N", 0,
	 "Check the end of one trace in N against the program (default 64; 0: none)", 5},
	{"buffers", OPTION_BUFFERS, "N", 0, "At most N trace buffers per process (default 128)", 5},
	{"buffer-size", OPTION_BUFFER_SIZE, "KIB", 0,
	 "Size of a trace buffer (default 16, or as much as half of the longest trace needs)", 5},
	{0},
};

static void parse_number(struct argp_state *state, const char *what, const char *text,
			 unsigned long low, unsigned long high, uint32_t *out)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno == ERANGE)
		argp_error(state, "%s %s: the number overflows; give one from %lu to %lu", what,
			   text, low, high);
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

	if (end != text && value >= 1e9)
		argp_error(state, "%s %s: the time overflows; give less than 1000000000s", what,
			   text);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (end != text && value >= 0 && !strcmp(end, units[i].unit)) {
			*out = (uint64_t)(value * units[i].ns);
			return;
		}
	argp_error(state, "%s %s: give a time with a unit of ms, s or m, such as 5s or 200ms", what,
		   text);
}

/* 100 is never reached, and a half is nothing to wait for. */
#define UNTIL_LEAST 50.0
#define UNTIL_MOST  99.9

static void parse_until(struct argp_state *state, const char *text, double *noise)
{
	char *end;
	double percent = strtod(text, &end);

	if (end == text || *end || !(percent >= UNTIL_LEAST && percent <= UNTIL_MOST))
		argp_error(state, "--until %s: give a percentage from %g to %g, such as 98", text,
			   UNTIL_LEAST, UNTIL_MOST);
	*noise = 1 - percent / 100;
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

static void parse_branches(struct argp_state *state, const char *text, uint32_t *out)
{
	for (*out = TRACE_ALL; *out < TRACE_FILTERS; ++*out)
		if (!strcmp(text, trace_filter_text((enum trace_filter) * out)))
			return;
	argp_error(state, "--branches %s: give any, call, return, cond, indirect or stack", text);
}

static void parse_timer_correction(struct argp_state *state, const char *text, uint32_t *out)
{
	for (*out = CORRECTION_OFF; *out <= CORRECTION_AUTO; ++*out)
		if (!strcmp(text, rate_method_text(*out)))
			return;
	argp_error(state, "--timer-correction %s: give auto, model, probe or off", text);
}

static void parse_outside(struct argp_state *state, const char *text, enum plan_side *out)
{
	static const char *const names[] = {"auto", "never", "always"};

	for (*out = PLAN_EITHER; *out <= PLAN_OUTSIDE; ++*out)
		if (!strcmp(text, names[*out]))
			return;
	argp_error(state, "--outside %s: give auto, never or always", text);
}

static void parse_depth(struct argp_state *state, const char *text, struct session_options *s)
{
	s->depth_auto = !strcmp(text, "auto");
	if (!s->depth_auto)
		parse_number(state, "--depth", text, 1, TRACE_DEPTH_MAX, &s->depth);
}

static void parse_process(struct argp_state *state, int key, const char *text,
			  struct recorder_options *o)
{
	uint32_t pid;

	if (o->pid)
		argp_error(state, "give one -p PID or -t TID: one process is recorded at a time");
	parse_number(state, key == 't' ? "--tid" : "--pid", text, 1, INT_MAX, &pid);
	o->pid = (pid_t)pid;
	o->only_thread = key == 't';
}

/* A buffer's records, a file's parts: how much, not what. */
static error_t parse_sizes(int key, char *text, struct argp_state *state)
{
	struct record_arguments *a = state->input;
	struct session_options *s = &a->asked.session;
	uint32_t most;

	switch (key) {
	case OPTION_STACK:
		parse_number(state, "--stack", text, 2, PERFDATA_SAMPLE_BRANCHES_MAX, &s->stack);
		break;
	case OPTION_BUFFERS:
		parse_number(state, "--buffers", text, 4, 65536, &s->chunk_count);
		break;
	case OPTION_BUFFER_SIZE:
		parse_number(state, "--buffer-size", text, 4, 16384, &s->chunk_bytes);
		s->chunk_bytes *= 1024;
		break;
	case OPTION_AGGREGATE_SIZE:
		parse_number(state, "--aggregate-size", text, 1, 1 << 20, &a->aggregate_mib);
		break;
	case OPTION_AGGREGATE_MAX:
		parse_number(state, "--aggregate-max", text, 1, INT_MAX, &most);
		a->aggregate.entries_most = most;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t parse_times(int key, char *text, struct argp_state *state)
{
	struct record_arguments *a = state->input;
	struct control_options *o = &a->o.control;

	switch (key) {
	case OPTION_UNTIL:
		parse_until(state, text, &a->o.convergence.noise);
		break;
	case OPTION_DELAY:
		duration(state, "--delay", text, &o->delay_ns);
		break;
	case OPTION_DURATION:
		duration(state, "--duration", text, &o->duration_ns);
		break;
	case OPTION_ON:
		duration(state, "--on", text, &o->on_ns);
		break;
	case OPTION_OFF:
		duration(state, "--off", text, &o->off_ns);
		break;
	case OPTION_CONTROL:
		o->socket_path = text;
		break;
	case OPTION_SIGNALS:
		o->signals = true;
		break;
	default:
		return parse_sizes(key, text, state);
	}
	return 0;
}

static error_t parse_sampling(int key, char *text, struct argp_state *state)
{
	struct record_arguments *a = state->input;
	struct session_options *s = &a->asked.session;

	switch (key) {
	case 'e':
		a->asked.event = text;
		break;
	case 'c':
		a->asked.period = text;
		break;
	case 'F':
		a->asked.frequency = text;
		break;
	case 'n':
		parse_depth(state, text, s);
		break;
	case OPTION_LOOKAHEAD:
		parse_lookahead(state, text, &s->lookahead);
		break;
	case OPTION_MEMORY:
		parse_memory_mode(state, text, &s->memory);
		break;
	case OPTION_TIMER_CORRECTION:
		parse_timer_correction(state, text, &s->correction);
		break;
	case OPTION_BRANCHES:
		parse_branches(state, text, &s->branches);
		break;
	case OPTION_VALUES:
		s->values = VALUES_DEFAULT;
		if (text)
			parse_number(state, "--values", text, 1, SITE_VALUES_MOST, &s->values);
		break;
	case OPTION_TIMES:
		s->times = VALUES_DEFAULT;
		if (text)
			parse_number(state, "--times", text, 1, LOAD_TIMES_MOST, &s->times);
		break;
	case OPTION_STACK_COPY:
		parse_number(state, "--stack-copy", text, 1, PERFDATA_STACK_BYTES_MAX >> 10,
			     &s->stack_copy);
		s->stack_copy <<= 10;
		break;
	case OPTION_AUDIT:
		parse_number(state, "--audit", text, 0, UINT32_MAX, &s->audit);
		break;
	default:
		return parse_times(key, text, state);
	}
	return 0;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct record_arguments *a = state->input;

	switch (key) {
	case 'p':
	case 't':
		parse_process(state, key, text, &a->o);
		break;
	case 'a':
		argp_error(
			state,
			"-a: software branch records are made inside the recorded program, or by "
			"tracing it, so a whole system can't be recorded; give a command or -p "
			"PID (where the CPU has branch records: perf record -a -b, which softlbr "
			"convert reads)");
		break;
	case OPTION_OUTSIDE:
		parse_outside(state, text, &a->asked.side);
		break;
	case OPTION_PTRACE:
		a->asked.side = PLAN_OUTSIDE;
		break;
	case 'o':
		a->o.output = text;
		break;
	case OPTION_FORCE:
		a->force = a->aggregate.force = true;
		break;
	case OPTION_STATS:
		a->stats = text;
		break;
	case OPTION_AGGREGATE:
		a->aggregate.directory = text;
		break;
	case 'q':
		a->quiet = true;
		break;
	case 'v':
		a->verbose = true;
		break;
	case ARGP_KEY_ARGS:
		if (a->o.pid)
			argp_error(state, "give -p, -t or a command, not two of them");
		a->o.command = state->argv + state->next;
		break;
	case ARGP_KEY_NO_ARGS:
		if (!a->o.pid)
			argp_error(state, "give the command to record");
		break;
	case ARGP_KEY_END:
		if (a->asked.period && a->asked.frequency)
			argp_error(state, "give -c or -F, not both");
		if (a->o.pid && a->asked.side == PLAN_INSIDE)
			argp_error(state, "-p and -t record from outside: omit --outside never");
		break;
	default:
		return parse_sampling(key, text, state);
	}
	return 0;
}

const struct argp cli_record_argp = {
	options,
	parse,
	"[--] COMMAND [ARGUMENT...]\n-p PID | -t TID",
	"Run COMMAND with the collector preloaded and write its software branch traces to "
	"perf.data.\v"
	"The command's output and exit status pass through; 128+N if signal N ended it; 125 if "
	"softlbr failed, 126 and 127 if the command could not be run.",
	NULL,
	NULL,
	NULL};

void record_options_parse(int argc, char **argv, struct record_arguments *a)
{
	cli_parse(&cli_record_argp, argc, argv, CLI_OPERANDS_A_COMMAND, STATUS_SOFTLBR_FAILED, a);
}
