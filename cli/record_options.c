/* SPDX-License-Identifier: MIT */
/* What softlbr record can be asked for: its options, and what is wrong with them. */
#include "cli/record.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "collector/engine/trace.h"

/* Of a trace, by --values or --times alone. */
#define VALUES_DEFAULT 64u

/* By their enum. */
static const char *const corrections[] = {[CORRECTION_OFF] = "off",
					  [CORRECTION_MODEL] = "model",
					  [CORRECTION_PROBE] = "probe",
					  [CORRECTION_AUTO] = "auto",
					  NULL};

/* 100 is never reached, and a half is nothing to wait for. */
#define UNTIL_LEAST 50.0
#define UNTIL_MOST  99.9

static error_t take_tasks(void *selection, const struct option_row *o, char *text,
			  struct argp_state *state)
{
	struct selection *s = selection;

	if (s->tasks.count && s->threads != o->value)
		argp_error(state, "give -p or -t, not both");
	s->threads = o->value;
	if (selection_add_tasks(s, text))
		argp_error(state, "--%s %s: give a number from 1 to %d, or several, such as 12,34",
			   o->name, text, INT_MAX);
	return 0;
}

static error_t take_filter(void *text_at, const struct option_row *o, char *text,
			   struct argp_state *state)
{
	if (!*text)
		argp_error(state, "--%s: give a %s", o->name, o->noun);
	*(const char **)text_at = text;
	return 0;
}

/* What other recorders have, and there is not: the row's help says what to do instead. */
static error_t refuse(void *arguments, const struct option_row *o, char *text,
		      struct argp_state *state)
{
	(void)arguments;
	(void)text;
	argp_error(state, "%s", o->help);
	return 0;
}

static error_t take_depth(void *session, const struct option_row *o, char *text,
			  struct argp_state *state)
{
	struct session_options *s = session;

	s->depth_auto = !strcmp(text, "auto");
	if (!s->depth_auto)
		s->depth = (uint32_t)options_number(o, text, state);
	return 0;
}

static error_t take_branches(void *filter, const struct option_row *o, char *text,
			     struct argp_state *state)
{
	const char *wrong;

	if (trace_filter_read(text, filter, &wrong))
		return 0;
	argp_error(state,
		   "--%s %s: `%s` is unknown, or can't be with the words before it: give %s, a "
		   "list of them, or perf's any_call, any_ret, ind_call, ind_jmp, u",
		   o->name, text, wrong, o->argument);
	return EINVAL;
}

static error_t take_stack_copy(void *arguments, const struct option_row *o, char *text,
			       struct argp_state *state)
{
	struct record_arguments *a = arguments;

	a->asked.session.stack_copy = (uint32_t)options_number(o, text, state) << 10;
	a->asked.stack_copy_given = true;
	return 0;
}

static error_t take_budget(void *budget, const struct option_row *o, char *text,
			   struct argp_state *state)
{
	char *end;
	double percent = strtod(text, &end), least = 100.0 * BUDGET_LEAST / BUDGET_WHOLE;

	if (end == text || *end || !(percent >= least && percent <= 100))
		argp_error(state, "--%s %s: give a percentage from %g to 100, such as 2", o->name,
			   text, least);
	*(uint32_t *)budget = (uint32_t)(percent / 100 * BUDGET_WHOLE + 0.5);
	return 0;
}

static error_t take_duration(void *ns, const struct option_row *o, char *text,
			     struct argp_state *state)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
	const char *at = text;
	double sum = 0;

	do { /* 1h30m has two parts */
		char *end;
		double value = strtod(at, &end), factor = *end || at != text ? 0 : 1e9;

		for (size_t i = 0; i < sizeof(units) / sizeof(units[0]) && !factor; i++)
			if (!strncmp(end, units[i].unit, strlen(units[i].unit))) {
				factor = units[i].ns;
				end += strlen(units[i].unit);
			}
		if (end == at || !(value >= 0) || !factor)
			argp_error(state,
				   "--%s %s: give a time with a unit of ms, s, m or h, such as 5s "
				   "or 1h30m",
				   o->name, text);
		sum += value * factor;
		at = end;
	} while (*at);
	if (sum >= 1e18)
		argp_error(state, "--%s %s: the time overflows; give less than 1000000000s",
			   o->name, text);
	*(uint64_t *)ns = (uint64_t)sum;
	return 0;
}

