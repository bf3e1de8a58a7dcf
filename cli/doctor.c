/* SPDX-License-Identifier: MIT */
/* softlbr doctor: what this machine can do, why not, and what to do about it. */
#include "cli/cli.h"
#include "cli/record.h"
#include "cli/terminal.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "collector/machine/capabilities.h"
#include "collector/outside/attach.h"
#include "collector/recorder/command.h"

/* Bad means that nothing is left to record with. What is missing where ptrace can replace it is
 * limited. */
enum verdict { GOOD, LIMITED, BAD };

static const char *const verdict_names[] = {"good", "limited", "bad"};
static const enum color colors[] = {COLOR_GOOD, COLOR_DOUBTFUL, COLOR_BAD};

/* One line of the report. `advice` is empty where nothing needs to be done. */
struct finding {
	const char *name;
	enum verdict verdict;
	char text[256];
	char advice[320];
};

/* Fills a text of @f, which is an array: f->text or f->advice. */
#define put(field, ...) snprintf((field), sizeof(field), __VA_ARGS__)

static const char *why(int error)
{
	switch (error) {
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return "the machine (or its hypervisor) does not offer it";
	case EACCES:
	case EPERM:
		return "the kernel refuses it";
	case ENOSYS:
		return "the kernel has no perf events, or a filter hides them";
	case EINVAL:
		return "the kernel does not know it";
	default:
		return strerror(error);
	}
}

static void find_kernel(const struct capabilities *p, struct finding *f)
{
	f->name = "kernel";
	put(f->text, "Linux %s on %s", p->kernel, p->machine);
	if (!capabilities_is_own_machine(p)) {
		f->verdict = BAD;
		put(f->advice,
		    "this softlbr is built for another CPU: recording works where it runs "
		    "natively; convert recordings of hardware here");
	} else if (p->asynchronous) {
		f->verdict = LIMITED;
		put(f->advice,
		    "its perf events send no signal to the very thread that they stop (sigtrap, from "
		    "Linux 5.13 on): their file descriptors do (F_SETSIG), at twice the cost of a "
		    "stop, and a moment late, which cuts some traces");
	} else if (!p->times_lines) {
		f->verdict = LIMITED;
		put(f->advice,
		    "its clock is too coarse to tell loads from memory from those from a "
		    "cache: the timer correction goes by instructions and branches "
		    "alone");
	}
}

/* The cause of a refused perf_event_open, as far as it shows from outside. */
static void explain_refusal(const struct capabilities *p, char *advice, size_t size)
{
	if (p->sampling_error == EACCES && p->paranoid > 2 && !p->cap_perfmon)
		/* Debian's and Ubuntu's addition to the kernel; a filter says EPERM */
		snprintf(advice, size,
			 "kernel.perf_event_paranoid is %d: as root, sysctl "
			 "kernel.perf_event_paranoid=2, or give softlbr CAP_PERFMON",
			 p->paranoid);
	else if (p->seccomp_mode == 2)
		snprintf(
			advice, size,
			"a seccomp filter is active, as in a container: allow perf_event_open in its "
			"profile (docker run --security-opt seccomp=FILE, or --cap-add PERFMON)");
	else if (p->sampling_error == ENOSYS)
		snprintf(advice, size,
			 "the kernel was built without CONFIG_PERF_EVENTS, or a "
			 "sandbox hides the system call");
	else
		snprintf(advice, size,
			 "a security module or a sandbox may be the cause: try "
			 "outside of it");
}

static void find_sampling(const struct capabilities *p, struct finding *f)
{
	f->name = "sampling";
	if (p->syscall_signal) {
		f->verdict = BAD;
		put(f->text, "perf_event_open ends the caller with signal %d", p->syscall_signal);
	} else if (p->sampling_error) {
		f->verdict = BAD;
		put(f->text, "perf_event_open for task-clock: %s", strerror(p->sampling_error));
	} else if (!p->sample_count) {
		f->verdict = BAD;
		put(f->text, "the event opens but no signal came in %u ms", p->sample_ms);
	} else {
		put(f->text, "task-clock: %u signals in %u ms at 1 ms, from the %s",
		    p->sample_count, p->sample_ms,
		    p->asynchronous ? "event's file descriptor (F_SETSIG)"
				    : "event itself (sigtrap)");
	}
	if (f->verdict == BAD)
		explain_refusal(p, f->advice, sizeof(f->advice));
}

