/* SPDX-License-Identifier: MIT */
#include "collector/recorder/recorder.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "collector/kernel/clock.h"
#include "collector/kernel/task_status.h"
#include "collector/recorder/command.h"
#include "collector/recorder/kept_binaries.h"
#include "collector/recorder/recording_file.h"
#include "collector/recorder/session_directory.h"
#include "collector/recorder/synthesize.h"
#include "collector/recorder/trace_writer.h"
#include "collector/recorder/witness.h"
#include "isa/host.h"

/* One in so many looks at the buffers looks for debuggers. */
#define DEBUGGER_LOOKS 10u

/* How often the buffers are emptied: more seldom as long as less than a quarter of one process's
 * fills meanwhile, and each look takes from what the program has. */
#define DRAIN_MS_LEAST 50
#define DRAIN_MS_MOST  200

/*
 * The kernel wakes who polls the rings of process events at each end of a thread that has these
 * events, and finds that there is nothing to tell: 5 us, of each thread and each process. Where so
 * many come between two looks, the rings are looked at instead, each few milliseconds, until less
 * is written to them.
 */
#define CROWDED_WAKES 8
#define CROWDED_BYTES 1024u
#define CROWDED_MS    5

struct rotation_worker {
	struct rotation_options options;
	pthread_t worker;
	bool running, rotate;
	char *path; /* the worker's */
	struct softlbr_error error;
};

struct recorder {
	const struct recorder_options *options;
	struct trace_writer trace_writer;
	struct sideband sideband;
	unsigned looks; /* at the buffers */
	struct control control;
	struct rotation_worker rotation;
	struct convergence convergence;
	unsigned rotations;
	int drain_ms;
	bool crowded;	  /* threads and processes end all the time */
	uint64_t written; /* to the rings, at the last look */
	pid_t child;
	struct witness witness;
	uint64_t started_ns, started_ticks;
	/* what the command is to inherit for SIGXFSZ and SIGPIPE */
	void (*on_file_limit)(int), (*on_closed_pipe)(int);
};

/* ---- recordings that are not kept ------------------------------------------------------------ */

/* Is it time for a new part, with so many bytes in this one? */
static bool rotation_worker_due(const struct rotation_worker *s, uint64_t bytes)
{
	return s->options.bytes && bytes >= s->options.bytes;
}

static void *take_part(void *rotation)
{
	struct rotation_worker *s = rotation;

	s->options.take(s->options.context, s->path, s->rotate, &s->error);
	return NULL;
}

/* Fine without one. */
static int rotation_worker_wait(struct rotation_worker *s, struct softlbr_error *e)
{
	if (!s->running)
		return 0;
	pthread_join(s->worker, NULL);
	s->running = false;
	memory_free(s->path);
	s->path = NULL;
	if (s->error.code && e && !e->code)
		*e = s->error;
	return s->error.code ? -s->error.code : 0;
}

/* OUTPUT.number is a part: give it to the worker, when that has done the one before. An error that
 * is its, or ours. */
