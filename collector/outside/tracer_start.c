/* SPDX-License-Identifier: MIT */
/* How a tracer comes to its first threads. */

#include "collector/outside/tracer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "collector/outside/tracee_processes.h"
#include "collector/recorder/command.h"
#include "collector/recorder/recording_file.h"

static int explain_refusal(pid_t pid, int why, struct softlbr_error *e)
{
	struct tracee_status status;

	tracee_status_read(pid, &status);
	if (tracee_status_has_ended(&status))
		return error_set(e, SOFTLBR_E_SYSTEM, NULL,
				 status.threads > 1
					 ? "cannot attach to process %d: its first thread has "
					   "ended, and /proc tells nothing of its memory any more"
					 : "cannot attach to process %d: it has ended (a zombie, "
					   "whose parent has not asked for its status)",
				 (int)pid);
	if (status.kernel)
		return error_set(e, SOFTLBR_E_SYSTEM, NULL,
				 "cannot attach to process %d: it is a thread of the kernel's, and "
				 "runs no program",
				 (int)pid);
	errno = why;
	if (why == ESRCH)
		return error_set_errno(e, NULL, "cannot attach to process %d", (int)pid);
	if (status.tracer)
		return error_set(e, SOFTLBR_E_SYSTEM, NULL,
				 "cannot attach to process %d: process %u traces it already; a "
				 "debugger, strace or another softlbr has to let go of it first",
				 (int)pid, status.tracer);
	return error_set_errno(
		e, NULL,
		"the kernel refuses to trace process %d (ptrace): it must be yours, and neither "
		"/proc/sys/kernel/yama/ptrace_scope nor a seccomp filter may forbid it; "
		"CAP_SYS_PTRACE is allowed to",
		(int)pid);
}

/* A thread that a traced one has made since is traced by us from its first instruction on, and
 * comes by its maker's stop. A process's first thread may end before the others. */
static bool needs_no_seizing(pid_t tid)
{
	struct tracee_status status;

	return tracee_status_read(tid, &status) || status.tracer == (uint32_t)getpid() ||
	       tracee_status_has_ended(&status);
}

/* Seize the threads that are not traced yet; their number, or a negative code. */
static int seize_threads(struct tracer *t, uint32_t pid, bool children, struct softlbr_error *e)
{
	char path[64];
	struct dirent *entry;
	int seized = 0, rc = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	d = opendir(path);
	while (d && !rc && (entry = readdir(d))) {
		pid_t tid = atoi(entry->d_name);

		if (tid <= 0 || tracer_threads_find(t, tid))
			continue;
		rc = tracee_seize(tid, children);
		if (!rc)
			seized += tracer_threads_add(t, tid) != NULL;
		else if (rc == -ESRCH || needs_no_seizing(tid))
			rc = 0;
	}
	if (d)
		closedir(d);
	return rc ? explain_refusal((pid_t)pid, -rc, e) : seized;
}

static int seize_thread(struct tracer *t, pid_t tid, bool children, struct softlbr_error *e)
{
	int rc = tracee_seize(tid, children);

	if (rc)
		return explain_refusal(tid, -rc, e);
	return tracer_threads_add(t, tid) ? 1 : 0;
}

int tracer_start_attach(struct tracer *t, struct softlbr_error *e)
{
	bool one = t->options->only_thread, children = !executable_calls(t->options->pid).ptrace;
	struct tracee_status status;
	uint32_t pid;
	int more;

	if (tracee_status_read(t->options->pid, &status))
		return explain_refusal(t->options->pid, ESRCH, e);
	if (tracee_status_has_ended(&status) || status.kernel)
		return explain_refusal(t->options->pid, EPERM, e);
	pid = status.pid;
	t->root = one ? t->options->pid : (pid_t)pid;
	/* a thread that was just being made is found at the next look, or by its maker */
	while ((more = one ? seize_thread(t, t->root, children, e)
			   : seize_threads(t, pid, children, e)) > 0 &&
	       !one)
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
	signal(SIGPIPE, t->on_closed_pipe);
	tracee_events_ignore();
	if (read(go, &byte, 1) != 1)
		_exit(125);
	recording_file_give_output(t->options->output);
	execvp(t->options->command[0], t->options->command);
	why = errno;
	if (write(failed, &why, sizeof(why)) != sizeof(why))
		_exit(125);
	_exit(127);
}

/* Not before the exec is known to have worked: its stop has to be attended to. */
static int await_exec(struct tracer *t, int failed)
{
	struct tracee_process *process = tracee_process_get(t, (uint32_t)t->root);
	struct pollfd p = {.fd = failed, .events = POLLIN};

	while (process->ours && !t->root_ended) {
		tracer_stops_reap(t);
		if (poll(&p, 1, 1) > 0 && p.revents & POLLIN &&
		    read(failed, &t->result->exec_errno, sizeof(int)) == sizeof(int))
			return 0;
		process = t->root_ended ? process : tracee_process_get(t, (uint32_t)t->root);
	}
	return 0;
}

int tracer_start_command(struct tracer *t, const sigset_t *mask, struct softlbr_error *e)
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
	rc = tracee_seize(t->root, true);
	if (rc)
		rc = explain_refusal(t->root, -rc, e);
	else if (!tracer_threads_add(t, t->root) || write(go[1], "", 1) != 1)
		rc = error_set_errno(e, NULL, "cannot start the command");
	if (!rc)
		tracee_process_get(t, (uint32_t)t->root)->ours = true;
	close(go[1]);
	if (!rc)
		rc = await_exec(t, failed[0]);
	close(failed[0]);
	return rc;
}
