/* SPDX-License-Identifier: MIT */
/* The running processes that a tracer comes to: those that are selected, and their descendants. */
#include "collector/outside/tracer.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "collector/recorder/cgroup.h"
#include "collector/recorder/command.h"
#include "collector/recorder/exclusion_list.h"

/* So many running processes are looked at for their names at a time: some ten microseconds each. */
#define NAMES_AT_ONCE 32u

/* Who starts a process to trace it does so sooner. */
#define UNTRACED_NS 1000000000u

int tracer_members_refusal(pid_t pid, int why, struct softlbr_error *e)
{
	struct task_status status;

	tracee_status_read(pid, &status);
	if (tracee_status_has_ended(&status))
		return error_set(e, SOFTLBR_E_SYSTEM, NULL,
				 status.threads > 1
					 ? "cannot attach to thread %d: it has ended; -p takes the "
					   "others of its process"
					 : "cannot attach to process %d: it has ended (a zombie, "
					   "whose parent has not asked for its status)",
				 (int)pid);
	if (status.kernel)
		return error_set(e, SOFTLBR_E_SYSTEM, NULL,
				 "cannot attach to process %d: it is a thread of the kernel's, and "
				 "runs no program",
				 (int)pid);
	if (why == ENOTSUP) {
		char name[32];

		snprintf(name, sizeof(name), "process %d", (int)pid);
		return command_refuse_leaks(name, e);
	}
	errno = why;
	if (why == ESRCH)
		return error_set_errno(e, NULL, "cannot attach to process %d%s", (int)pid,
				       access("/proc/self", F_OK) ? ": is /proc mounted?" : "");
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

void tracer_members_exclude(struct tracer *t, pid_t pid, enum exclusion reason)
{
	char program[PATH_MAX];

	if (!task_program((uint32_t)pid, program, sizeof(program)))
		snprintf(program, sizeof(program), "process %d", (int)pid);
	exclusion_list_add_program(&t->result->exclusions, reason, program);
}

/* Nobody asked for it by its number: the recording goes on without it. */
static void exclude_refused(struct tracer *t, pid_t pid, int why)
{
	struct task_status status;

	if (tracee_status_read(pid, &status) || status.kernel)
		return;
	tracer_members_exclude(t, pid,
			       why == ENOTSUP		     ? EXCLUSION_LEAKS
			       : status.tracer		     ? EXCLUSION_TRACED
			       : status.users[0] != getuid() ? EXCLUSION_USER
							     : EXCLUSION_PRIVILEGED);
}

/* A thread that a traced one has made since is traced by us from its first instruction on, and
 * comes by its maker's stop. A process's first thread may end before the others. */
static bool needs_no_seizing(pid_t tid)
{
	struct task_status status;

	return tracee_status_read(tid, &status) || status.tracer == (uint32_t)getpid() ||
	       tracee_status_has_ended(&status);
}

/* The next process or thread in /proc or a process's task folder; 0: there is none. */
static pid_t next_number(DIR *d)
{
	struct dirent *entry;

	while (d && (entry = readdir(d))) {
		pid_t number = atoi(entry->d_name);

		if (number > 0)
			return number;
	}
	return 0;
}

static DIR *open_threads(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	return opendir(path);
}

/* Seize the threads that are not traced yet; their number, or a negative errno. */
static int seize_threads(struct tracer *t, pid_t pid, bool children)
{
	int seized = 0, rc = 0;
	DIR *d = open_threads(pid);
	pid_t tid;

	while (!rc && (tid = next_number(d))) {
		if (tracer_threads_find(t, tid))
			continue;
		rc = tracee_seize(tid, children);
		if (!rc)
			seized += tracer_threads_add(t, tid) != NULL;
		else if (rc == -ESRCH || needs_no_seizing(tid))
			rc = 0;
	}
	if (d)
		closedir(d);
	return rc ? rc : seized;
}

/* A thread by whose number /proc tells of the program: not the first, if that has ended. */
static pid_t living_thread(pid_t pid)
{
	struct task_status status;
	DIR *d = open_threads(pid);
	pid_t tid;

	while ((tid = next_number(d)))
		if (!tracee_status_read(tid, &status) && !tracee_status_has_ended(&status))
			break;
	if (d)
		closedir(d);
	return tid;
}

bool tracer_members_follow(const struct tracer *t, const struct executable_calls *calls)
{
	/* a process has one tracer: those that a debugger starts are for it */
	return !t->options->selection.alone && !calls->ptrace;
}

/* Trace the thread alone, or the whole process. 0, or a negative errno. */
static int join(struct tracer *t, pid_t task, bool whole)
{
	pid_t living = whole ? living_thread(task) : task;
	struct task_status status;
	struct executable_calls calls;
	struct tracee_process *process;
	bool children;
	int more = 0;

	if (!living || tracee_status_read(living, &status))
		return -ESRCH;
	if (status.kernel)
		return -EPERM;
	calls = executable_calls(living, &t->calls);
	if (calls.finds_leaks)
		return -ENOTSUP;
	children = tracer_members_follow(t, &calls);
	if (!whole) {
		more = tracee_seize(task, children);
		if (!more && !tracer_threads_add(t, task))
			more = -ESRCH;
	} else {
		/* a thread that was just being made is found at the next look, or by its maker */
		while ((more = seize_threads(t, task, children)) > 0)
			;
	}
	if (more)
		return more;
	process = tracee_process_find(t, status.process);
	if (!process)
		return -ESRCH;
	process->follows = children;
	if (calls.is_32_bit)
		tracer_members_exclude(t, living, EXCLUSION_32_BIT);
	tracer_failure_note(t, tracee_process_refresh(t, process, 0, NULL));
	return 0;
}

/* One that was named. 0, or an error. */
static int join_task(struct tracer *t, pid_t task, struct softlbr_error *e)
{
	const struct selection *selection = &t->options->selection;
	struct task_status status;
	int rc = tracee_status_read(task, &status);

	if (!rc && selection->threads && tracer_threads_find(t, task))
		return 0;
	if (!rc)
		rc = join(t, selection->threads ? task : (pid_t)status.process,
			  !selection->threads);
	return rc ? tracer_members_refusal(task, -rc, e) : t->failed;
}

static bool was_refused(const struct tracer *t, pid_t pid)
{
	for (size_t i = 0; i < t->refused_processes.count; i++)
		if (t->refused_processes.items[i] == pid)
			return true;
	return false;
}

/* Is the process, which is not in, a child of one that is? Children of a program that calls ptrace
 * are, if they have been there for a while without a tracer: php-fpm traces a worker that is slow.
 */
static bool is_child(const struct tracer *t, pid_t pid)
{
	struct task_status status;
	struct tracee_process *parent;

	if (tracee_process_find(t, (uint32_t)pid) || tracee_status_read(pid, &status))
		return false;
	parent = tracee_process_find(t, status.parent);
	return parent && (parent->follows ||
			  (!status.tracer && tracee_status_age_ns((uint32_t)pid) > UNTRACED_NS));
}

/* The recorder and its tracer may be descendants of what they record, as of a shell. */
static bool is_own(pid_t pid)
{
	return pid == getpid() || pid == getppid();
}

/* Trace the process, unless it is in or can't be. Has it come to be in? */
static bool join_found(struct tracer *t, pid_t pid)
{
	int rc;

	if (pid <= 0 || is_own(pid) || tracee_process_find(t, (uint32_t)pid) || was_refused(t, pid))
		return false;
	rc = join(t, pid, true);
	if (rc && rc != -ESRCH && !vector_add(&t->refused_processes, pid))
		exclude_refused(t, pid, -rc);
	return !rc;
}

static void take_found(void *tracer, pid_t pid)
{
	join_found(tracer, pid);
}

static void take_named(struct tracer *t, pid_t pid)
{
	if (!tracee_process_find(t, (uint32_t)pid) &&
	    selection_has_name(&t->options->selection, pid))
		join_found(t, pid);
}

/* Trace each process that runs and belongs to those that are in, or has a name that is selected;
 * how many there were. */
static unsigned join_running(struct tracer *t)
{
	const struct selection *selection = &t->options->selection;
	DIR *d = opendir("/proc");
	unsigned joined = 0;
	pid_t pid;

	while ((pid = next_number(d)))
		if ((!selection->alone && is_child(t, pid)) || selection_has_name(selection, pid))
			joined += join_found(t, pid);
	if (d)
		closedir(d);
	return joined;
}

static int refuse_nothing(const struct selection *s, struct softlbr_error *e)
{
	return error_set(e, SOFTLBR_E_SYSTEM, NULL,
			 "no process that may be traced is selected by %s%s%s%s%s: start it first",
			 s->name ? "--name=" : "", s->name ? s->name : "",
			 s->name && s->cgroup ? " or " : "", s->cgroup ? "--cgroup=" : "",
			 s->cgroup ? s->cgroup : "");
}

int tracer_members_begin(struct tracer *t, struct softlbr_error *e)
{
	const struct selection *selection = &t->options->selection;
	int rc = 0;

	for (size_t i = 0; !rc && i < selection->tasks.count; i++)
		rc = join_task(t, selection->tasks.items[i], e);
	if (!rc && selection->cgroup)
		rc = cgroup_find(selection->cgroup, t->cgroup, sizeof(t->cgroup), e);
	if (!rc && selection->cgroup)
		cgroup_each(t->cgroup, take_found, t);
	/* parents are mostly found before their children; what is forked meanwhile is found by its
	 * parent's stop, or at the next look */
	while (!rc && !selection->threads && join_running(t))
		;
	if (!rc && !t->failed && !t->threads.count)
		return refuse_nothing(selection, e);
	return rc ? rc : t->failed;
}

/* Of the running processes, the next few: to look at all takes too long for threads that wait. */
static void join_named(struct tracer *t)
{
	pid_t pid;

	if (!t->running)
		t->running = opendir("/proc");
	for (unsigned i = 0; t->running && i < NAMES_AT_ONCE; i++) {
		pid = next_number(t->running);
		if (!pid) {
			rewinddir(t->running);
			return;
		}
		take_named(t, pid);
	}
}

static void join_children(struct tracer *t, pid_t parent)
{
	DIR *d = open_threads(parent);
	pid_t tid, child;

	while ((tid = next_number(d))) {
		char path[64];
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent, (int)tid);
		f = fopen(path, "re");
		while (f && fscanf(f, "%d", &child) == 1)
			if (is_child(t, child))
				join_found(t, child);
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
}

/* Of processes whose new children do not come by themselves. */
static void join_untraced_children(struct tracer *t)
{
	for (size_t i = 0; i < t->processes.count; i++) {
		if (t->processes.items[i]->follows)
			continue;
		/* the kernel may not list them (CONFIG_PROC_CHILDREN) */
		if (access("/proc/thread-self/children", R_OK)) {
			join_running(t);
			return;
		}
		join_children(t, (pid_t)t->processes.items[i]->pid);
	}
}

void tracer_members_look(struct tracer *t)
{
	const struct selection *s = &t->options->selection;
	unsigned before = t->result->processes;

	if (s->name)
		join_named(t);
	if (s->cgroup)
		cgroup_each(t->cgroup, take_found, t);
	if (!s->alone && !s->threads)
		join_untraced_children(t);
	/* who has joined may have children already */
	while (t->result->processes != before && join_running(t))
		;
}

unsigned tracer_members_left_out(const struct tracer *t)
{
	DIR *d = opendir("/proc");
	struct task_status status;
	unsigned left = 0;
	pid_t pid;

	while ((pid = next_number(d)))
		left += !is_own(pid) && !tracee_process_find(t, (uint32_t)pid) &&
			!tracee_status_read(pid, &status) && tracee_process_find(t, status.parent);
	if (d)
		closedir(d);
	return left;
}
