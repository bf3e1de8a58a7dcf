/* SPDX-License-Identifier: MIT */
#include "collector/recorder/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "collector/session/journal.h"
#include "collector/session/task_status.h"
#include "collector/recorder/command.h"
#include "collector/recorder/debugger_watch.h"
#include "collector/recorder/leftovers.h"
#include "collector/session/trace_record.h"
#include "collector/recorder/sideband.h"
#include "collector/session/clock.h"
#include "isa/ticks.h"

/* How often the buffers are emptied. */
#define DRAIN_MS 50

struct recorder {
	const struct recorder_options *options;
	struct journal journal;
	struct sideband sideband;
	struct debugger_watch debuggers;
	struct control control;
	struct rotation_worker rotation;
	struct novelty novelty;
	unsigned rotations;
	pid_t child;
	uint64_t started_ns, started_ticks;
	/* what the command is to inherit for SIGXFSZ and SIGPIPE */
	void (*on_file_limit)(int), (*on_closed_pipe)(int);
};

/* ---- the command --------------------------------------------------------------------------- */

/* The dynamic linker ends a name in LD_PRELOAD at a space or colon: a library with one in its path
 * is preloaded by a link in the session's directory, @link. */
static const char *preloadable(const struct recorder *r, char *link, size_t bytes)
{
	const char *library = r->options->library;

	snprintf(link, bytes, "%s/libsoftlbr-collector.so", r->journal.directory.path);
	return strpbrk(library, " :") && !symlink(library, link) ? link : library;
}

static void set_environment(const struct recorder *r)
{
	char link[SESSION_DIRECTORY_BYTES + sizeof("/libsoftlbr-collector.so")];
	const char *library = preloadable(r, link, sizeof(link));
	const char *preload = getenv("LD_PRELOAD");
	const char *first = r->options->sanitizer.first;
	size_t bytes = strlen(first) + strlen(library) + (preload ? strlen(preload) : 0) + 3;
	char *value = malloc(bytes);

	if (!value)
		_exit(125);
	snprintf(value, bytes, "%s%s%s%s%s", first, *first ? ":" : "", library, preload ? ":" : "",
		 preload ? preload : "");
	setenv("LD_PRELOAD", value, 1);
	setenv(SESSION_ENVIRONMENT, r->journal.directory.path, 1);
}

/* The child: wait until the recorder watches, then become the command. An exec that fails sends its
 * errno back. */
static void run_child(const struct recorder *r, const int go[2], int failed)
{
	char byte;
	int why;

	close(go[1]); /* or the end of a recorder that gave up would not be seen */
	if (read(go[0], &byte, 1) != 1)
		_exit(125);
	set_environment(r);
	signal(SIGXFSZ, r->on_file_limit);
	signal(SIGPIPE, r->on_closed_pipe);
	trace_record_give_output(r->options->output);
	execvp(r->options->command[0], r->options->command);
	why = errno;
	if (write(failed, &why, sizeof(why)) != sizeof(why))
		_exit(125);
	_exit(127);
}

/* What is sent to us alone is passed on to the command. Either way its end is ours. */
static const int passed[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGINT};
#define PASSED (sizeof(passed) / sizeof(passed[0]))

/* Did it come? Written by the handler, taken in attend. */
static volatile sig_atomic_t came[_NSIG];

/* The terminal's SIGINT goes to the command as well, whose end is ours. */
static void note_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (number != SIGINT || info->si_code <= 0)
		came[number] = true;
}

static void take_signals(void)
{
	struct sigaction action = {.sa_sigaction = note_signal, .sa_flags = SA_SIGINFO};

	signal(SIGQUIT, SIG_IGN); /* the terminal's too */
	for (size_t i = 0; i < PASSED; i++)
		sigaction(passed[i], &action, NULL);
}

static void give_signals_back(void)
{
	signal(SIGQUIT, SIG_DFL);
	for (size_t i = 0; i < PASSED; i++)
		signal(passed[i], SIG_DFL);
}

static int start_command(struct recorder *r, struct recorder_result *result,
			 struct softlbr_error *e)
{
	int go[2], failed[2], rc;

	if (pipe2(go, O_CLOEXEC) || pipe2(failed, O_CLOEXEC))
		return error_set_errno(e, NULL, "cannot make a pipe");
	r->child = fork();
	if (r->child < 0)
		return error_set_errno(e, NULL, "cannot fork");
	if (!r->child)
		run_child(r, go, failed[1]);
	take_signals(); /* not before: the child would inherit what is ignored */
	close(go[0]);
	close(failed[1]);
	rc = sideband_open(&r->sideband, r->child, e);
	if (!rc && write(go[1], "", 1) != 1)
		rc = error_set_errno(e, NULL, "cannot start the command");
	close(go[1]);
	if (!rc && read(failed[0], &result->exec_errno, sizeof(int)) != sizeof(int))
		result->exec_errno = 0; /* closed by the exec: it runs */
	close(failed[0]);
	return rc;
}

