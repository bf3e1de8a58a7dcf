/* SPDX-License-Identifier: MIT */
#include "collector/outside/tracer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "collector/session/trace_record.h"
#include "collector/session/clock.h"
#include "collector/session/sampler.h"
#include "isa/ticks.h"

#define SYNC_NS 100000000u
/* How long threads may take to come to a stop at the end. */
#define ENDING_NS 2000000000u
/* The code segment of 64-bit programs (arch/x86/include/asm/segment.h, __USER_CS). */
#define CODE_64 0x33

/* As when a filter, or a security module's new rule, forbids it. Threads that stopped would stay
 * so. */
static void note_refusal(struct tracer *t, int rc)
{
	if (!rc || rc == -ESRCH || rc == -EIO || t->refused)
		return;
	t->refused = true;
	errno = -rc;
	t->failed = error_set_errno(t->error, NULL,
				    "the kernel refuses to go on tracing (ptrace): the recording "
				    "ends, the program goes on");
	t->stopping = true;
}

static void note_failure(struct tracer *t, int rc)
{
	if (!rc)
		return;
	t->failed = rc;
	t->stopping = true;
}

/* ---- threads ------------------------------------------------------------------------------- */

/* Where the thread is or belongs among the others. */
static size_t place_of(const struct tracer *t, pid_t tid)
{
	size_t low = 0, high = t->threads.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->threads.items[middle]->tid < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct traced *find_thread(const struct tracer *t, pid_t tid)
{
	size_t at = place_of(t, tid);

	return at < t->threads.count && t->threads.items[at]->tid == tid ? t->threads.items[at]
									 : NULL;
}

/* A number of /proc/TID/status, or 0. */
static uint32_t status_number(pid_t tid, const char *name)
{
	char path[64], line[256];
	uint32_t number = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (!number && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			number = (uint32_t)strtoul(line + strlen(name), NULL, 10);
	fclose(f);
	return number;
}

static struct traced *insert_thread(struct tracer *t, pid_t tid, struct tracee_process *g)
{
	struct traced *thread = memory_alloc(sizeof(*thread));
	size_t at = place_of(t, tid);

	if (!thread || !vector_push(&t->threads)) {
		memory_free(thread);
		return NULL;
	}
	memmove(t->threads.items + at + 1, t->threads.items + at,
		(t->threads.count - 1 - at) * sizeof(*t->threads.items));
	t->threads.items[at] = thread;
	*thread = (struct traced){.tid = tid, .guest = g, .state_file = tracee_open_state(tid)};
	g->threads++;
	tracer_count(t, COUNTER_THREADS, 1);
	return thread;
}

static void remove_thread(struct tracer *t, struct traced *thread)
{
	size_t at = place_of(t, thread->tid);

	memmove(t->threads.items + at, t->threads.items + at + 1,
		(t->threads.count - 1 - at) * sizeof(*t->threads.items));
	t->threads.count--;
	if (thread->state_file >= 0)
		close(thread->state_file);
	tracee_process_release(t, thread->guest);
	memory_free(thread);
}

/* A thread that we trace from now on; it was made by the process @parent, if not 0. */
static struct traced *add_thread(struct tracer *t, pid_t tid, uint32_t parent)
{
	uint32_t pid = status_number(tid, "Tgid:");
	struct tracee_process *g = pid ? tracee_process_get(t, pid) : NULL;
	struct procfs_task task = {pid, (uint32_t)tid};
	struct traced *thread;

	if (!pid)
		return NULL; /* gone */
	thread = g ? insert_thread(t, tid, g) : NULL;
	if (!thread)
		note_failure(t, error_set_nomem(t->error));
	else if (parent)
		note_failure(t, procfs_append_fork(&t->writer, task,
						   (struct procfs_task){parent, parent}, t->error));
	else
		note_failure(t, procfs_append_comm(&t->writer, task, false, t->error));
	return thread;
}

/* A thread that made itself known by stopping: a tracee made it. */
static struct traced *meet_thread(struct tracer *t, pid_t tid)
{
	uint32_t pid = status_number(tid, "Tgid:");

	return add_thread(t, tid, pid == (uint32_t)tid ? status_number(tid, "PPid:") : pid);
}

static void thread_ended(struct tracer *t, struct traced *thread)
{
	struct procfs_task task = {thread->guest->pid, (uint32_t)thread->tid};

	if (thread->tracing) {
		tracer_count(t, COUNTER_LOST, 1);
		note_failure(t, tracer_trace_cut(t, thread, false));
	}
	note_failure(t, procfs_append_exit(&t->writer, task, t->error));
	remove_thread(t, thread);
}

/* ---- stops --------------------------------------------------------------------------------- */

static int sample(struct tracer *t, struct traced *thread, const struct user_regs_struct *g)
{
	if (thread->tracing) {
		int rc;

		tracer_count(t, COUNTER_LOST, 1);
		rc = tracer_trace_cut(t, thread, true);
		if (rc)
			return rc;
	}
	if (t->stopping) /* asked for before the end, but too late to be a sample */
		return 0;
	tracer_count(t, COUNTER_SAMPLES, 1);
	/* The time was the kernel's: what comes behind the call is not where it went. */
	if (tracee_in_system_call(g)) {
		tracer_count(t, COUNTER_KERNEL, 1);
		return 0;
	}
	return tracer_trace_begin(t, thread, g);
}

static int on_trapped(struct tracer *t, struct traced *thread)
{
	bool asked = thread->interrupted;
	struct user_regs_struct g;

	thread->interrupted = thread->listening = false;
	if (tracee_registers(thread->tid, &g) || tracee_restart_system_call(thread->tid, &g))
		return 0; /* gone */
	/* cleared now, it would still get its SIGTRAP, and without us die of it */
	thread->hit = thread->tracing && tracee_has_hit(thread->tid);
	if (thread->hit)
		return 0;
	return asked && !thread->guest->ours && g.cs == CODE_64 ? sample(t, thread, &g) : 0;
}

/* The handler may run the traced code, block SIGTRAP, or never return: traces end at signals. */
static int on_signal(struct tracer *t, struct traced *thread)
{
	if (!thread->tracing)
		return 0;
	tracer_count(t, COUNTER_LOST, 1);
	return tracer_trace_cut(t, thread, true);
}

static int on_breakpoint(struct tracer *t, struct traced *thread)
{
	thread->hit = false;
	if (thread->listening) /* on_pause let it come here: it is to pause again */
		tracee_interrupt(thread->tid);
	return tracer_trace_resume(t, thread);
}

/* A pending hit comes at once when the thread goes on, before any of its code. */
static int on_pause(struct tracer *t, struct traced *thread)
{
	int rc = 0;

	thread->interrupted = false;
	thread->listening = true;
	thread->hit = thread->tracing && tracee_has_hit(thread->tid);
	if (thread->hit) {
		tracee_resume(thread->tid, 0);
		return 0;
	}
	if (t->stopping)
		rc = tracer_trace_cut(t, thread, true);
	tracee_listen(thread->tid);
	return rc;
}

/* The process's other threads are gone, whatever is still told of them; the kernel has cleared the
 * debug registers. */
static int on_exec(struct tracer *t, struct traced *thread)
{
	struct tracee_process *g = thread->guest;
	int rc = tracer_trace_cut(t, thread, false);

	for (size_t i = t->threads.count; i-- > 0;) {
		struct traced *other = t->threads.items[i];

		if (other->guest == g && other != thread)
			thread_ended(t, other);
	}
	return rc ? rc : tracee_process_executed(t, g);
}

static void on_stop(struct tracer *t, pid_t tid, int status)
{
	struct traced *thread = find_thread(t, tid);
	uint64_t begin = clock_now_ns();
	int sig, rc = 0;
	enum tracee_stop why = tracee_why(tid, status, &sig);

	if (!thread)
		thread = meet_thread(t, tid);
	if (!thread) {
		tracee_resume(tid, sig);
		return;
	}
	switch (why) {
	case TRACEE_TRAPPED:
		rc = on_trapped(t, thread);
		break;
	case TRACEE_BREAKPOINT:
		rc = on_breakpoint(t, thread);
		break;
	case TRACEE_SIGNALLED:
		rc = on_signal(t, thread);
		break;
	case TRACEE_EXECUTED:
		rc = on_exec(t, thread);
		break;
	case TRACEE_PAUSED:
		note_failure(t, on_pause(t, thread));
		return;
	case TRACEE_EVENT:
		break;
	}
	note_refusal(t, tracee_resume(tid, sig));
	tracer_count(t, COUNTER_HANDLER_NS, clock_now_ns() - begin);
	note_failure(t, rc);
}

static void on_end(struct tracer *t, pid_t tid, int status, const struct rusage *usage)
{
	struct traced *thread = find_thread(t, tid);

	if (thread)
		thread_ended(t, thread);
	if (tid != t->root)
		return;
	t->root_ended = true;
	if (t->options->pid)
		return;
	t->result->status = status;
	t->result->cpu_ns = (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) *
				    1000000000u +
			    (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000u;
}

/* All that has happened. */
static void reap(struct tracer *t)
{
	struct rusage usage;
	int status;
	pid_t tid;

	while ((tid = wait4(-1, &status, __WALL | WNOHANG, &usage)) > 0) {
		if (WIFSTOPPED(status))
			on_stop(t, tid, status);
		else
			on_end(t, tid, status, &usage);
	}
}

/* ---- sampling ------------------------------------------------------------------------------ */

/* Stop the threads that are running now. */
static void tick(struct tracer *t)
{
	struct traced **at;
	int rc;

	vector_each (&t->threads, at) {
		struct traced *thread = *at;

		if (thread->interrupted || thread->listening || thread->guest->ours ||
		    !tracee_is_running(thread->state_file))
			continue;
		if (thread->tracing && thread->patience) {
			thread->patience--;
			continue;
		}
		rc = tracee_interrupt(thread->tid);
		thread->interrupted = !rc;
		note_refusal(t, rc);
	}
}

static uint64_t draw_period(struct tracer *t)
{
	t->period = sampler_distance(&t->random, t->options->session.period);
	return t->period;
}

/* ---- beginning ----------------------------------------------------------------------------- */

static int explain_refusal(pid_t pid, int why, struct softlbr_error *e)
{
	uint32_t tracer = status_number(pid, "TracerPid:");

	errno = why;
	if (why == ESRCH)
		return error_set_errno(e, NULL, "cannot attach to process %d", (int)pid);
	if (tracer)
		return error_set(e, SOFTLBR_E_SYSTEM, NULL,
				 "cannot attach to process %d: process %u traces it already; a "
				 "debugger, strace or another softlbr has to let go of it first",
				 (int)pid, tracer);
	return error_set_errno(
		e, NULL,
		"the kernel refuses to trace process %d (ptrace): it must be yours, and neither "
		"/proc/sys/kernel/yama/ptrace_scope nor a seccomp filter may forbid it; "
		"CAP_SYS_PTRACE is allowed to",
		(int)pid);
}

/* Seize the threads that are not traced yet; their number, or a negative code. */
static int seize_threads(struct tracer *t, uint32_t pid, struct softlbr_error *e)
{
	char path[64];
	struct dirent *entry;
	int seized = 0, rc = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	d = opendir(path);
	while (d && !rc && (entry = readdir(d))) {
		pid_t tid = atoi(entry->d_name);

		if (tid <= 0 || find_thread(t, tid))
			continue;
		rc = tracee_seize(tid);
		if (rc == -ESRCH || !rc) {
			seized += !rc && add_thread(t, tid, 0);
			rc = 0;
		}
	}
	if (d)
		closedir(d);
	return rc ? explain_refusal((pid_t)pid, -rc, e) : seized;
}

static int attach_process(struct tracer *t, struct softlbr_error *e)
{
	uint32_t pid = status_number(t->options->pid, "Tgid:");
	int more;

	t->root = (pid_t)pid;
	if (!pid)
		return explain_refusal(t->options->pid, ESRCH, e);
	/* a thread that was just being made is found at the next look, or by its maker */
	while ((more = seize_threads(t, pid, e)) > 0)
		;
	if (more < 0)
		return more;
	if (!t->threads.count)
		return explain_refusal((pid_t)pid, ESRCH, e);
	return tracee_process_refresh(t, tracee_process_get(t, pid), 0, NULL);
}

/* The child: wait until it is traced, then become the command. */
static void run_command(const struct tracer *t, const sigset_t *mask, int go, int failed)
{
	char byte;
	int why;

	sigprocmask(SIG_SETMASK, mask, NULL);
	signal(SIGXFSZ, t->on_file_limit);
	if (read(go, &byte, 1) != 1)
		_exit(125);
	execvp(t->options->command[0], t->options->command);
	why = errno;
	if (write(failed, &why, sizeof(why)) != sizeof(why))
		_exit(125);
	_exit(127);
}

/* Not before the exec is known to have worked: its stop has to be attended to. */
static int await_exec(struct tracer *t, int failed)
{
	struct tracee_process *g = tracee_process_get(t, (uint32_t)t->root);
	struct pollfd p = {.fd = failed, .events = POLLIN};

	while (g->ours && !t->root_ended) {
		reap(t);
		if (poll(&p, 1, 1) > 0 && p.revents & POLLIN &&
		    read(failed, &t->result->exec_errno, sizeof(int)) == sizeof(int))
			return 0;
		g = t->root_ended ? g : tracee_process_get(t, (uint32_t)t->root);
	}
	return 0;
}

static int start_command(struct tracer *t, const sigset_t *mask, struct softlbr_error *e)
{
	int go[2], failed[2], rc;

	if (pipe2(go, O_CLOEXEC) || pipe2(failed, O_CLOEXEC))
		return error_set_errno(e, NULL, "cannot make a pipe");
	t->root = fork();
	if (t->root < 0)
		return error_set_errno(e, NULL, "cannot fork");
	if (!t->root) {
		close(go[1]); /* else it would wait for itself when tracing is refused */
		run_command(t, mask, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	rc = tracee_seize(t->root);
	if (rc)
		rc = explain_refusal(t->root, -rc, e);
	else if (!add_thread(t, t->root, 0) || write(go[1], "", 1) != 1)
		rc = error_set_errno(e, NULL, "cannot start the command");
	if (!rc)
		tracee_process_get(t, (uint32_t)t->root)->ours = true;
	close(go[1]);
	if (!rc)
		rc = await_exec(t, failed[0]);
	close(failed[0]);
	return rc;
}

/* Each thread's state is a descriptor. After the command is started: limits are inherited. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* ---- the loop ------------------------------------------------------------------------------ */

/* A signal to us: a command's is passed on, else it ends the recording. The terminal's reach the
 * command by themselves. */
static void take_signals(struct tracer *t, int signals)
{
	struct signalfd_siginfo s;

	while (read(signals, &s, sizeof(s)) == sizeof(s)) {
		int number = (int)s.ssi_signo;

		if (number == SIGCHLD || control_signal(&t->steering, number))
			continue;
		if (t->options->pid)
			t->stopping = true;
		else if (number != SIGINT && number != SIGQUIT)
			kill(t->root, number);
	}
}

struct schedule {
	uint64_t tick, sync;
	uint64_t synced_bytes;
};

/* If it is asked for, or a part is as large as it should be. */
static int rotate(struct tracer *t, bool *rotated)
{
	const struct recorder_options *o = t->options;
	bool asked = control_take_rotation(&t->steering);
	int rc;

	*rotated = asked || part_socket_due(&t->parts, t->writer.data_bytes);
	if (!*rotated)
		return 0;
	rc = trace_record_rotate(&t->writer, &o->session, t->result->counters, o->softlbr_command,
				 o->output, ++t->rotations, t->error);
	if (rc)
		return rc;
	if (o->segments.bytes)
		part_socket_give(&t->parts, t->rotations, asked);
	return tracee_processes_tell_again(t);
}

static void keep_time(struct tracer *t, struct schedule *s)
{
	enum session_state state = control_state(&t->steering);
	uint64_t now = clock_now_ns();
	bool rotated;

	control_attend(&t->steering, t->writer.data_bytes);
	if (state == SESSION_STOP)
		t->stopping = true;
	if (!t->stopping && now >= s->tick) {
		if (state == SESSION_RUN)
			tick(t);
		s->tick = clock_now_ns() + draw_period(t);
	}
	if (t->failed)
		return;
	note_failure(t, rotate(t, &rotated));
	if (!t->failed && !rotated && now >= s->sync && t->writer.data_bytes != s->synced_bytes) {
		note_failure(t, trace_record_sync(&t->writer, t->error));
		s->synced_bytes = t->writer.data_bytes;
		s->sync = now + SYNC_NS;
	}
}

static void wait_for_something(struct tracer *t, const struct schedule *s, int signals)
{
	struct pollfd files[] = {{.fd = signals, .events = POLLIN},
				 {.fd = t->parts.file, .events = POLLIN},
				 {.fd = t->steering.socket, .events = POLLIN}};
	bool on = !t->stopping && control_state(&t->steering) == SESSION_RUN;
	uint64_t now = clock_now_ns(),
		 until = on && s->tick < now + SYNC_NS ? s->tick : now + SYNC_NS;
	uint64_t left = until > now ? until - now : 0;
	struct timespec timeout = {.tv_sec = (time_t)(left / 1000000000u),
				   .tv_nsec = (long)(left % 1000000000u)};

	if (ppoll(files, 3, &timeout, NULL) > 0 && files[1].revents)
		note_failure(t, part_socket_hear(&t->parts));
}

/* Until there is nothing to record any more. A command is waited for, recorded or not. */
static void attend(struct tracer *t, int signals)
{
	struct schedule s = {.tick = clock_now_ns() + draw_period(t)};

	while (!t->root_ended && !t->parts.alone && !t->refused &&
	       !(t->stopping && t->options->pid)) {
		wait_for_something(t, &s, signals);
		take_signals(t, signals);
		reap(t);
		keep_time(t, &s);
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

		if (thread->tracing && !thread->interrupted)
			thread->interrupted = !tracee_interrupt(thread->tid);
		*breakpoint |= thread->tracing || thread->hit;
		*stop |= thread->interrupted;
	}
}

/* No breakpoint and no stop that was asked for is left; then our end lets the threads go on. A
 * thread that has a breakpoint is waited for, however long the kernel keeps it. */
static void let_go(struct tracer *t)
{
	uint64_t until = clock_now_ns() + ENDING_NS;
	struct timespec pause = {.tv_nsec = 1000000};
	bool breakpoint, stop;

	while (!t->refused) {
		reap(t);
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
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(&set, numbers[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? error_set_errno(e, NULL, "cannot wait for signals") : fd;
}

static int trace_all(struct tracer *t, const sigset_t *mask)
{
	int signals = open_signals(t->error), rc;

	if (signals < 0)
		return signals;
	prctl(PR_SET_TIMERSLACK, 1000ul);
	rc = t->options->pid ? attach_process(t, t->error) : start_command(t, mask, t->error);
	raise_descriptor_limit();
	if (!rc && !t->result->exec_errno) {
		attend(t, signals);
		let_go(t);
		rc = t->failed;
	}
	while (!t->options->pid && t->result->exec_errno && !t->root_ended)
		reap(t);
	close(signals);
	return rc;
}

int tracer_run(const struct recorder_options *o, int taker, const sigset_t *mask,
	       struct recorder_result *result, struct softlbr_error *e)
{
	struct tracer t = {.options = o,
			   .result = result,
			   .error = e,
			   .random = clock_now_ns(),
			   .parts = {.file = taker, .bytes_most = o->segments.bytes}};
	uint64_t started_ns = clock_now_ns(), started_ticks = isa_ticks();
	int rc;

	t.on_file_limit = signal(SIGXFSZ, SIG_IGN); /* writes fail as well (ulimit -f) */
	t.reader = memory_alloc(sizeof(*t.reader));
	if (!t.reader)
		return error_set_nomem(e);
	memory_reader_init(t.reader, &t.known);
	if (control_open(&t.steering, &o->steering, e))
		return -SOFTLBR_E_SYSTEM;
	if (trace_record_open(&t.writer, &o->session, o->output, e)) {
		control_close(&t.steering);
		return -SOFTLBR_E_SYSTEM;
	}
	rc = trace_all(&t, mask);
	control_close(&t.steering);
	result->tick_ns = (double)(clock_now_ns() - started_ns) /
			  (double)(isa_ticks() - started_ticks);
	result->bytes = t.writer.data_bytes;
	if (result->exec_errno || (rc && !t.threads.count && !t.root_ended))
		unlink(o->output); /* an empty recording of nothing */
	if (trace_record_finish(&t.writer, &o->session, result->counters, o->softlbr_command, e) &&
	    !rc)
		rc = -SOFTLBR_E_SYSTEM;
	tracer_trace_deinit(&t);
	memory_free(t.reader);
	return rc;
}
