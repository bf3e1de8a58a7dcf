/* SPDX-License-Identifier: MIT */
#include "collector/outside/attach.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "collector/outside/recording_socket.h"
#include "collector/outside/tracee.h"
#include "collector/outside/tracer.h"

/* What the tracer leaves for us. */
struct shared {
	bool done;
	bool stuck; /* tracer_watch.c */
	int rc;
	struct softlbr_error error;
	struct recorder_result result;
};

/* For the handler: whom signals go to; 0 before the tracer is started and after its end, and where
 * there is no command. */
static volatile sig_atomic_t tracer_pid, command_pid;

/* The terminal's SIGINT and SIGQUIT come to the command as to us. */
static void forward(int number, siginfo_t *info, void *context)
{
	int kept = errno;
	/* it speaks to whoever started it, or to its group: not to itself */
	union sigval from_command = {.sival_int = info->si_code <= 0 && command_pid > 0 &&
						  info->si_pid == command_pid};

	(void)context;
	if (tracer_pid > 0 && (info->si_code <= 0 || (number != SIGINT && number != SIGQUIT)))
		sigqueue((pid_t)tracer_pid, tracer_forwarded(number), from_command);
	else if (!tracer_pid && command_pid > 0 && info->si_code <= 0 && !from_command.sival_int)
		kill((pid_t)command_pid, number);
	errno = kept;
}

static const int forwarded[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
#define FORWARDED (sizeof(forwarded) / sizeof(forwarded[0]))

static void run_tracer(const struct recorder_options *o, const struct witness *w,
		       struct tracee_command *c, int recorder_end, struct shared *s)
{
	s->rc = tracer_run(o, w, c, recorder_end, &s->stuck, &s->result, &s->error);
	s->done = true;
	_exit(0);
}

static int wait_for(pid_t child, struct softlbr_error *e)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return error_set_errno(e, NULL, "cannot wait for the tracer");
	return 0;
}

/* Take the tracer's parts, and what is left at its end. */
static int attend(const struct recorder_options *o, pid_t child, int tracer, const struct shared *s,
		  struct softlbr_error *e)
{
	const struct rotation_options *rotation = &o->rotation;
	int rc = recording_socket_take(tracer, rotation, o->output, e), waited = wait_for(child, e);

	tracer_pid = 0;
	if (rc || waited || !rotation->bytes || !s->done || access(o->output, F_OK))
		return rc ? rc : waited;
	return rotation->take(rotation->context, o->output, false, e);
}

/* Block what is forwarded, and what it is forwarded by; *before: the mask without that. */
static void block_forwarded(sigset_t *before)
{
	sigset_t block;

	sigemptyset(&block);
	for (size_t i = 0; i < FORWARDED; i++) {
		sigaddset(&block, forwarded[i]);
		sigaddset(&block, tracer_forwarded(forwarded[i]));
	}
	sigprocmask(SIG_BLOCK, &block, before);
}

/* As the recorder: until the tracer has ended, and the command, whoever traces it. */
static int record_by(pid_t tracer, const struct recorder_options *o, const struct tracee_command *c,
		     const sigset_t *mask, int end, struct shared *s, struct softlbr_error *e)
{
	struct sigaction action = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO},
			 before[FORWARDED];
	void (*on_file_limit)(int) = signal(SIGXFSZ, SIG_IGN); /* the tracer's is its own */
	struct rusage usage;
	int rc;

	command_pid = c->pid;
	tracer_pid = tracer;
	for (size_t i = 0; i < FORWARDED; i++)
		sigaction(forwarded[i], &action, &before[i]);
	sigprocmask(SIG_SETMASK, mask, NULL);
	rc = tracer < 0 ? error_set_errno(e, NULL, "cannot fork") : attend(o, tracer, end, s, e);
	tracer_pid = 0;
	if (c->pid)
		tracee_command_wait(c, &s->result.status, &usage);
	if (c->pid && !s->done)
		recorder_take_usage(&s->result, &usage);
	command_pid = 0;
	signal(SIGXFSZ, on_file_limit);
	for (size_t i = 0; i < FORWARDED; i++)
		sigaction(forwarded[i], &before[i], NULL);
	return rc;
}