static void find_breakpoints(const struct capabilities *p, struct finding *f)
{
	f->name = "breakpoints";
	if (p->syscall_signal || p->breakpoint_error) {
		f->verdict = BAD;
		put(f->text, "cannot set one: %s",
		    why(p->syscall_signal ? EPERM : p->breakpoint_error));
		if (p->breakpoint_error == ENOSPC)
			put(f->advice, "all debug registers are taken: end the debugger that has "
				       "them");
		else
			put(f->advice, "same causes as for sampling");
	} else if (p->breakpoint_hits != p->breakpoint_calls) {
		f->verdict = BAD;
		put(f->text, "set, but hit %u times in %u calls", p->breakpoint_hits,
		    p->breakpoint_calls);
		put(f->advice, "the hypervisor does not carry debug registers into the guest: "
			       "record on another machine");
	} else {
		put(f->text, "%u slots; hit %u times in %u calls, %.1f us each",
		    p->breakpoint_slots, p->breakpoint_hits, p->breakpoint_calls, p->stop_us);
	}
}

static void find_pmu(const struct capabilities *p, struct finding *f)
{
	size_t used = 0;

	f->name = "PMU";
	for (unsigned i = 0; i < CAPABILITIES_EVENTS && used < sizeof(f->text); i++) {
		const struct capabilities_event *e = &p->events[i];
		const char *state = e->error ? "no" : e->count ? "yes" : "opens but counts nothing";

		if (!strcmp(e->name, "task-clock"))
			continue;
		used += (size_t)snprintf(f->text + used, sizeof(f->text) - used, "%s%s: %s",
					 used ? ", " : "", e->name, state);
		if (e->error || !e->count)
			f->verdict = LIMITED;
	}
	if (f->verdict == LIMITED)
		put(f->advice,
		    "%s: samples are taken by time instead, which is biased towards "
		    "high-latency code; softlbr record corrects for that",
		    why(p->events[0].error ? p->events[0].error : ENOENT));
}

static void find_branch_stack(const struct capabilities *p, struct finding *f)
{
	f->name = "LBR";
	if (!p->branch_stack_error && !p->syscall_signal) {
		put(f->text, "hardware branch stacks are there");
		put(f->advice, "perf record -b works here, and softlbr convert reads it");
		return;
	}
	f->verdict = LIMITED;
	put(f->text, "no hardware branch stack: %s", why(p->branch_stack_error));
	put(f->advice, "none is needed: softlbr record makes the stacks in software");
}

static void find_event(const struct capabilities *p, struct finding *f)
{
	f->name = "event";
	if (capabilities_can_preload(p)) {
		put(f->text, "-e auto takes %s, %s", p->chosen.name,
		    p->chosen.branches ? "which counts branches: unbiased"
		    : p->chosen.time   ? "which counts time"
				       : "which counts instructions or cycles");
	} else {
		f->verdict = BAD;
		put(f->text, "none that recording could use");
	}
}

static void find_paranoid(const struct capabilities *p, struct finding *f)
{
	f->name = "perf_event_paranoid";
	if (p->paranoid == CAPABILITIES_UNKNOWN) {
		f->verdict = LIMITED;
		put(f->text, "cannot be read");
		return;
	}
	put(f->text, "%d%s", p->paranoid,
	    p->cap_perfmon ? ", and this process has CAP_PERFMON" : "");
	if (p->paranoid > 2 && !p->cap_perfmon) {
		f->verdict = BAD;
		put(f->advice, "as root: sysctl kernel.perf_event_paranoid=2");
	}
}

static void find_seccomp(const struct capabilities *p, struct finding *f)
{
	f->name = "seccomp";
	if (p->seccomp_mode == CAPABILITIES_UNKNOWN) {
		put(f->text, "the kernel does not say");
	} else if (p->seccomp_mode == 0) {
		put(f->text, "off");
	} else {
		bool refused = p->syscall_signal || p->sampling_error;

		f->verdict = refused ? BAD : GOOD;
		put(f->text, "a filter is active%s",
		    refused ? "" : "; it lets perf_event_open pass");
		if (refused)
			put(f->advice, "see sampling");
	}
}