static int rotation_worker_hand_over(struct rotation_worker *s, const char *output, unsigned number,
				     bool rotate, struct softlbr_error *e)
{
	sigset_t all, before;
	int rc = rotation_worker_wait(s, e);

	if (rc)
		return rc;
	s->path = memory_format("%s.%u", output, number);
	if (!s->path)
		return error_set_nomem(e);
	s->rotate = rotate;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the recorder's */
	rc = pthread_create(&s->worker, NULL, take_part, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	s->running = !rc;
	if (!rc)
		return 0;
	memory_free(s->path);
	s->path = NULL;
	return error_set(e, SOFTLBR_E_SYSTEM, NULL, "cannot make a worker thread: %s",
			 strerror(rc));
}

/* The end: wait, and take @output, the last part. */
static int rotation_worker_finish(struct rotation_worker *s, const char *output,
				  struct softlbr_error *e)
{
	int rc = rotation_worker_wait(s, e);

	if (rc || !s->options.bytes)
		return rc;
	return s->options.take(s->options.context, output, false, e);
}

/* ---- the command --------------------------------------------------------------------------- */

/* The dynamic linker ends a name in LD_PRELOAD at a space or colon: a library with one in its path
 * is preloaded by a link in the session's directory, @link. */
static const char *preloadable(const struct recorder *r, char *link, size_t bytes)
{
	const char *library = r->options->library;

	snprintf(link, bytes, "%s/libsoftlbr-collector.so", r->trace_writer.directory.path);
	return strpbrk(library, " :") && !symlink(library, link) ? link : library;
}

/* Ours until the end, and the command's. */
static int set_environment(const struct recorder *r, struct softlbr_error *e)
{
	char link[SESSION_DIRECTORY_BYTES + sizeof("/libsoftlbr-collector.so")];
	const char *library = preloadable(r, link, sizeof(link));
	const char *preload = getenv("LD_PRELOAD");
	const char *first = r->options->sanitizer.first;
	size_t bytes = strlen(first) + strlen(library) + (preload ? strlen(preload) : 0) + 3;
	char *value = memory_alloc(bytes);
	int rc = -1;

	if (value) {
		snprintf(value, bytes, "%s%s%s%s%s", first, *first ? ":" : "", library,
			 preload ? ":" : "", preload ? preload : "");
		rc = setenv("LD_PRELOAD", value, 1) |
		     setenv(SESSION_ENVIRONMENT, r->trace_writer.directory.path, 1);
	}
	memory_free(value);
	return rc ? error_set_nomem(e) : 0;
}

/* What is sent to us alone is passed on to the command. Either way its end is ours. */
static const int passed[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGINT, SIGQUIT};
#define PASSED (sizeof(passed) / sizeof(passed[0]))

/* Who sent it; 0: nobody. Written by the handler, taken in attend. */
static volatile sig_atomic_t came[_NSIG];
#define FROM_KERNEL (-1)

/* The terminal's SIGINT and SIGQUIT go to the command as well, whose end is ours. */
static void note_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	if ((number != SIGINT && number != SIGQUIT) || info->si_code <= 0)
		came[number] = info->si_code > 0 || !info->si_pid ? FROM_KERNEL : info->si_pid;
}

static void take_signals(void)
{
	struct sigaction action = {.sa_sigaction = note_signal, .sa_flags = SA_SIGINFO};

	for (size_t i = 0; i < PASSED; i++)
		sigaction(passed[i], &action, NULL);
}

static void give_signals_back(void)
{
	for (size_t i = 0; i < PASSED; i++)
		signal(passed[i], SIG_DFL);
}

/* As execvp(3) does it: a file that the kernel does not know is a script for sh. */
static int spawn_script(const struct recorder_options *o, const posix_spawn_file_actions_t *files,
			const posix_spawnattr_t *how, pid_t *child)
{
	char path[PATH_MAX], shell[] = "/bin/sh";
	size_t count = 0;
	char **words;
	int why;

	while (o->command[count])
		count++;
	words = memory_alloc((count + 2) * sizeof(*words));
	if (!words || command_find(o->command[0], path, sizeof(path))) {
		memory_free(words);
		return ENOEXEC;
	}
	words[0] = shell;
	words[1] = path;
	memcpy(words + 2, o->command + 1, count * sizeof(*words));
	why = posix_spawn(child, shell, files, how, words, environ);
	memory_free(words);
	return why;
}

/* What the command is to have as we were given it: signals, and where to write. 0 or an errno. */
static int spawn(const struct recorder *r, const sigset_t *mask, pid_t *child)
{
	const struct recorder_options *o = r->options;
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t back;
	int why;

	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&how);
	sigemptyset(&back);
	if (r->on_file_limit != SIG_IGN)
		sigaddset(&back, SIGXFSZ);
	if (r->on_closed_pipe != SIG_IGN)
		sigaddset(&back, SIGPIPE);
	posix_spawnattr_setsigdefault(&how, &back);
	posix_spawnattr_setsigmask(&how, mask);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	why = recording_file_is_pipe(o->output)
		      ? posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO)
		      : 0;
	if (!why)
		why = posix_spawnp(child, o->command[0], &files, &how, o->command, environ);
	if (why == ENOEXEC)
		why = spawn_script(o, &files, &how, child);
	posix_spawnattr_destroy(&how);
	posix_spawn_file_actions_destroy(&files);
	return why;
}