static int drain(struct recorder *r, struct softlbr_error *e)
{
	uint64_t before = r->journal.writer.data_bytes;

	debugger_watch_look(&r->debuggers, &r->journal);
	if (sideband_drain(&r->sideband, &r->journal.writer, e) || journal_drain(&r->journal, e))
		return -SOFTLBR_E_SYSTEM;
	return r->journal.writer.data_bytes == before ? 0 : journal_sync(&r->journal, e);
}

static int rotate(struct recorder *r, struct softlbr_error *e)
{
	const struct recorder_options *o = r->options;
	uint64_t counters[COUNTER_COUNT];
	bool asked = control_take_rotation(&r->control);
	int rc, refused;

	if (!asked && !rotation_worker_due(&r->rotation, r->journal.writer.data_bytes))
		return 0;
	journal_count(&r->journal, counters, &refused);
	rc = trace_record_rotate(&r->journal.writer, &o->session, counters, o->softlbr_command,
				 o->output, &r->rotations, e);
	if (!rc && o->rotation.bytes)
		rc = rotation_worker_hand_over(&r->rotation, o->output, r->rotations, asked, e);
	return rc ? rc : journal_tell_again(&r->journal, e);
}

/* A recording that can't go on (a full disk) does not end the program. */
static int keep_recording(struct recorder *r, int failed, struct softlbr_error *e)
{
	int rc = failed ? failed : drain(r, e);

	control_attend(&r->control, r->journal.writer.data_bytes);
	if (!rc)
		rc = rotate(r, e);
	journal_set_state(&r->journal, rc ? SESSION_STOP : control_state(&r->control));
	return rc;
}

/* SIGINT ends the recording too. */
static void pass_on(struct recorder *r, int number)
{
	if (control_signal(&r->control, number))
		return;
	if (number == SIGINT)
		control_end(&r->control);
	kill(r->child, command_signal(r->child, number));
}

static void pass_all_on(struct recorder *r)
{
	for (size_t i = 0; i < PASSED; i++) {
		if (!came[passed[i]])
			continue;
		came[passed[i]] = false;
		pass_on(r, passed[i]);
	}
}

static int attend(struct recorder *r, struct recorder_result *result, struct softlbr_error *e)
{
	struct pollfd files[] = {
		{.fd = (int)syscall(SYS_pidfd_open, r->child, 0), .events = POLLIN},
		{.fd = r->control.socket, .events = POLLIN},
	};
	struct rusage usage;
	int rc = 0;

	for (;;) {
		bool over = poll(files, 2, DRAIN_MS) > 0 && files[0].revents;

		pass_all_on(r);
		rc = keep_recording(r, rc, e);
		if (over)
			break;
	}
	journal_set_state(&r->journal, SESSION_STOP);
	close(files[0].fd);
	while (wait4(r->child, &result->status, 0, &usage) < 0 && errno == EINTR)
		;
	result->cpu_ns = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
			 (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
	return rc ? rc : drain(r, e);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void take_traces(void *novelty, const void *records, size_t bytes)
{
	novelty_take(novelty, records, bytes);
}

int recorder_run(const struct recorder_options *o, struct recorder_result *result,
		 struct softlbr_error *e)
{
	struct recorder r = {.options = o,
			     .rotation = {.options = o->rotation},
			     .started_ns = clock_now_ns(),
			     .started_ticks = isa_ticks()};
	struct session_options session = o->session;
	struct journal *j = &r.journal;
	struct task_status status;
	int rc, finished;

	*result = (struct recorder_result){0};
	/* writes fail as well (ulimit -f, a reader that is gone) */
	r.on_file_limit = signal(SIGXFSZ, SIG_IGN);
	r.on_closed_pipe = signal(SIGPIPE, SIG_IGN);
	if (control_open(&r.control, &o->control, e))
		return -SOFTLBR_E_SYSTEM;
	task_status_own(&status);
	session.filters = status.filters;
	if (journal_open(j, &session, control_state(&r.control), o->output, e)) {
		control_close(&r.control);
		return -SOFTLBR_E_SYSTEM;
	}
	leftovers_remove(&j->directory);
	r.novelty.tagged = session.values;
	j->common.listener = (struct member_listener){take_traces, &r.novelty};
	rc = journal_hold(j, e);
	if (!rc)
		rc = start_command(&r, result, e);
	if (!rc) {
		rc = attend(&r, result, e);
	} else if (r.child > 0) {
		kill(r.child, SIGKILL);
		waitpid(r.child, &result->status, 0);
	}
	give_signals_back();
	result->tick_ns = (double)(clock_now_ns() - r.started_ns) /
			  (double)(isa_ticks() - r.started_ticks);
	journal_count(j, result->counters, &result->refused);
	journal_refusals(j, &result->refusals);
	result->processes = j->process_count;
	result->bytes = j->writer.data_bytes;
	result->foreign = j->common.refused;
	novelty_measure(&r.novelty, &result->novelty);
	novelty_deinit(&r.novelty);
	finished = journal_finish(j, o->softlbr_command, e);
	if (result->exec_errno)
		trace_record_remove(o->output); /* an empty recording of nothing */
	else if (!finished)
		finished = rotation_worker_finish(&r.rotation, o->output, e);
	rotation_worker_wait(&r.rotation, NULL);
	journal_close(j);
	sideband_close(&r.sideband);
	control_close(&r.control);
	return rc ? rc : finished;
}