static void find_ptrace(const struct capabilities *p, struct finding *f)
{
	static const char *const scopes[] = {"own processes", "children", "with CAP_SYS_PTRACE",
					     "nobody"};
	bool known = p->ptrace_scope >= 0 && p->ptrace_scope <= 3;

	f->name = "ptrace";
	if (p->ptrace_error)
		put(f->text, "refused: %s", strerror(p->ptrace_error));
	else
		put(f->text, "%s; scope: %s",
		    p->attach_hit ? "works on a child, with breakpoints"
				  : "works on a child, but its breakpoint was not hit",
		    known ? scopes[p->ptrace_scope] : "not restricted by Yama");
	if (!capabilities_can_attach(p)) {
		f->verdict = LIMITED;
		put(f->advice,
		    "record -p and --ptrace need it, and static, setuid and Go programs");
	} else if (p->ptrace_scope == 1 && !p->cap_ptrace) {
		put(f->advice, "record -p of a process that softlbr did not start needs "
			       "CAP_SYS_PTRACE, or sysctl kernel.yama.ptrace_scope=0");
	} else if (p->ptrace_scope >= 2 && !p->cap_ptrace) {
		put(f->advice, "record -p needs CAP_SYS_PTRACE");
	}
}

static void find_memlock(const struct capabilities *p, struct finding *f)
{
	f->name = "locked memory";
	if (p->memlock_bytes == UINT64_MAX)
		put(f->text, "unlimited; softlbr record locks none");
	else
		put(f->text, "%" PRIu64 " KiB; softlbr record locks none", p->memlock_bytes / 1024);
}

static void (*const finders[])(const struct capabilities *p, struct finding *f) = {
	find_kernel,	   find_sampling, find_breakpoints, find_event,	 find_pmu,
	find_branch_stack, find_paranoid, find_seccomp,	    find_ptrace, find_memlock,
};

#define FINDING_COUNT (sizeof(finders) / sizeof(finders[0]))

static bool can_record(const struct capabilities *p)
{
	return capabilities_can_preload(p) || capabilities_can_attach(p);
}

static void run_finder(void (*finder)(const struct capabilities *p, struct finding *f),
		       const struct capabilities *p, struct finding *f)
{
	finder(p, f);
	if (f->verdict == BAD && can_record(p))
		f->verdict = LIMITED;
}

/* ---- a command ----------------------------------------------------------------------------- */

/* What softlbr record would do with a command: asked without running it. */
enum command_side { COMMAND_INSIDE, COMMAND_OUTSIDE, COMMAND_REFUSED };

struct doctor_command {
	const char *name;
	enum command_side how;
	char why[800]; /* "" if there is nothing to say */
	bool traces;   /* other processes */
	bool finds_leaks;
};

static const char *const side_names[] = {"inside", "outside", "refused"};
static const enum color side_colors[] = {COLOR_GOOD, COLOR_GOOD, COLOR_BAD};

/* What is found out only while the command runs. */
static const char later[] = "the programs that it starts are asked one by one, and what it does "
			    "later (dlopen, seccomp) is seen then; record names what it leaves out";

/* The side is chosen as record chooses it: by the program, then by what the machine allows. */
static void choose_side(struct doctor_command *c, const struct command_way *way,
			const struct capabilities *p)
{
	if (!way->reason && capabilities_can_preload(p))
		return;
	c->how = capabilities_can_attach(p) ? COMMAND_OUTSIDE : COMMAND_REFUSED;
	snprintf(c->why, sizeof(c->why), "%s%s",
		 way->reason ? exclusion_text(way->reason)
			     : "this machine does not allow recording from inside",
		 c->how == COMMAND_OUTSIDE ? "" : ", and the kernel refuses to trace it (ptrace)");
}