/* The events are ours, and inherited; they begin with the command's exec. Our memory is not copied
 * for that: a fork takes a tenth of the time of recording a short command. */
static int start_command(struct recorder *r, struct recorder_result *result,
			 struct softlbr_error *e)
{
	sigset_t ours, before;
	int why;

	if (set_environment(r, e) || sideband_open(&r->sideband, r->options->session.stack_copy, e))
		return -SOFTLBR_E_SYSTEM;
	sigemptyset(&ours);
	for (size_t i = 0; i < PASSED; i++)
		sigaddset(&ours, passed[i]);
	sigprocmask(SIG_BLOCK, &ours, &before);
	why = spawn(r, &before, &r->child);
	take_signals(); /* not before: the command would inherit what is ignored */
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (!why)
		return 0;
	r->child = 0;
	errno = why;
	if (why == EAGAIN)
		return error_set_errno(e, NULL, "cannot start a process");
	result->exec_errno = why;
	return 0;
}

/* @bytes came since the last time. */
static void adapt(struct recorder *r, uint64_t bytes)
{
	const struct session_options *o = &r->options->session;
	uint64_t room = (uint64_t)o->chunk_bytes * o->chunk_count;

	if (bytes < room / 4)
		r->drain_ms *= 2;
	else if (bytes > room / 2)
		r->drain_ms /= 2;
	if (r->drain_ms > DRAIN_MS_MOST)
		r->drain_ms = DRAIN_MS_MOST;
	if (r->drain_ms < DRAIN_MS_LEAST)
		r->drain_ms = DRAIN_MS_LEAST;
}

static void note_debugger(struct trace_writer *j, uint32_t pid)
{
	char program[PATH_MAX];

	if (task_program(pid, program, sizeof(program)))
		exclusion_list_add_program(&j->exclusions, EXCLUSION_TRACED, program);
}

/* One that writes nothing sends no signals either. */
static bool is_silent(const struct process_buffer *m)
{
	return m->quiet > DEBUGGER_LOOKS;
}

/*
 * A debugger that attaches to a process which is recorded sees each of the collector's signals, and
 * stops at it: the process is told to stop sampling. Until then it may see a few.
 */
static void look_for_debuggers(struct recorder *r)
{
	struct task_status status;
	struct process_buffer *m;

	if (++r->looks % DEBUGGER_LOOKS)
		return;
	vector_each (&r->trace_writer.processes, m) {
		if (m->traced || is_silent(m))
			continue;
		task_status_of(m->pid, &status);
		if (!status.tracer)
			continue;
		m->traced = true;
		note_debugger(&r->trace_writer, m->pid);
	}
}

static int drain(struct recorder *r, struct softlbr_error *e)
{
	uint64_t before = r->trace_writer.writer.data_bytes, bytes;

	look_for_debuggers(r);
	if (sideband_drain(&r->sideband, &r->trace_writer.writer, e) ||
	    trace_writer_drain(&r->trace_writer, e))
		return -SOFTLBR_E_SYSTEM;
	bytes = r->trace_writer.writer.data_bytes - before;
	adapt(r, bytes);
	return bytes ? trace_writer_sync(&r->trace_writer, e) : 0;
}

