/* SPDX-License-Identifier: MIT */
/* softlbr record: run a command and record its taken branches. */
#include "cli/record.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_guard.h"
#include "base/file_output.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "base/installed.h"
#include "collector/outside/attach.h"
#include "collector/engine/core.h"
#include "collector/machine/calibration.h"
#include "collector/recorder/command.h"
#include "formats/perfdata_write.h"

#define STATUS_CANNOT_RUN 126
#define STATUS_NOT_FOUND  127

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
int record_find_collector(char *path, struct softlbr_error *e)
{
	const char *named = getenv("SOFTLBR_COLLECTOR");

	if (named && realpath(named, path))
		return 0;
	return installed_find(COLLECTOR_NAME, COLLECTOR_DIRECTORY,
			      "; set SOFTLBR_COLLECTOR to its path", path, e);
}

static int find_depth(const struct event *event, uint32_t *depth, struct softlbr_error *e)
{
	struct calibration cost = {0};

	if (calibration_sample(&cost, event, e))
		return -SOFTLBR_E_SYSTEM;
	*depth = calibration_depth(&cost);
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

static int check_processes(const struct selection *s, struct softlbr_error *e)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < s->tasks.count; i++)
		rc = command_check_process(s->tasks.items[i], e);
	return rc;
}

/* A command that can't be recorded from inside is recorded from outside, as a running process is.
 */
static int look_at_program(struct record_arguments *a, const struct command_way *way,
			   struct softlbr_error *e)
{
	char reason[COMMAND_REASON_BYTES];

	if (!a->o.command) {
		a->asked.side = PLAN_OUTSIDE;
		a->asked.runs = true;
		return check_processes(&a->o.selection, e);
	}
	if (command_check(way, e))
		return -SOFTLBR_E_SYSTEM;
	a->o.sanitizer = way->sanitizer;
	a->traces = way->traces;
	if (!way->reason)
		return 0;
	if (a->asked.side == PLAN_INSIDE)
		return refuse_outside(a, way, e);
	if (a->asked.side == PLAN_EITHER)
		record_tell(a, "%s%s: recording from outside, by ptrace", a->o.command[0],
			    command_reason(way, reason));
	a->asked.side = PLAN_OUTSIDE;
	return 0;
}

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* The inputs are the program that is recorded, and the files among the command's arguments. */
static int guard_inputs(struct file_guard *g, const struct recorder_options *o,
			struct softlbr_error *e)
{
	char path[PATH_MAX];
	int rc = 0;

	for (size_t i = 0; !rc && i < o->selection.tasks.count; i++) {
		snprintf(path, sizeof(path), "/proc/%d/exe", (int)o->selection.tasks.items[i]);
		rc = file_guard_input(g, path, e);
	}
	if (!o->command)
		return rc;
	if (!command_find(o->command[0], path, sizeof(path)))
		rc = file_guard_input(g, path, e);
	for (char *const *argument = o->command + 1; !rc && *argument; argument++)
		if (is_file(*argument))
			rc = file_guard_input(g, *argument, e);
	return rc;
}

static int guard_outputs(struct file_guard *g, const struct recorder_options *o, const char *stats,
			 const char *old, struct softlbr_error *e)
{
	return guard_inputs(g, o, e)
	       ?: file_guard_output(g, o->output, e)
	       ?: file_guard_output(g, old, e)
	       ?: file_guard_output(g, stats, e)
	       ?: file_guard_output(g, o->control.socket_path, e);
}

/* The control socket may replace a socket, which is no regular file, and nothing else. */
static bool is_socket(const struct file_guard_kind *kind, const uint8_t *data, size_t size)
{
	(void)kind;
	(void)data;
	(void)size;
	return false;
}

static int check_kinds(const struct recorder_options *o, const char *old, struct softlbr_error *e)
{
	const struct file_guard_kind socket = {.name = "a socket", .is = is_socket};

	return file_guard_replace(o->output, &perfdata_kind, e)
	       ?: file_guard_replace(old, &perfdata_kind, e)
	       ?: file_guard_replace(o->control.socket_path, &socket, e);
}

/* Before anything is run: neither the recording, nor FILE.old, which it replaces, nor @stats (may
 * be NULL) nor the control socket is the command's file, or a file among its arguments; without
 * @force, what is there is of their kinds. */
static int record_guard_files(const struct recorder_options *o, const char *stats, bool force,
			      struct softlbr_error *e)
{
	char *old = memory_format("%s.old", o->output);
	struct file_guard g = {0};
	int rc = old ? guard_outputs(&g, o, stats, old, e) : error_set_nomem(e);

	if (!rc && !force)
		rc = check_kinds(o, old, e);
	file_guard_deinit(&g);
	memory_free(old);
	return rc;
}

/* Called when --aggregate has set the output to one of its own. */
static int check_outputs(struct record_arguments *a, const struct record_extras *x,
			 struct softlbr_error *e)
{
	if (strcmp(a->o.output, "-")) {
		a->followed = file_link_follow(a->o.output, e);
		if (!a->followed)
			return -SOFTLBR_E_SYSTEM;
		a->o.output = a->followed;
	}
	if (record_guard_files(&a->o, a->stats, a->force, e))
		return -SOFTLBR_E_USAGE;
	return a->stats && !a->force ? file_guard_replace(a->stats, x->stats_kind, e) : 0;
}

