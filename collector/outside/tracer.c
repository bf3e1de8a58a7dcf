/* SPDX-License-Identifier: MIT */
#include "collector/outside/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "collector/engine/budget.h"
#include "collector/kernel/clock.h"
#include "collector/kernel/process_memory.h"
#include "collector/recorder/command.h"
#include "collector/recorder/kept_binaries.h"
#include "collector/recorder/recording_file.h"
#include "isa/host.h"

#define SYNC_NS 100000000u
/* How often it is asked whether there is enough. */
#define JUDGE_NS 50000000u
/* How often processes are asked for their times, besides at their ends; and what part of the time
 * that takes at most, and the look for new ones likewise. */
#define TIMES_NS     1000000000u
#define MEMBERS_PART 500u
/* What recording costs is told by so much of the program's time. */
#define TOLD_NS 1000000000u
/* How long threads may take to come to a stop at the end. */
#define ENDING_NS 2000000000u

/* Each thread has three descriptors. After the command is started: limits are inherited. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* ---- the command ---------------------------------------------------------------------------- */

/* Not before the exec is known to have worked: its stop has to be attended to. */
static int await_exec(struct tracer *t, int failed)
{
	struct tracee_process *process = tracee_process_find(t, (uint32_t)t->root);
	struct pollfd p = {.fd = failed, .events = POLLIN};

	while (process && process->ours && !t->root_ended) {
		tracer_stops_reap(t);
		if (poll(&p, 1, 1) > 0 && p.revents & POLLIN &&
		    read(failed, &t->result->exec_errno, sizeof(int)) == sizeof(int))
			return 0;
		process = t->root_ended ? process : tracee_process_find(t, (uint32_t)t->root);
	}
	return 0;
}

/* Trace the command, and let it begin. 0, or an error; t->result->exec_errno says if it could not
 * be run. */
static int start_command(struct tracer *t, struct softlbr_error *e)
{
	struct tracee_command *c = t->command;
	int rc = tracee_seize(c->pid, true);

	t->root = c->pid;
	if (rc)
		rc = tracer_members_refusal(t->root, -rc, e);
	else if (!tracer_threads_add(t, t->root) || !tracee_command_go(c))
		rc = error_set_errno(e, NULL, "cannot start the command");
	if (!rc)
		tracee_process_find(t, (uint32_t)t->root)->ours = true;
	if (!rc)
		rc = await_exec(t, c->failed);
	tracee_command_close(c);
	return rc;
}

/* ---- the loop ------------------------------------------------------------------------------ */

/* What came to the command as well is not passed on to it; a SIGINT that was sent to us ends the
 * recording, too. */
static void pass_on(struct tracer *t, int number, bool from_command)
{
	if (witness_saw(t->witness, number) || from_command)
		return;
	if (number == SIGINT)
		t->stopping = true;
	kill(t->root, command_signal(t->root, number));
}

/* A signal to us: a command's is passed on, else it ends the recording. */
static void take_signals(struct tracer *t, int signals)
{
	struct signalfd_siginfo s;

	while (read(signals, &s, sizeof(s)) == sizeof(s)) {
		int first = tracer_forwarded(0), number = (int)s.ssi_signo;
		bool told = number > first;

		number -= told ? first : 0;
		/* with a command, the recorder tells of what is ours; the rest is a group's */
		if (number == SIGCHLD || (t->root && !told) || control_signal(&t->control, number))
			continue;
		if (!t->root)
			t->stopping = true;
		else
			pass_on(t, number, s.ssi_int != 0);
	}
}

struct schedule {
	uint64_t tick, sync, look, judge, times, members;
	uint64_t synced_bytes;
};