static int rotate(struct recorder *r, struct softlbr_error *e)
{
	const struct recorder_options *o = r->options;
	uint64_t counters[COUNTER_COUNT];
	bool asked = control_take_rotation(&r->control);
	int rc, refused;

	if (!asked && !rotation_worker_due(&r->rotation, r->trace_writer.writer.data_bytes))
		return 0;
	if (o->keeps_binaries && kept_binaries_copy(&r->trace_writer.writer, o->output, e))
		return -SOFTLBR_E_SYSTEM;
	trace_writer_count(&r->trace_writer, counters, &refused);
	rc = recording_file_rotate(&r->trace_writer.writer, &o->session, counters,
				   o->softlbr_command, o->output, &r->rotations, e);
	if (!rc && o->rotation.bytes)
		rc = rotation_worker_hand_over(&r->rotation, o->output, r->rotations, asked, e);
	return rc ?: trace_writer_tell_again(&r->trace_writer, e);
}

/* A recording that can't go on (a full disk) does not end the program. */
static int keep_recording(struct recorder *r, struct recorder_result *result, int failed,
			  struct softlbr_error *e)
{
	int rc = failed ? failed : drain(r, e);

	result->converged |= convergence_stop(&r->options->convergence, &r->convergence,
					      &r->control);
	control_attend(&r->control, r->trace_writer.writer.data_bytes);
	if (!rc)
		rc = rotate(r, e);
	trace_writer_set_state(&r->trace_writer, rc ? SESSION_STOP : control_state(&r->control));
	trace_writer_set_converged(&r->trace_writer,
				   convergence_is_reached(&r->options->convergence, &r->convergence,
							  r->trace_writer.converged));
	return rc;
}

/* The command's own processes speak to whoever started it, or to their group: not to themselves. */
static bool is_of_command(const struct recorder *r, pid_t sender)
{
	struct task_status status = {.parent = (uint32_t)sender};

	while (sender > 0 && status.parent > 1 && status.parent != (uint32_t)r->child)
		task_status_of(status.parent, &status);
	return sender > 0 && status.parent == (uint32_t)r->child;
}

/* What came to the command as well is not passed on to it. SIGINT ends the recording too. */
static void pass_on(struct recorder *r, int number, pid_t sender)
{
	if (control_signal(&r->control, number) || witness_saw(&r->witness, number) ||
	    is_of_command(r, sender))
		return;
	if (number == SIGINT)
		control_end(&r->control);
	kill(r->child, command_signal(r->child, number));
}

static void pass_all_on(struct recorder *r)
{
	for (size_t i = 0; i < PASSED; i++) {
		pid_t sender = came[passed[i]];

		if (!sender)
			continue;
		came[passed[i]] = 0;
		pass_on(r, passed[i], sender);
	}
}

static uint64_t ns_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_usec * 1000u;
}

void recorder_take_usage(struct recorder_result *r, const struct rusage *u)
{
	r->user_ticks = ns_of(&u->ru_utime);
	r->system_ticks = ns_of(&u->ru_stime);
	r->cpu_ns = r->user_ticks + r->system_ticks;
	r->switches = (uint64_t)u->ru_nvcsw + (uint64_t)u->ru_nivcsw;
}

/* How often this thread has waited so far. */
static long count_waits(void)
{
	struct rusage own = {0};

	getrusage(RUSAGE_THREAD, &own);
	return own.ru_nvcsw;
}

/* It was waited @waits times for what took one. */
static void note_crowd(struct recorder *r, long waits)
{
	uint64_t written = sideband_written(&r->sideband);

	r->crowded = r->crowded ? written - r->written > CROWDED_BYTES : waits > CROWDED_WAKES;
	r->written = written;
}

/* For something to do, or until it is time to look. Is the command over? */
static bool wait_for_end(struct recorder *r, int child)
{
	struct pollfd files[2 + CONTROL_EARS] = {
		{.fd = child, .events = POLLIN},
		{.fd = r->crowded ? -1 : r->sideband.filling, .events = POLLIN},
	};
	uint64_t steady_ms = control_steady_ns(&r->control) / 1000000;
	int ms = steady_ms < (uint64_t)r->drain_ms ? (int)steady_ms + 1 : r->drain_ms, come;
	long waits = count_waits();

	control_listen(&r->control, files + 2);
	do {
		int now = r->crowded && ms > CROWDED_MS ? CROWDED_MS : ms;

		come = poll(files, sizeof(files) / sizeof(files[0]), now);
		ms -= now;
	} while (!come && ms > 0 && !sideband_is_filling(&r->sideband));
	note_crowd(r, count_waits() - waits);
	return come > 0 && files[0].revents;
}

