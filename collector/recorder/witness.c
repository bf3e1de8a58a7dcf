/* SPDX-License-Identifier: MIT */
#include "collector/recorder/witness.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/kernel/task_status.h"

/* The kernel sends a group's signals one right after the other; a service manager may be preempted
 * in between. */
#define LOOKS	20
#define LOOK_NS 1000000

/* Nobody else sends it: what waits is to be taken. */
#define FORGET SIGRTMIN

static _Noreturn void witness_run(pid_t recorder, char *const *arguments)
{
	const struct timespec none = {0};
	sigset_t forget, all;

	/* not the stops of job control, which are for the whole group */
	sigfillset(&all);
	sigdelset(&all, SIGTSTP);
	sigdelset(&all, SIGTTIN);
	sigdelset(&all, SIGTTOU);
	sigprocmask(SIG_SETMASK, &all, NULL);
	signal(FORGET, SIG_DFL);
	prctl(PR_SET_NAME, "witness");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (; *arguments; arguments++)
		memset(*arguments, 0, strlen(*arguments));
	/* a reader of what the recorder writes waits for the last one who has it */
	syscall(SYS_close_range, 0u, ~0u, 0u);
	sigemptyset(&forget);
	sigaddset(&forget, FORGET);
	while (getppid() == recorder)
		if (sigwaitinfo(&forget, NULL) == FORGET)
			while (sigtimedwait(&all, NULL, &none) > 0)
				;
	_exit(0);
}

void witness_start(struct witness *w, char *const *arguments)
{
	pid_t recorder = getpid();

	w->pid = fork();
	if (!w->pid)
		witness_run(recorder, arguments);
	if (w->pid < 0)
		w->pid = 0;
}

bool witness_saw(const struct witness *w, int number)
{
	const struct timespec pause = {.tv_nsec = LOOK_NS};
	struct task_status status;

	for (int i = 0; w->pid && i < LOOKS; i++) {
		task_status_of((uint32_t)w->pid, &status);
		if (status.pending_of_process >> (number - 1) & 1) {
			kill(w->pid, FORGET);
			return true;
		}
		nanosleep(&pause, NULL);
	}
	return false;
}

void witness_end(struct witness *w)
{
	if (!w->pid)
		return;
	kill(w->pid, SIGKILL);
	waitpid(w->pid, NULL, 0);
	w->pid = 0;
}
