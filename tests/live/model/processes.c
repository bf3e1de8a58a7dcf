/* SPDX-License-Identifier: MIT */
/* Steps about processes: made in every way, waited for in every way, and replaced by ourselves. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model.h"

extern char **environ;

static pid_t wait_by(unsigned how, pid_t child, int *status, siginfo_t *info)
{
	switch (how) {
	case 0:
		return waitid(P_PID, (id_t)child, info, WEXITED) ? -1 : child;
	case 1:
		return wait(status);
	case 2:
		return wait4(child, status, 0, NULL);
	default:
		return waitpid(child, status, WUNTRACED);
	}
}

/* Waits in one of the ways; SIGCHLD may be such that there is nothing to wait for. Then it may come
 * while the child is not quite gone, and end the wait. Nothing is said before: the child's lines
 * come first. */
static void wait_for(struct dice *d, pid_t child, const char *what)
{
	unsigned how = dice_below(d, 4);
	siginfo_t info = {.si_code = 0};
	int status = -1;
	pid_t got;

	do
		got = wait_by(how, child, &status, &info);
	while (got < 0 && errno == EINTR);
	if (!how)
		journey_result(got < 0 ? -1 : 0, "%s: waitid code %d status %d", what, info.si_code,
			       got < 0 ? 0 : info.si_status);
	else
		journey_result(got == child ? 0 : got, "%s: status %x", what,
			       got == child ? (unsigned)status & 0xff7f : 0);
}

static void by_fork(struct dice *d)
{
	pid_t child;

	if (journey_depth > 1) {
		journey_say("deep enough");
		return;
	}
	child = fork();
	if (!child) {
		lanes_after_fork();
		journey_depth++;
		model_child(d);
	}
	wait_for(d, child, "forked");
}

/* What a new program finds: it says so, and ends. */
static void arguments_of_look(char **argv, char *depth)
{
	static char say[] = "--look";

	snprintf(depth, 16, "%u %u", journey_depth + 1, model_step);
	argv[0] = (char *)model.program;
	argv[1] = say;
	argv[2] = depth;
	argv[3] = (char *)journey_path();
	argv[4] = NULL;
}

static void by_vfork(struct dice *d)
{
	bool execs = dice_one_in(d, 2);
	char *argv[5], depth[16];
	int code = (int)dice_below(d, 100);
	pid_t child;

	arguments_of_look(argv, depth);
	child = vfork();
	if (!child) {
		if (execs)
			execv(model.program, argv);
		_exit(code);
	}
	wait_for(d, child, "vforked");
}

static void by_spawn(struct dice *d)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	char *argv[5], depth[16];
	short flags = 0;
	sigset_t set;
	pid_t child = -1;
	int rc;

	arguments_of_look(argv, depth);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	if (dice_one_in(d, 2)) {
		flags |= POSIX_SPAWN_SETSIGMASK;
		dispositions_random_set(d, &set);
		posix_spawnattr_setsigmask(&attributes, &set);
	}
	if (dice_one_in(d, 2)) {
		flags |= POSIX_SPAWN_SETSIGDEF;
		dispositions_random_set(d, &set);
		posix_spawnattr_setsigdefault(&attributes, &set);
	}
	posix_spawnattr_setflags(&attributes, flags);
	if (dice_one_in(d, 2))
		posix_spawn_file_actions_adddup2(&actions, 0, 20 + (int)dice_below(d, 100));
	if (dice_one_in(d, 3))
		posix_spawn_file_actions_addclosefrom_np(&actions, 3);
	rc = posix_spawn(&child, model.program, &actions, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	if (!rc)
		wait_for(d, child, "spawned");
	journey_say("posix_spawn %x = %d", (unsigned)flags, rc);
}

static void by_shell(struct dice *d)
{
	char command[60];

	if (dice_one_in(d, 2)) {
		snprintf(command, sizeof(command), "exit %u", dice_below(d, 100));
		journey_result(system(command), "system");
		return;
	}
	if (model_is_without("TRAP"))
		return;
	snprintf(command, sizeof(command), "trap '' TRAP; kill -TRAP $$; exit 7");
	journey_result(system(command), "system, TRAP ignored");
}

static void stop(struct dice *d)
{
	unsigned rounds = 1 + dice_below(d, 3);
	int status = -1;
	sigset_t all, before;
	pid_t child;

	/* SIGCHLD would end a wait before there is something to wait for */
	dispositions_fill(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	child = fork();

	if (!child) {
		lanes_after_fork();
		for (unsigned i = 0; i < rounds; i++) {
			model_work(i, 10000);
			raise(SIGSTOP);
		}
		_exit((int)rounds);
	}
	for (unsigned i = 0; i < rounds; i++) {
		pid_t got = waitpid(child, &status, WUNTRACED);

		journey_result(got == child ? 0 : -1, "stopped: %x", (unsigned)status);
		journey_result(kill(child, SIGCONT), "kill");
	}
	wait_for(d, child, "stopped");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void kill_child(struct dice *d)
{
	int number = dice_one_in(d, 3) ? SIGABRT : SIGKILL;
	sigset_t all, before;
	pid_t child;

	dispositions_fill(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	child = fork();
	if (!child) {
		lanes_after_fork();
		if (number == SIGABRT)
			abort();
		for (uint64_t sum = 1;;)
			sum = model_work(sum, 1000);
	}
	model_work(3, 20000);
	if (number != SIGABRT)
		journey_result(kill(child, number), "kill child");
	wait_for(d, child, "killed");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Goes on as the same program, with the next step. */
static void exec_self(struct dice *d)
{
	char seed[24], step[16], last[16], ignored[24];
	char *argv[9];

	if (journey_depth || !dice_one_in(d, 3)) {
		journey_say("no exec");
		return;
	}
	if (dice_one_in(d, 2))
		lanes_wait_for_none();
	snprintf(seed, sizeof(seed), "%lu", model.seed);
	snprintf(step, sizeof(step), "%u", model_step + 1);
	snprintf(last, sizeof(last), "%u", model.last);
	snprintf(ignored, sizeof(ignored), "%lx", dispositions_ignored());
	argv[0] = (char *)model.program;
	argv[1] = seed;
	argv[2] = step;
	argv[3] = last;
	argv[4] = (char *)journey_path();
	argv[5] = (char *)(model.left_out ? model.left_out : "-");
	argv[6] = ignored;
	argv[7] = NULL;
	journey_say("execs itself");
	execv(model.program, argv);
	journey_result(-1, "execv");
}

const struct step processes_steps[] = {
	{"fork", 4, by_fork},	{"vfork", 3, by_vfork}, {"spawn", 3, by_spawn},
	{"shell", 1, by_shell}, {"stop", 2, stop},	{"kill", 2, kill_child},
	{"exec", 2, exec_self}, {NULL, 0, NULL},
};