/* If it is asked for, or a part is as large as it should be. */
static int rotate(struct tracer *t, bool *rotated)
{
	const struct recorder_options *o = t->options;
	bool asked = control_take_rotation(&t->control);
	int rc;

	*rotated = asked || recording_socket_due(&t->parts, t->writer.data_bytes);
	if (!*rotated)
		return 0;
	if (o->keeps_binaries && kept_binaries_copy(&t->writer, o->output, t->error))
		return -SOFTLBR_E_SYSTEM;
	rc = recording_file_rotate(&t->writer, &o->session, t->result->counters, o->softlbr_command,
				   o->output, &t->rotations, t->error);
	if (rc)
		return rc;
	if (o->rotation.bytes)
		recording_socket_give(&t->parts, t->rotations, asked);
	return tracee_processes_tell_again(t);
}

/* Of the processor time behind @begun_ns of it, what was not taken while a thread stood still for
 * it.
 */
static uint64_t own_ns(const struct recorder_result *r, uint64_t begun_ns)
{
	uint64_t all = clock_handler_ns(CLOCK_PROCESS_CPUTIME_ID) - begun_ns;
	uint64_t stops = r->counters[COUNTER_HANDLER_NS];

	return all > stops ? all - stops : 0;
}

/* How much of the time traces may take, by what else recording has cost. To attach costs what it
 * costs, once; and the first second tells little. */
static void choose_share(struct tracer *t)
{
	const struct recorder_result *r = t->result;
	uint32_t budget = t->options->session.budget;
	uint64_t others = r->switches * TURNS_SWITCH_NS + own_ns(r, t->begun_ns);
	uint64_t cpu = r->cpu_ns > TOLD_NS ? r->cpu_ns : TOLD_NS;

	if (budget)
		t->share = budget_share(budget, others, cpu);
}

/* What takes the longer the more processes there are is done as often as takes a hundredth of the
 * time. */
static void keep_members(struct tracer *t, struct schedule *s)
{
	uint64_t now = clock_now_ns();

	if (now >= s->times) {
		tracee_processes_keep_time(t);
		choose_share(t);
		s->times = now + TIMES_NS + (clock_now_ns() - now) * MEMBERS_PART;
	}
	if (now >= s->members) {
		tracer_members_look(t);
		s->members = now + SYNC_NS + (clock_now_ns() - now) * MEMBERS_PART;
	}
}

static void keep_time(struct tracer *t, struct schedule *s)
{
	uint64_t now = clock_now_ns();
	enum session_state state;
	bool rotated;

	if (now >= s->judge) {
		t->result->converged |= convergence_stop(&t->options->convergence, &t->convergence,
							 &t->control);
		t->converged = convergence_is_reached(&t->options->convergence, &t->convergence,
						      t->converged);
		s->judge = now + JUDGE_NS;
	}
	state = control_state(&t->control);
	t->result->was_on |= state == SESSION_RUN;
	t->result->was_off |= state == SESSION_WAIT;
	control_attend(&t->control, t->writer.data_bytes);
	if (state == SESSION_STOP)
		t->stopping = true;
	if ((state == SESSION_RUN) != t->sampling)
		tracer_timer_switch(t, state == SESSION_RUN);
	if (!t->stopping && now >= s->tick) {
		if (t->sampling)
			tracer_timer_tick(t);
		s->tick = clock_now_ns() + tracer_timer_draw(t);
	}
	if (t->failed)
		return;
	if (now >= s->look) {
		tracer_timer_look(t);
		s->look = now + SYNC_NS;
	}
	if (!t->root && !t->stopping)
		keep_members(t, s);
	tracer_failure_note(t, rotate(t, &rotated));
	if (!t->failed && !rotated && now >= s->sync && t->writer.data_bytes != s->synced_bytes) {
		tracer_failure_note(t, recording_file_sync(&t->writer, t->error));
		s->synced_bytes = t->writer.data_bytes;
		s->sync = now + SYNC_NS;
	}
}