static void ask_command(struct doctor_command *c, const char *name, const struct capabilities *p)
{
	struct softlbr_error e = {0};
	char library[PATH_MAX];
	struct command_way way;
	int why = command_look(name, &way);

	*c = (struct doctor_command){.name = name};
	if (!why && way.linker[0] && !record_find_collector(library, &e))
		command_ask_libc(&way, library);
	if (why) {
		c->how = COMMAND_REFUSED;
		snprintf(c->why, sizeof(c->why), "it cannot be run: %s", strerror(why));
		return;
	}
	if (command_check(&way, &e)) {
		c->how = COMMAND_REFUSED;
		snprintf(c->why, sizeof(c->why), "%s", e.text);
		return;
	}
	c->traces = way.traces;
	c->finds_leaks = executable_finds_leaks(way.program, getpid());
	choose_side(c, &way, p);
	if (c->how == COMMAND_OUTSIDE && c->finds_leaks) {
		c->how = COMMAND_REFUSED;
		command_refuse_leaks(name, &e);
		snprintf(c->why, sizeof(c->why), "%s", e.text);
	}
}

static void print_command(const struct doctor_command *c)
{
	printf("%s%-7s%s  %s: %s%s%s\n", terminal_color(stdout, side_colors[c->how]),
	       side_names[c->how], terminal_color_end(stdout), c->name,
	       c->how == COMMAND_INSIDE	   ? "recorded from inside"
	       : c->how == COMMAND_OUTSIDE ? "recorded from outside, by ptrace"
					   : "not recorded",
	       c->why[0] ? ": " : "", c->why);
	if (c->how == COMMAND_INSIDE)
		printf("%30s%s\n", "-> ", later);
	if (c->traces)
		printf("%30sit traces other processes, which are left to it\n", "-> ");
	if (c->finds_leaks && c->how == COMMAND_INSIDE)
		printf("%30s--ptrace and -p are refused: it looks for leaks at its end, which fails "
		       "under ptrace; ASAN_OPTIONS=detect_leaks=0 lets them (LSAN_OPTIONS with "
		       "-fsanitize=leak)\n",
		       "-> ");
}

static struct json_node *command_node(const struct doctor_command *c)
{
	struct json_node *node = json_node_object();

	json_node_add_text(node, "name", c->name);
	json_node_add_text(node, "how", side_names[c->how]);
	json_node_add_text(node, "why", c->why);
	json_node_add_bool(node, "traces", c->traces);
	json_node_add_bool(node, "finds_leaks", c->finds_leaks);
	return node;
}

/* ---- the report ---------------------------------------------------------------------------- */

/* The way in which `softlbr record` will record. */
static const char *way(const struct capabilities *p)
{
	return capabilities_can_preload(p)  ? "in-process"
	       : capabilities_can_attach(p) ? "ptrace"
					    : "none";
}

static void describe_verdict(const struct capabilities *p, char *text, size_t size)
{
	if (capabilities_can_preload(p))
		snprintf(text, size,
			 "softlbr can record here: in-process, sampling by %s, tracing by hardware "
			 "breakpoints at %.1f us a stop",
			 p->chosen.name, p->stop_us);
	else if (capabilities_can_attach(p))
		snprintf(
			text, size,
			"softlbr can record here, but only from outside (ptrace), sampling by time; "
			"what is marked limited above stands in the way of recording in-process");
	else
		snprintf(text, size,
			 "softlbr cannot record here (what is marked bad above stands in the way); "
			 "converting recordings works everywhere");
}

static void print_text(const struct capabilities *p, const struct finding *findings)
{
	char verdict[512];

	for (size_t i = 0; i < FINDING_COUNT; i++) {
		const struct finding *f = &findings[i];

		printf("%s%-7s%s  %-20s %s\n", terminal_color(stdout, colors[f->verdict]),
		       verdict_names[f->verdict], terminal_color_end(stdout), f->name, f->text);
		if (f->advice[0])
			printf("%30s%s\n", "-> ", f->advice);
	}
	describe_verdict(p, verdict, sizeof(verdict));
	printf("\n%s.\n", verdict);
}

static struct json_node *events_node(const struct capabilities *p)
{
	struct json_node *list = json_node_array();

	for (unsigned i = 0; i < CAPABILITIES_EVENTS; i++) {
		struct json_node *event = json_node_object();

		json_node_add_text(event, "name", p->events[i].name);
		json_node_add_bool(event, "usable", !p->events[i].error && p->events[i].count);
		json_node_add_integer(event, "errno", p->events[i].error);
		json_node_add_take(list, NULL, event);
	}
	return list;
}