static int with_tracer(const struct recorder_options *o, struct shared *s, struct softlbr_error *e)
{
	struct tracee_command command = {0};
	struct witness witness = {0};
	sigset_t mask;
	int ends[2], rc = 0;
	pid_t child;

	if (recording_socket_open(ends, e))
		return -SOFTLBR_E_SYSTEM;
	block_forwarded(&mask);
	if (o->command) {
		witness_start(&witness, o->softlbr_command);
		rc = tracee_command_start(&command, o, &mask, e);
	}
	if (!rc) {
		child = fork();
		if (!child) {
			close(ends[1]);
			run_tracer(o, &witness, &command, ends[0], s);
		}
		close(ends[0]);
		ends[0] = -1;
		if (o->command)
			tracee_command_close(&command);
		rc = record_by(child, o, &command, &mask, ends[1], s, e);
	}
	witness_end(&witness);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (ends[0] >= 0)
		close(ends[0]);
	close(ends[1]);
	return rc;
}

int attach_run(const struct recorder_options *o, struct recorder_result *result,
	       struct softlbr_error *e)
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int rc;

	*result = (struct recorder_result){0};
	if (s == MAP_FAILED)
		return error_set_nomem(e);
	rc = with_tracer(o, s, e);
	if (!rc && !s->done)
		rc = error_set(e, SOFTLBR_E_SYSTEM, NULL,
			       s->stuck
				       ? "a read of the program's memory did not come back: it "
					 "serves its own page faults (userfaultfd, FUSE), and was "
					 "stopped; it went on, and %s holds what was recorded"
				       : "the tracer was killed; the program went on, and %s holds "
					 "what was recorded",
			       o->output);
	s->result.left = !s->done;
	*result = s->result;
	if (!rc && s->rc) {
		if (e)
			*e = s->error;
		rc = s->rc;
	}
	munmap(s, sizeof(*s));
	return rc;
}

/* ---- whether this machine lets it work ----------------------------------------------------- */

static __attribute__((noinline)) void target(void)
{
	__asm__ volatile("");
}

static pid_t stopped(pid_t child, int *status)
{
	return waitpid(child, status, 0) == child && WIFSTOPPED(*status) ? child : 0;
}

/* What a tracer does: stop, look at registers and memory, break, go on. 0, or an errno. */
static int trace_child(pid_t child, bool *hit)
{
	struct tracee_registers registers;
	struct isa_state state;
	uint64_t here, there;
	struct iovec to = {&here, sizeof(here)}, from = {(void *)target, sizeof(here)};
	int status, sig, rc = tracee_seize(child, true);

	if (!rc)
		rc = tracee_interrupt(child);
	if (rc)
		return -rc;
	if (!stopped(child, &status))
		return ECHILD;
	rc = tracee_registers(child, &registers);
	if (!rc)
		rc = tracee_load(child, &registers, &state);
	if (!rc)
		rc = tracee_break_at(child, (uintptr_t)target);
	if (!rc)
		rc = tracee_resume(child, 0, false);
	if (rc)
		return -rc;
	memcpy(&there, (const void *)target, sizeof(there));
	if (process_vm_readv(child, &to, 1, &from, 1, 0) != sizeof(here))
		return errno;
	if (!stopped(child, &status) || here != there)
		return ECHILD;
	*hit = tracee_why(child, NULL, status, &sig) == TRACEE_BREAKPOINT;
	return 0;
}

int attach_check(bool *hit)
{
	int status, rc;
	pid_t child = fork();

	*hit = false;
	if (child < 0)
		return errno;
	if (child == 0) {
		alarm(5);
		for (;;)
			target();
	}
	rc = trace_child(child, hit);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return rc;
}