static int attend(struct recorder *r, struct recorder_result *result, struct softlbr_error *e)
{
	int child = (int)syscall(SYS_pidfd_open, r->child, 0), rc = 0;
	struct rusage usage;

	while (!wait_for_end(r, child)) {
		if (!r->witness.pid)
			witness_start(&r->witness, r->options->softlbr_command);
		pass_all_on(r);
		rc = keep_recording(r, result, rc, e);
	}
	pass_all_on(r);
	trace_writer_set_state(&r->trace_writer, SESSION_STOP);
	close(child);
	while (wait4(r->child, &result->status, 0, &usage) < 0 && errno == EINTR)
		;
	recorder_take_usage(result, &usage);
	witness_end(&r->witness);
	return rc ?: drain(r, e);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void take_traces(void *convergence, const void *records, size_t bytes)
{
	convergence_add(convergence, records, bytes);
}

int recorder_run(const struct recorder_options *o, struct recorder_result *result,
		 struct softlbr_error *e)
{
	struct recorder r = {.options = o,
			     .rotation = {.options = o->rotation},
			     .drain_ms = DRAIN_MS_LEAST,
			     .started_ns = clock_now_ns(),
			     .started_ticks = isa_ticks()};
	struct trace_writer *j = &r.trace_writer;
	struct rusage own;
	int rc, finished;

	*result = (struct recorder_result){0};
	/* writes fail as well (ulimit -f, a reader that is gone) */
	r.on_file_limit = signal(SIGXFSZ, SIG_IGN);
	r.on_closed_pipe = signal(SIGPIPE, SIG_IGN);
	if (control_open(&r.control, &o->control, e))
		return -SOFTLBR_E_SYSTEM;
	if (trace_writer_open(j, &o->session, control_state(&r.control), o->output, e)) {
		control_close(&r.control);
		return -SOFTLBR_E_SYSTEM;
	}
	r.convergence.tagged = session_is_tagged(&o->session);
	j->common.listener = (struct process_buffer_listener){take_traces, &r.convergence};
	rc = trace_writer_hold(j, e) ?: start_command(&r, result, e);
	session_directory_remove_orphans(&j->directory); /* while the command starts */
	if (!rc && r.child)
		rc = attend(&r, result, e);
	give_signals_back();
	result->tick_ns = (double)(clock_now_ns() - r.started_ns) /
			  (double)(isa_ticks() - r.started_ticks);
	trace_writer_count(j, result->counters, &result->refused);
	trace_writer_exclusions(j, &result->exclusions);
	/* forks without a sample have no file */
	result->processes = j->process_count + (unsigned)(result->counters[COUNTER_FORKS] -
							  result->counters[COUNTER_FORKS_SAMPLED]);
	result->bytes = j->writer.data_bytes;
	result->foreign = j->common.refused;
	convergence_measure(&r.convergence, &result->convergence);
	convergence_deinit(&r.convergence);
	if (result->exec_errno)
		recording_file_remove(&j->writer, o->output);
	if (!rc && o->keeps_binaries)
		rc = kept_binaries_copy(&j->writer, o->output, e);
	result->kept_old = !j->writer.has_samples && !perfdata_writer_appeared(&j->writer);
	finished = trace_writer_finish(j, o->softlbr_command, e);
	getrusage(RUSAGE_SELF, &own);
	result->own_ns = ns_of(&own.ru_utime) + ns_of(&own.ru_stime);
	if (!result->exec_errno && !finished)
		finished = rotation_worker_finish(&r.rotation, o->output, e);
	rotation_worker_wait(&r.rotation, NULL);
	trace_writer_close(j);
	sideband_close(&r.sideband);
	control_close(&r.control);
	return rc ?: finished;
}