/* Options that contradict each other are refused before anything is looked at or written. */
static int check_options(struct record_arguments *a, struct softlbr_error *e)
{
	struct control_options *control = &a->o.control;
	bool is_pipe = !strcmp(a->o.output, "-");

	if (!control->on_ns != !control->off_ns)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "--on and --off belong together, such as --on 2s --off 60s");
	a->asked.session.switched = control_switches(control);
	a->asked.counts_only = a->aggregate.directory != NULL;
	a->asked.ends = a->o.convergence.noise > 0;
	if (plan_check(&a->asked, e))
		return -SOFTLBR_E_USAGE;
	if (a->o.keeps_binaries && (is_pipe || a->aggregate.directory))
		return error_set(
			e, SOFTLBR_E_USAGE, NULL,
			"--keep-binaries keeps them beside the recording, of which there is "
			"none: name a file by -o, without --aggregate");
	if (is_pipe && (control->socket_path || control->signals))
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "-o -: standard output cannot be rotated; omit --control and "
				 "--signals, or name a file");
	/* signals to softlbr are passed on to a command, but not to a process that ran before */
	control->signals |= selection_is_any(&a->o.selection) && !is_pipe;
	return 0;
}

/* Plan the recording, and tell what the user may not expect of it. */
static int plan(struct record_arguments *a, const struct command_way *way, char *library,
		struct softlbr_error *e)
{
	struct plan_machine machine = plan_machine_own;
	struct plan made;

	machine.find_depth = find_depth;
	if (plan_make(&made, &a->asked, &machine, e))
		return -SOFTLBR_E_SYSTEM;
	a->o.session = made.session;
	a->o.convergence.thins = made.thins;
	a->ptrace = made.outside;
	if (made.outside && a->o.command && executable_finds_leaks(way->program, getpid()))
		return command_refuse_leaks(a->o.command[0], e);
	if (made.refused.code)
		record_tell(a, "%s; recording from outside, by ptrace", made.refused.text);
	if (made.outside && a->o.command && a->traces)
		record_tell(a,
			    "%s traces other processes itself: those that it starts are left to it",
			    a->o.command[0]);
	if (made.session.event.asynchronous)
		record_tell(
			a,
			"this kernel is older than Linux 5.13 (it has no sigtrap events): recording "
			"costs twice as much");
	if (made.outside)
		return 0;
	a->o.library = library;
	return record_find_collector(library, e);
}

/* The order is that of what may fail: options, the program, the outputs, the machine. */
static int prepare(struct record_arguments *a, struct command_way *way,
		   const struct record_extras *x, char *library, struct softlbr_error *e)
{
	struct softlbr_error ignored = {0};
	int rc = check_options(a, e);

	if (a->o.command && way->linker[0] && !record_find_collector(library, &ignored))
		command_ask_libc(way, library);
	rc = rc ?: look_at_program(a, way, e);

	if (!rc && a->aggregate.directory)
		rc = x->open_aggregate(a, e);
	if (!rc)
		rc = check_outputs(a, x, e);
	return rc ?: plan(a, way, library, e);
}

/* The command's, or of running processes whether anything was recorded. */
static int status_of(const struct record_arguments *a, const struct recorder_result *r)
{
	if (selection_is_any(&a->o.selection))
		return r->counters[COUNTER_TRACES] ? 0 : SOFTLBR_E_EMPTY;
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
	selection_deinit(&a->o.selection);
	memory_free(a->followed);
}

int record_run(int argc, char **argv, const struct record_extras *x)
{
	struct record_arguments a = {
		.asked = {.event = "auto",
			  .session = {.correction = CORRECTION_AUTO,
				      .lookahead = CORE_FULL,
				      .audit = PLAN_AUDIT,
				      .chunk_count = 128}},
		.aggregate = {.entries_most = 4000000},
		.aggregate_mib = 64,
		.o = {.output = "perf.data", .softlbr_command = argv},
	};
	char library[PATH_MAX];
	struct command_way way;
	struct softlbr_error e = {0};
	struct recorder_result result = {0};
	static char line[BUFSIZ];
	int rc = 0;

	/* each line is one write, since the command writes to the same terminal */
	setvbuf(stderr, line, _IOLBF, sizeof(line));
	if (options_parse(&cli_record_options, argc, argv, &a))
		return STATUS_SOFTLBR_FAILED;
	if (!x && (a.aggregate.directory || a.stats))
		return RECORD_NEEDS_EXTRAS;
	/* what can't be run is found before the old recording becomes FILE.old */
	result.exec_errno = a.o.command ? command_look(a.o.command[0], &way) : 0;
	if (!result.exec_errno && prepare(&a, &way, x, library, &e)) {
		terminal_print_error("record", &e);
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
		return status_of(&a, &result);
	}
	record_progress_end(&a);
	record_report_signal(&a, &result);
	if (!rc && (!a.quiet || a.stats))
		record_account(&a, &result);
	if (rc)
		record_report_failure(&a, &result, e.text);
	else
		record_report_print(&a, &result);
	if (!rc && a.stats && x->write_stats(&a, &result, &e)) {
		terminal_print_error("record", &e);
		rc = -SOFTLBR_E_SYSTEM;
	}
	/* its own where only the recording failed, but no success */
	if (!rc || (result.left && a.o.command))
		rc = status_of(&a, &result) ?: (rc ? STATUS_SOFTLBR_FAILED : 0);
	else
		rc = STATUS_SOFTLBR_FAILED;
	close_all(&a, x);
	return rc;
}