static void wait_for_something(struct tracer *t, const struct schedule *s, int signals)
{
	struct pollfd files[] = {{.fd = signals, .events = POLLIN},
				 {.fd = t->parts.file, .events = POLLIN},
				 {.fd = t->control.socket, .events = POLLIN}};
	bool on = !t->stopping && t->sampling && t->eventless;
	uint64_t now = clock_now_ns(),
		 until = on && s->tick < now + SYNC_NS ? s->tick : now + SYNC_NS;
	uint64_t left = until > now ? until - now : 0;
	struct timespec timeout = {.tv_sec = (time_t)(left / 1000000000u),
				   .tv_nsec = (long)(left % 1000000000u)};

	if (ppoll(files, 3, &timeout, NULL) > 0 && files[1].revents)
		tracer_failure_note(t, recording_socket_hear(&t->parts));
}

/* A thread that stands still waits for us: where that is allowed, we go before others, and not by a
 * nice value, which counts among the tasks of one session only (sched(7), autogroups). Nothing that
 * we start inherits it, and a command is started before. */
static void hurry(void)
{
	const struct sched_param least = {.sched_priority = 1};

	sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &least);
}

/* Until there is nothing to record any more. A command is waited for, recorded or not. */
static void attend(struct tracer *t, int signals)
{
	struct schedule s = {.tick = clock_now_ns() + tracer_timer_draw(t)};

	t->begun_ns = clock_handler_ns(CLOCK_PROCESS_CPUTIME_ID);
	/* whatever becomes of the first sample, there is a recording */
	tracer_failure_note(t, recording_file_sync(&t->writer, t->error));
	while (!t->root_ended && !t->parts.alone && !t->refused && !(t->stopping && !t->root)) {
		tracer_watch_beat(&t->watch);
		wait_for_something(t, &s, signals);
		take_signals(t, signals);
		tracer_stops_reap(t);
		keep_time(t, &s);
	}
	if (!t->root) {
		tracee_processes_keep_time(t);
		tracer_turns_count(t);
	}
	t->stopping = true;
}

/* Threads are not as they should be left; with a breakpoint, or only about to stop for nothing. */
static void look_at_pending(struct tracer *t, bool *breakpoint, bool *stop)
{
	struct traced **at;

	*breakpoint = *stop = false;
	vector_each (&t->threads, at) {
		struct traced *thread = *at;

		if (thread->tracing && thread->stop != TRACED_INTERRUPTED &&
		    !tracee_interrupt(thread->tid))
			thread->stop = TRACED_INTERRUPTED;
		*breakpoint |= thread->tracing || thread->hit;
		*stop |= thread->stop == TRACED_INTERRUPTED;
	}
}

/* Is a signal under way to a thread that would end the program? One that it gets stops it. */
static bool has_deadly(const struct tracer *t)
{
	struct task_status status;
	struct traced **at;

	vector_each (&t->threads, at)
		if ((*at)->events.deadly && (*at)->stop != TRACED_LISTENING &&
		    !tracee_status_read((*at)->tid, &status) &&
		    tracee_status_pending(&status) & ~status.blocked &
			    tracee_status_signal((*at)->events.before))
			return true;
	return false;
}

/* Nothing comes of them any more; what is under way has a millisecond, or the time that it takes.
 */
static void close_events(struct tracer *t)
{
	struct timespec pause = {.tv_nsec = 1000000};
	bool any = false;
	struct traced **at;

	vector_each (&t->threads, at) {
		if (!(*at)->events.signal)
			continue;
		any = true;
		tracer_failure_note(t, tracer_trace_cut(*at, true));
		tracer_threads_close_events(t, *at);
	}
	do {
		tracer_stops_reap(t);
		if (any)
			nanosleep(&pause, NULL);
	} while (!t->refused && has_deadly(t));
}

/* No breakpoint and no stop that was asked for is left; then our end lets the threads go on. A
 * thread that has a breakpoint is waited for, however long the kernel keeps it. */
static void let_go(struct tracer *t)
{
	uint64_t until = clock_now_ns() + ENDING_NS;
	struct timespec pause = {.tv_nsec = 1000000};
	bool breakpoint, stop;

	close_events(t);
	while (!t->refused) {
		tracer_stops_reap(t);
		look_at_pending(t, &breakpoint, &stop);
		if (!breakpoint && (!stop || clock_now_ns() > until))
			return;
		nanosleep(&pause, NULL);
	}
}