static error_t take_until(void *noise, const struct option_row *o, char *text,
			  struct argp_state *state)
{
	char *end;
	double percent = strtod(text, &end);

	if (end == text || *end || !(percent >= UNTIL_LEAST && percent <= UNTIL_MOST))
		argp_error(state, "--%s %s: give a percentage from %g to %g, such as 98", o->name,
			   text, UNTIL_LEAST, UNTIL_MOST);
	*(double *)noise = 1 - percent / 100;
	return 0;
}

static error_t record_end_options(void *arguments, struct argp_state *state)
{
	struct record_arguments *a = arguments;

	bool attaches = selection_is_any(&a->o.selection);

	if (attaches && a->o.command)
		argp_error(state, "give running processes or a command, not both");
	if (a->o.selection.threads && selection_is_open(&a->o.selection))
		argp_error(state, "--name and --cgroup select processes: give -p instead of -t");
	if (!attaches && !a->o.command)
		argp_error(state, "give the command to record");
	if (!attaches && a->o.selection.alone)
		argp_error(state, "--no-children is for -p, -t, --name and --cgroup");
	if (a->asked.period && a->asked.frequency)
		argp_error(state, "give -c or -F, not both");
	if (attaches && a->asked.side == PLAN_INSIDE)
		argp_error(state,
			   "running processes are recorded from outside: omit --outside never");
	a->aggregate.force = a->force;
	return 0;
}

