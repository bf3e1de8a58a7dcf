/* SPDX-License-Identifier: MIT */
#include "collector/outside/tracee_command.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "collector/outside/tracee_events.h"
#include "collector/recorder/recording_file.h"

/* The child: wait until it is traced, then become the command. */
static _Noreturn void run(const struct recorder_options *o, const sigset_t *mask, int go,
			  int failed)
{
	int why = 0;
	char byte;

	sigprocmask(SIG_SETMASK, mask, NULL);
	tracee_events_ignore();
	/* Yama lets only ancestors trace, or whom a process names; the tracer is not there yet */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	if (write(failed, &why, sizeof(why)) != sizeof(why) || read(go, &byte, 1) != 1)
		_exit(125);
	prctl(PR_SET_PTRACER, 0);
	recording_file_give_output(o->output);
	execvp(o->command[0], o->command);
	why = errno;
	if (write(failed, &why, sizeof(why)) != sizeof(why))
		_exit(125);
	_exit(127);
}

int tracee_command_start(struct tracee_command *c, const struct recorder_options *o,
			 const sigset_t *mask, struct softlbr_error *e)
{
	int go[2], failed[2], ready;

	*c = (struct tracee_command){.go = -1, .failed = -1};
	if (pipe2(go, O_CLOEXEC))
		return error_set_errno(e, NULL, "cannot make a pipe");
	if (pipe2(failed, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return error_set_errno(e, NULL, "cannot make a pipe");
	}
	c->pid = fork();
	if (!c->pid) {
		close(go[1]); /* else it would wait for itself when tracing is refused */
		run(o, mask, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	c->go = go[1];
	c->failed = failed[0];
	if (c->pid > 0 && read(c->failed, &ready, sizeof(ready)) == sizeof(ready))
		return 0;
	tracee_command_close(c);
	return error_set_errno(e, NULL, "cannot start a process");
}

bool tracee_command_go(struct tracee_command *c)
{
	return write(c->go, "", 1) == 1;
}

void tracee_command_close(struct tracee_command *c)
{
	if (c->go >= 0)
		close(c->go);
	if (c->failed >= 0)
		close(c->failed);
	c->go = c->failed = -1;
}

void tracee_command_wait(const struct tracee_command *c, int *status, struct rusage *usage)
{
	while (wait4(c->pid, status, 0, usage) < 0 && errno == EINTR)
		;
}