static int open_signals(struct softlbr_error *e)
{
	static const int numbers[] = {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
	sigset_t set;
	int fd;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		sigaddset(&set, numbers[i]);
		sigaddset(&set, tracer_forwarded(numbers[i]));
	}
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? error_set_errno(e, NULL, "cannot wait for signals") : fd;
}

static int trace_all(struct tracer *t)
{
	bool attaches = selection_is_any(&t->options->selection);
	int signals = open_signals(t->error), rc;
	struct task_status own;

	if (signals < 0)
		return signals;
	if (attaches)
		raise_descriptor_limit();
	t->sampling = control_state(&t->control) == SESSION_RUN;
	task_status_filters(&own);
	t->no_events = event_deadly_signal(&own);
	rc = attaches ? tracer_members_begin(t, t->error) : start_command(t, t->error);
	prctl(PR_SET_TIMERSLACK, 1000ul);
	raise_descriptor_limit();
	if (!rc)
		rc = tracer_watch_start(&t->watch, t->stuck, t->error);
	if (!rc && !t->result->exec_errno) {
		t->attended = true;
		hurry();
		attend(t, signals);
		if (t->options->selection.alone)
			t->result->left_out = tracer_members_left_out(t);
		let_go(t);
		rc = t->failed;
	}
	while (t->result->exec_errno && !t->root_ended)
		tracer_stops_reap(t);
	close(signals);
	return rc;
}

int tracer_run(const struct recorder_options *o, const struct witness *w, struct tracee_command *c,
	       int recorder_end, bool *stuck, struct recorder_result *result,
	       struct softlbr_error *e)
{
	struct tracer t = {.options = o,
			   .witness = w,
			   .command = c,
			   .result = result,
			   .stuck = stuck,
			   .error = e,
			   .random = clock_now_ns(),
			   .parts = {.file = recorder_end, .bytes_most = o->rotation.bytes}};
	uint64_t started_ns = clock_now_ns(), started_ticks = isa_ticks();
	int rc;

	/* writes fail as well (ulimit -f, a reader that is gone) */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	t.view = memory_alloc(sizeof(*t.view));
	if (!t.view)
		return error_set_nomem(e);
	process_memory_init(&t.view->reader, &t.view->known);
	memory_reader_lend(&t.view->reader, t.view->copies);
	t.view->first_touches.lines = &t.view->lines;
	tracer_trace_init(&t);
	if (control_open(&t.control, &o->control, e))
		return -SOFTLBR_E_SYSTEM;
	if (recording_file_open(&t.writer, &o->session, o->output, e)) {
		control_close(&t.control);
		return -SOFTLBR_E_SYSTEM;
	}
	t.convergence.tagged = session_is_tagged(&o->session);
	rc = trace_all(&t);
	control_close(&t.control);
	result->tick_ns = (double)(clock_now_ns() - started_ns) /
			  (double)(isa_ticks() - started_ticks);
	result->bytes = t.writer.data_bytes;
	convergence_measure(&t.convergence, &result->convergence);
	convergence_deinit(&t.convergence);
	if (result->exec_errno || !t.attended)
		recording_file_remove(&t.writer, o->output); /* it is of nothing */
	if (!rc && o->keeps_binaries)
		rc = kept_binaries_copy(&t.writer, o->output, e);
	result->kept_old = !t.writer.has_samples && !perfdata_writer_appeared(&t.writer);
	if (recording_file_finish(&t.writer, &o->session, result->counters, o->softlbr_command,
				  e) &&
	    !rc)
		rc = -SOFTLBR_E_SYSTEM;
	vector_deinit(&t.refused_processes);
	vector_deinit(&t.files.list);
	if (t.running)
		closedir(t.running);
	memory_free(t.view);
	result->own_ns = own_ns(result, 0);
	return rc;
}