static const struct option_row rows[] = {
	{.help = "What to record:"},
	{"pid", 'p', "PID[,PID...]",
	 "Record this running process instead of a command, with all that it started and will start; "
	 "or several",
	 OPTION_BY(take_tasks, struct record_arguments, o.selection)},
	{"tid", 't', "TID[,TID...]",
	 "Record this running thread, and the threads and processes that it makes; or several",
	 OPTION_BY(take_tasks, struct record_arguments, o.selection), .value = true},
	{"name", 0, "PATTERN",
	 "Record the running processes of yours (root: all) whose name or program's file name matches "
	 "PATTERN, such as 'shop*', those that come later, and what they start",
	 OPTION_BY(take_filter, struct record_arguments, o.selection.name), .noun = "pattern"},
	{"cgroup", 0, "PATH",
	 "Record the processes in this control group and in those below it, those that come later, and "
	 "what they start: of a container, or a service of systemd",
	 OPTION_BY(take_filter, struct record_arguments, o.selection.cgroup), .noun = "path"},
	{"no-children", 0, NULL, "Without the children of the running processes that are named",
	 OPTION_SWITCH, OPTION_AT(struct record_arguments, o.selection.alone)},
	{"outside", 0, "auto|never|always",
	 "Record the command from outside, as -p does: auto (the default) where it cannot be "
	 "recorded from inside, never (it is refused then), always",
	 OPTION_CHOICE, OPTION_AT(struct record_arguments, asked.side)},
	{"ptrace", 0, NULL, "The same as --outside=always", OPTION_SWITCH,
	 OPTION_AT(struct record_arguments, asked.side), .value = PLAN_OUTSIDE},
	{"all-cpus", 'a', NULL,
	 "-a: software branch records are made inside the recorded program, or by tracing it, so a "
	 "whole system can't be recorded; give a command, -p PID with all that this process started, "
	 "--name=PATTERN, or --cgroup=PATH (where the CPU has branch records: perf record -a -b, which "
	 "softlbr convert reads)",
	 OPTION_CALL, .call = refuse, .flags = OPTION_HIDDEN},
	{"call-graph", 'g', NULL,
	 "-g: traces tell the callers that they return to; --stack-copy records all of them, "
	 "--branches=stack call stacks alone",
	 OPTION_CALL, .call = refuse, .flags = OPTION_HIDDEN},
	{"branch-any", 'b', NULL, "-b is not needed: taken branches are always recorded",
	 OPTION_CALL, .call = refuse, .flags = OPTION_HIDDEN},
	{.help = "Sampling:"},
	{"event", 'e', "EVENT",
	 "Sampling event: auto (the default: the best that this machine has), branches, "
	 "instructions, cycles, task-clock, rHEX, PMU/TERM=VALUE/",
	 OPTION_TEXT, OPTION_AT(struct record_arguments, asked.event)},
	{"period", 'c', "PERIOD",
	 "Mean sampling period (randomised): a number of events, or a time with a unit (us, ms, s); "
	 "default 10ms of CPU time",
	 OPTION_TEXT, OPTION_AT(struct record_arguments, asked.period)},
	{"freq", 'F', "N", "Samples per second of CPU time, instead of -c", OPTION_TEXT,
	 OPTION_AT(struct record_arguments, asked.frequency)},
	{"budget", 0, "PERCENT",
	 "What recording may cost, in percent of the program's CPU time (0.1 to 100, default 4, of running processes 3): "
	 "samples are rarer than asked for where they would cost more",
	 OPTION_BY(take_budget, struct record_arguments, asked.session.budget)},
	{"depth", 'n', "N",
	 "Taken branches per sample (default 2048 by time, 4096 where nothing has to be stopped for, "
	 "fewer where threads write what others read; 16 with an event of a PMU); "
	 "auto: as many as look-ahead follows in the time that a sample costs here",
	 OPTION_BY(take_depth, struct record_arguments, asked.session), .least = 1,
	 .most = TRACE_DEPTH_MAX},
	{"timer-correction", 0, "auto|model|probe|off",
	 "Correct timer bias by weighting each trace by its branch rate: model, estimated from "
	 "what look-ahead evaluates; probe, also measured on the program; off; auto (the "
	 "default): probe for time-based events",
	 OPTION_CHOICE, OPTION_AT(struct record_arguments, asked.session.correction),
	 .words = corrections},
	{"branches", 'j', "any|call|return|cond|indirect|stack",
	 "Record these taken branches alone, one kind or several (call,return), by perf's names too; "
	 "stack: calls that have not returned. Profiles for compilers need any (the default)",
	 OPTION_BY(take_branches, struct record_arguments, asked.session.branches)},
	{"values", 0, "K",
	 "Also record values that the traces reach: arguments of calls, divisors of divisions; at "
	 "most K of a trace (default 64), for softlbr show",
	 OPTION_NUMBER, OPTION_AT(struct record_arguments, asked.session.values), .least = 1,
	 .most = SITE_VALUES_MOST, .value = VALUES_DEFAULT, .flags = OPTION_ARG_OPTIONAL},
	{"times", 0, "K",
	 "Also record times: of each trace by the model and by the program, and of look-ahead's first "
	 "loads of at most K cache lines of a trace (default 64), for the view of latency of softlbr "
	 "report",
	 OPTION_NUMBER, OPTION_AT(struct record_arguments, asked.session.times), .least = 1,
	 .most = LOAD_TIMES_MOST, .value = VALUES_DEFAULT, .flags = OPTION_ARG_OPTIONAL},
	{"stack-copy", 0, "KIB",
	 "Also copy the stack where a trace begins, at most KIB KiB (1 to 63), so that softlbr report "
	 "and perf know all callers: what is in it is in the recording. With --branches=stack 8 by "
	 "default; 0: none",
	 OPTION_CALL, .call = take_stack_copy, .least = 0, .most = PERFDATA_STACK_BYTES_MAX >> 10},
	{.help = "Output:"},
	{"output", 'o', "FILE",
	 "Recording to write (default perf.data; an old one is kept as FILE.old); - is standard "
	 "output, as a pipe to convert or perf: the command's own goes to standard error",
	 OPTION_TEXT, OPTION_AT(struct record_arguments, o.output)},
	{"force", 0, NULL,
	 "Replace FILE even if it is no recording (it is kept as FILE.old), or no such statistics",
	 OPTION_SWITCH, OPTION_AT(struct record_arguments, force)},
	{"keep-binaries", 0, NULL,
	 "Copy recorded programs and libraries to .build-id beside FILE, where convert, report, check "
	 "and show find them when they were built again",
	 OPTION_SWITCH, OPTION_AT(struct record_arguments, o.keeps_binaries)},
	{"stack", 0, "N",
	 "Most branches in one sample record (default 127, the most that perf report reads); longer "
	 "traces are split into several records",
	 OPTION_NUMBER, OPTION_AT(struct record_arguments, asked.session.stack), .least = 2,
	 .most = PERFDATA_SAMPLE_BRANCHES_MAX},
	{"stats", 0, "FILE",
	 "Write all that was counted, and where the time went, as JSON (the manual has the names)",
	 OPTION_TEXT, OPTION_AT(struct record_arguments, stats)},
	{"aggregate", 0, "DIR",
	 "Keep counts of branches and ranges instead of traces, and write them as DIR/MODULE.preagg",
	 OPTION_TEXT, OPTION_AT(struct record_arguments, aggregate.directory)},
	{"aggregate-size", 0, "MIB",
	 "With --aggregate: count whenever so much was recorded (default 64)", OPTION_NUMBER,
	 OPTION_AT(struct record_arguments, aggregate_mib), .least = 1, .most = 1 << 20},
	{"aggregate-max", 0, "N",
	 "With --aggregate: keep at most N distinct branches and ranges (default 4000000)",
	 OPTION_NUMBER, OPTION_AT(struct record_arguments, aggregate.entries_most), .least = 1,
	 .most = INT_MAX},
	{"quiet", 'q', NULL, "Print nothing but errors", OPTION_SWITCH,
	 OPTION_AT(struct record_arguments, quiet)},
	{"verbose", 'v', NULL, "Print how the samples came about, and what was lost", OPTION_SWITCH,
	 OPTION_AT(struct record_arguments, verbose)},
	{.help = "When to record:"},
	{"delay", 0, "TIME", "Start recording this long after the command started",
	 OPTION_BY(take_duration, struct record_arguments, o.control.delay_ns)},
	{"duration", 0, "TIME", "Stop recording after this long; the command goes on",
	 OPTION_BY(take_duration, struct record_arguments, o.control.duration_ns)},
	{"until", 0, "PERCENT",
	 "Stop recording when chance costs no more than what is missing to PERCENT (50 to 99.9, such "
	 "as 98) of the overlap with a recording without end; the command goes on",
	 OPTION_BY(take_until, struct record_arguments, o.convergence.noise)},
	{"on", 0, "TIME", "With --off: a duty cycle, record this long at a time",
	 OPTION_BY(take_duration, struct record_arguments, o.control.on_ns)},
	{"off", 0, "TIME", "With --on: pause this long in between",
	 OPTION_BY(take_duration, struct record_arguments, o.control.off_ns)},
	{"control", 0, "SOCKET",
	 "Listen on this socket, through which `softlbr control` starts, stops and rotates the "
	 "recording",
	 OPTION_TEXT, OPTION_AT(struct record_arguments, o.control.socket_path)},
	{"signals", 0, NULL,
	 "SIGUSR1 switches the recording off and on, SIGUSR2 begins a new file, instead of being "
	 "passed on to the command",
	 OPTION_SWITCH, OPTION_AT(struct record_arguments, o.control.signals)},
	{.help = "Tuning and research:"},
	{"lookahead", 0, "full|static|off",
	 "full (the default): evaluate instructions ahead; static: only decode them; off: a breakpoint "
	 "at every branch",
	 OPTION_CHOICE, OPTION_AT(struct record_arguments, asked.session.lookahead)},
	{"memory", 0, "probe|readv",
	 "How look-ahead reads memory: probe (the default) asks once per page and loads in place, "
	 "while the thread has the memory to itself; readv has the kernel copy pages",
	 OPTION_CHOICE, OPTION_AT(struct record_arguments, asked.session.memory)},
	{"audit", 0, "N",
	 "Check the end of one trace in N against the program (default 64; 0: none)", OPTION_NUMBER,
	 OPTION_AT(struct record_arguments, asked.session.audit), .most = UINT32_MAX},
	{"buffers", 0, "N", "At most N trace buffers per process (default 128)", OPTION_NUMBER,
	 OPTION_AT(struct record_arguments, asked.session.chunk_count), .least = 4, .most = 65536},
	{"buffer-size", 0, "KIB",
	 "Size of a trace buffer (default 16, or as much as half of the longest trace needs)",
	 OPTION_NUMBER, OPTION_AT(struct record_arguments, asked.session.chunk_bytes), .least = 4,
	 .most = 16384, .unit = 1024},
	{0},
};

const struct option_table cli_record_options = {
	.rows = rows,
	.operands =
		"[--] COMMAND [ARGUMENT...]\n-p PID[,PID...] | -t TID[,TID...]\n--name=PATTERN | --cgroup=PATH",
	.doc = "Run COMMAND with the collector preloaded and write its software branch traces to "
	       "perf.data.\v"
	       "The command's output and exit status pass through; 128+N if signal N ended it; 125 if "
	       "softlbr failed, 126 and 127 if the command could not be run. Of running processes: 4 if nothing was recorded, else 0.",
	OPTION_COMMAND_AT(struct record_arguments, o.command),
	.usage_status = STATUS_SOFTLBR_FAILED,
	.gives = true,
	.end = record_end_options,
};
