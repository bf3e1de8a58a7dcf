/* SPDX-License-Identifier: MIT */
#include "collector/outside/attach.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "collector/outside/part_socket.h"
#include "collector/outside/tracer.h"

/* What the tracer leaves for us. */
struct shared {
	bool done;
	bool stuck; /* tracer_watch.h */
	int rc;
	struct softlbr_error error;
	struct recorder_result result;
};

/* For the handler: whom signals go to; 0 before the tracer is started and after its end. */
static volatile sig_atomic_t tracer_pid;

/* The terminal's signals come to the tracer as to us. */
static void forward(int number, siginfo_t *info, void *context)
{
	int kept = errno;

	(void)context;
	if (tracer_pid > 0 && info->si_code <= 0)
		kill((pid_t)tracer_pid, number);
	errno = kept;
}

static const int forwarded[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
#define FORWARDED (sizeof(forwarded) / sizeof(forwarded[0]))

static void run_tracer(const struct recorder_options *o, int taker, const sigset_t *mask,
		       struct shared *s)
{
	s->rc = tracer_run(o, taker, mask, &s->stuck, &s->result, &s->error);
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

/* Its parts, and what is left at its end. */
static int attend(const struct recorder_options *o, pid_t child, int tracer, const struct shared *s,
		  struct softlbr_error *e)
{
	const struct rotation_options *rotation = &o->rotation;
	int rc = part_socket_take(tracer, rotation, o->output, e), waited = wait_for(child, e);

	tracer_pid = 0;
	if (rc || waited || !rotation->bytes || !s->done || access(o->output, F_OK))
		return rc ? rc : waited;
	return rotation->take(rotation->context, o->output, false, e);
}

static int with_tracer(const struct recorder_options *o, struct shared *s, struct softlbr_error *e)
{
	struct sigaction action = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO},
			 before[FORWARDED];
	sigset_t block, mask;
	void (*on_file_limit)(int);
	int ends[2], rc;
	pid_t child;

	if (part_socket_open(ends, e))
		return -SOFTLBR_E_SYSTEM;
	sigemptyset(&block);
	for (size_t i = 0; i < FORWARDED; i++)
		sigaddset(&block, forwarded[i]);
	sigprocmask(SIG_BLOCK, &block, &mask);
	child = fork();
	if (!child) {
		close(ends[1]);
		run_tracer(o, ends[0], &mask, s);
	}
	tracer_pid = child;
	on_file_limit = signal(SIGXFSZ, SIG_IGN); /* the tracer's is its own */
	for (size_t i = 0; i < FORWARDED; i++)
		sigaction(forwarded[i], &action, &before[i]);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(ends[0]);
	rc = child < 0 ? error_set_errno(e, NULL, "cannot fork") : attend(o, child, ends[1], s, e);
	tracer_pid = 0;
	signal(SIGXFSZ, on_file_limit);
	for (size_t i = 0; i < FORWARDED; i++)
		sigaction(forwarded[i], &before[i], NULL);
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
			       s->stuck ? "a read of the program's memory did not come back: it "
					  "serves its own page faults (userfaultfd, FUSE), and was "
					  "stopped; it goes on, and %s holds what was recorded"
					: "the tracer was killed; %s holds what it had recorded",
			       o->output);
	*result = s->result;
	if (!rc && s->rc) {
		if (e)
			*e = s->error;
		rc = s->rc;
	}
	munmap(s, sizeof(*s));
	return rc;
}