static struct json_node *findings_node(const struct finding *findings)
{
	struct json_node *list = json_node_array();

	for (size_t i = 0; i < FINDING_COUNT; i++) {
		struct json_node *item = json_node_object();

		json_node_add_text(item, "name", findings[i].name);
		json_node_add_text(item, "verdict", verdict_names[findings[i].verdict]);
		json_node_add_text(item, "text", findings[i].text);
		if (findings[i].advice[0])
			json_node_add_text(item, "advice", findings[i].advice);
		json_node_add_take(list, NULL, item);
	}
	return list;
}

static int print_json(const struct capabilities *p, const struct finding *findings,
		      const struct doctor_command *command)
{
	struct json_node *top = json_node_document(), *breakpoints = json_node_object();
	struct softlbr_error e = {0};
	char verdict[512];
	int rc;

	describe_verdict(p, verdict, sizeof(verdict));
	json_node_add_integer(breakpoints, "errno", p->breakpoint_error);
	json_node_add_integer(breakpoints, "slots", p->breakpoint_slots);
	json_node_add_integer(breakpoints, "calls", p->breakpoint_calls);
	json_node_add_integer(breakpoints, "hits", p->breakpoint_hits);
	json_node_add_real(breakpoints, "stop_us", p->stop_us);

	json_node_add_bool(top, "can_record", can_record(p));
	json_node_add_text(top, "way", way(p));
	json_node_add_bool(top, "ptrace", capabilities_can_attach(p));
	json_node_add_text(top, "verdict", verdict);
	json_node_add_text(top, "kernel", p->kernel);
	json_node_add_text(top, "machine", p->machine);
	json_node_add_text(top, "event", p->chosen.name);
	json_node_add_take(top, "events", events_node(p));
	json_node_add_take(top, "breakpoints", breakpoints);
	json_node_add_bool(top, "lbr", !p->branch_stack_error && !p->syscall_signal);
	json_node_add_take(top, "findings", findings_node(findings));
	if (command)
		json_node_add_take(top, "command", command_node(command));
	rc = json_node_write(top, stdout, &e);
	json_node_free(top);
	if (rc)
		terminal_print_error("doctor", &e);
	return rc;
}

struct arguments {
	bool as_json;
	char **command; /* NULL: none is asked about */
};

static const struct option_row rows[] = {
	{"json", 0, NULL, "Print JSON (softlbr-doctor(1) has the members)", OPTION_SWITCH,
	 OPTION_AT(struct arguments, as_json)},
	{CLI_OLD_LETTER('j')},
	{0},
};

const struct option_table cli_doctor_options = {
	.rows = rows,
	.operands = "[-- COMMAND [ARGUMENT...]]",
	.doc = "Say what this machine lets softlbr do, why not, and what to do about it. Sets a "
	       "hardware breakpoint and hits it. With a command: also how softlbr record would record it, "
	       "without running it.\vThe status is 0 if softlbr record can work here, on the command if "
	       "one is given, 1 if not.",
	OPTION_COMMAND_AT(struct arguments, command),
	.usage_status = SOFTLBR_E_USAGE,
};

int cli_doctor(int argc, char **argv)
{
	struct finding findings[FINDING_COUNT] = {0};
	struct doctor_command command = {0};
	struct capabilities probe;
	struct arguments a = {0};

	options_parse(&cli_doctor_options, argc, argv, &a);
	capabilities_probe(&probe, attach_check);
	for (size_t i = 0; i < FINDING_COUNT; i++)
		run_finder(finders[i], &probe, &findings[i]);
	if (a.command)
		ask_command(&command, a.command[0], &probe);
	if (!a.as_json)
		print_text(&probe, findings);
	else if (print_json(&probe, findings, a.command ? &command : NULL))
		return SOFTLBR_E_SYSTEM;
	if (a.command && !a.as_json)
		print_command(&command);
	/* that the machine can't record is not said elsewhere: it has to arrive */
	return terminal_end(0) ?: !can_record(&probe) || command.how == COMMAND_REFUSED;
}
