/* SPDX-License-Identifier: MIT */
/*
 * Steps after which a program would notice our events, or be broken by them: a system call filter,
 * a tracer, a fault at reading the clock. The collector leaves the process before such a step is
 * made, and stays out from there on, also if the step then fails.
 *
 * A filter is asked about each system call, ours too. So what stands before libc's calls makes none
 * of its own in a process that was left (process_is_excluded).
 */
#include "collector/inside/life/exclusion_checks.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>

#include "base/atomics.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/inside/life/process_life.h"
#include "collector/kernel/process_memory.h"
#include "collector/kernel/syscall.h"
#include "collector/kernel/task_status.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

/* A program that leaves itself less than this of memory is left: some threads' stacks and
 * workspaces, and a few pieces of decoded code. */
#define ROOM_BYTES (32ull << 20)

/*
 * The child of a vfork has our memory, whose recording is its parent's; events it has none. That of
 * a fork by a bare system call has a copy, in which nobody has told us: nothing to leave either.
 */
static bool is_other_process(struct process *p)
{
	if (!p->pid || syscall_pid() == p->pid)
		return false;
	if (process_memory_is_shared())
		return true;
	p->pid = 0;
	return false;
}

void sandboxing_begin(enum exclusion reason)
{
	struct process *p = &handler_state.process;

	if (reason == EXCLUSION_SECCOMP)
		exec_guard_filter_comes(&exec_guard_here);
	if (process_is_excluded(p) || !is_other_process(p))
		process_exclude(reason);
}

/* Without a pointer to it there is no filter: the call asks what the kernel can do (seccomp(2)). */
static bool sets_filter(uint64_t mode, uint64_t filter)
{
	return mode == SECCOMP_MODE_STRICT || (mode == SECCOMP_MODE_FILTER && filter);
}

static enum exclusion of_prctl(uint64_t option, uint64_t a, uint64_t b)
{
	switch (option) {
	case PR_SET_SECCOMP:
		return sets_filter(a, b) ? EXCLUSION_SECCOMP : EXCLUSION_NONE;
	case PR_SET_SYSCALL_USER_DISPATCH:
		return a ? EXCLUSION_DISPATCH : EXCLUSION_NONE;
	case PR_SET_TSC: /* our handler reads it */
		return a == PR_TSC_SIGSEGV ? EXCLUSION_CLOCK : EXCLUSION_NONE;
	}
	return EXCLUSION_NONE;
}

/* What the program has at @address, if that is one: the kernel is to judge. */
static bool peek(uint64_t address, void *out, size_t bytes)
{
	return process_memory_copy(syscall_pid(), address, out, bytes);
}

/* Look-ahead reads the program's memory, but never writes it. */
static bool watches_reads(uint64_t address)
{
	struct perf_event_attr attr = {0};

	return !process_is_excluded(&handler_state.process) &&
	       peek(address, &attr, PERF_ATTR_SIZE_VER0) && attr.type == PERF_TYPE_BREAKPOINT &&
	       attr.bp_type & HW_BREAKPOINT_R;
}

/* What the process has by now, in bytes: all of it, or what it may write (proc(5), statm). */
static uint64_t memory_bytes(bool data)
{
	char text[256], *at = text;
	long fd = syscall_open("/proc/self/statm", O_RDONLY);
	long got = fd < 0 ? 0 : syscall_read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		syscall_close(fd);
	text[got > 0 ? got : 0] = 0;
	for (unsigned i = 0; data && i < 5; i++)
		strtoul(at, &at, 10);
	return strtoul(at, NULL, 10) * SESSION_PAGE;
}

/* What we map as threads come and code is met would be missed then: decode cache and stacks. */
static bool is_tight(const uint64_t arguments[6])
{
	struct process *p = &handler_state.process;
	struct rlimit limit;
	uint64_t has;

	if ((arguments[1] != RLIMIT_AS && arguments[1] != RLIMIT_DATA) || !arguments[2] ||
	    !p->pid || process_is_excluded(p) || (arguments[0] && arguments[0] != p->pid) ||
	    !peek(arguments[2], &limit, sizeof(limit)))
		return false;
	has = memory_bytes(arguments[1] == RLIMIT_DATA);
	return limit.rlim_cur < has || limit.rlim_cur - has < ROOM_BYTES;
}

/* May it lock more than its limit (CAP_IPC_LOCK, of the first user namespace)? The kernel is asked
 * by such a mapping, which has no page (mm/mmap.c: do_mmap). */
static bool may_lock(uint64_t bytes)
{
	void *trial = syscall_map(bytes, PROT_NONE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_LOCKED, -1, 0);

	if (trial)
		syscall_unmap(trial, bytes);
	return trial;
}

/* All that it has counts against the limit of locked memory, and what is mapped later: ours too
 * (mm/mlock.c). */
static bool locks_tightly(uint64_t flags)
{
	struct process *p = &handler_state.process;
	struct rlimit limit = {0};
	uint64_t has;

	if (!p->pid || process_is_excluded(p) || !(flags & (MCL_CURRENT | MCL_FUTURE)) ||
	    syscall_3(SYS_getrlimit, RLIMIT_MEMLOCK, (uintptr_t)&limit, 0) ||
	    limit.rlim_cur == RLIM_INFINITY)
		return false;
	has = memory_bytes(false);
	if (limit.rlim_cur >= has && limit.rlim_cur - has >= ROOM_BYTES)
		return false;
	return !may_lock((limit.rlim_cur / SESSION_PAGE + 1) * SESSION_PAGE);
}

/* ---- another process, that this one is about to trace ---------------------------------------- */

/* As many files as a process may have in a session: one more for each exec. */
#define FILES_MOST 1000u
/* Forks, one of another, without a sample. */
#define ANCESTORS_MOST 16u
/* For how many rounds of quiescence_sleep a thread is waited for. */
#define OTHER_ROUNDS 1000u

/* Say in the header of the file @path that nothing is to stop there any more, if it is @traced, and
 * find its handler_state. False if there is no such file. */
static bool tell_file(const char *path, bool traced, uint64_t *state)
{
	long fd = syscall_open(path, O_RDWR);
	struct process_header *h;

	if (fd < 0)
		return false;
	h = syscall_map(SESSION_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	syscall_close(fd);
	if (!h)
		return true;
	*state = h->handler_state;
	if (traced)
		atomic_write_release(&h->traced, 1);
	syscall_unmap(h, SESSION_PAGE);
	return true;
}

/* The newest file is of what it executes now. */
static uint64_t tell_all(const struct process *p, uint32_t pid, bool traced)
{
	uint64_t state = 0;
	char path[256];

	for (unsigned i = 0; i < FILES_MOST; i++) {
		snprintf(path, sizeof(path), "%s/%u.%u", p->directory, pid, i);
		if (!tell_file(path, traced, &state))
			break;
	}
	return state;
}

/* The child of a fork has no file before its first sample: its state is where the next ancestor
 * with one has its own. Tell it itself. 0 if it has none. */
static uint64_t tell_forked(const struct process *p, uint32_t pid)
{
	struct task_status status = {.parent = pid};
	uint64_t state = 0, process;
	uint32_t traced = 1, own = 0;

	for (unsigned i = 0; i < ANCESTORS_MOST && status.parent > 1 && !state; i++) {
		task_status_of(status.parent, &status);
		state = status.parent ? tell_all(p, status.parent, false) : 0;
	}
	process = state + offsetof(struct handler_state, process);
	if (!state ||
	    !process_memory_copy(pid, process + offsetof(struct process, pid), &own, sizeof(own)) ||
	    own != pid ||
	    !process_memory_write(pid, process + offsetof(struct process, traced), &traced,
				  sizeof(traced)))
		return 0;
	return state;
}

static void disable(long pidfd, int number)
{
	long fd = syscall_3(SYS_pidfd_getfd, (uint64_t)pidfd, (uint64_t)number, 0);

	if (fd < 0)
		return;
	syscall_3(SYS_ioctl, (uint64_t)fd, PERF_EVENT_IOC_DISABLE, 0);
	syscall_close(fd);
}

static void disable_all(uint32_t pid, long pidfd, uint64_t state)
{
	uint64_t address = state + offsetof(struct handler_state, descriptors);
	struct descriptors d;

	if (!process_memory_copy(pid, address, &d, sizeof(d)))
		return;
	for (unsigned fd = 0; fd < DESCRIPTORS_MAX; fd++)
		if (d.ours[fd / DESCRIPTORS_WORD_BITS] >> fd % DESCRIPTORS_WORD_BITS & 1)
			disable(pidfd, (int)fd);
}

/* A tracer finds them among the threads. They leave when they are told; this word tells one of
 * them, the other one looks. */
static void end_own_threads(const struct process *p, uint32_t pid, uint64_t state)
{
	uint64_t process = state + offsetof(struct handler_state, process);
	uint32_t tids[2];

	for (unsigned i = 0; i < OTHER_ROUNDS && p->control; i++) {
		if (!process_memory_copy(pid, process + offsetof(struct process, switch_tid),
					 &tids[0], sizeof(tids[0])) ||
		    !process_memory_copy(pid, process + offsetof(struct process, late.tid),
					 &tids[1], sizeof(tids[1])) ||
		    !(tids[0] | tids[1]))
			break;
		syscall_3(SYS_futex, (uintptr_t)&p->control->changes, FUTEX_WAKE, INT32_MAX);
		quiescence_sleep();
	}
}

/* A process that traces another by ptrace sees each of its signals, so also ours. If both are
 * recorded, the tracer silences the other one's events before it attaches: that one may sleep, and
 * can't be asked. On return no thread of the process that @tid belongs to has a SIGTRAP of ours
 * under way, nor gets one. */
static void silence(const struct process *p, uint32_t tid)
{
	struct task_status thread;
	uint32_t pid;
	uint64_t state;
	long pidfd;

	if (!p->directory[0])
		return;
	task_status_of(tid, &thread);
	pid = thread.process;
	state = pid ? tell_all(p, pid, true) : 0;
	if (pid && !state)
		state = tell_forked(p, pid);
	pidfd = state ? syscall_3(SYS_pidfd_open, pid, 0, 0) : -1;
	if (pidfd < 0)
		return;
	end_own_threads(p, pid, state);
	/* twice: a handler that was running the first time may have set a breakpoint since */
	for (unsigned i = 0; i < 2; i++) {
		disable_all(pid, pidfd, state);
		quiescence_wait(pid);
	}
	syscall_close(pidfd);
}

/* ---- what a call of the program comes to -------------------------------------------------- */

/* A filter may be there: it is not asked about calls that are not the program's. */
static bool is_filtered(const struct process *p)
{
	return atomic_read_acquire(&p->excluded) & 1u << EXCLUSION_SECCOMP;
}

static void silence_tracee(const uint64_t arguments[6])
{
	const struct process *p = &handler_state.process;

	if ((arguments[0] == PTRACE_ATTACH || arguments[0] == PTRACE_SEIZE) && !is_filtered(p))
		silence(p, (uint32_t)arguments[1]);
}

void sandboxing_before(long number, const uint64_t arguments[6])
{
	uint64_t a = arguments[0];
	enum exclusion reason = EXCLUSION_NONE;

	switch (number) {
	case SYS_prctl:
		reason = of_prctl(a, arguments[1], arguments[2]);
		break;
	case SYS_seccomp:
		if (a == SECCOMP_SET_MODE_STRICT || (a == SECCOMP_SET_MODE_FILTER && arguments[2]))
			reason = EXCLUSION_SECCOMP;
		break;
	case SYS_perf_event_open:
		if (watches_reads(a))
			reason = EXCLUSION_WATCHED;
		break;
	case SYS_prlimit64:
		if (is_tight(arguments))
			reason = EXCLUSION_MEMORY;
		break;
	case SYS_mlockall:
		if (locks_tightly(a))
			reason = EXCLUSION_LOCKED;
		break;
	case SYS_ptrace:
		if (a == PTRACE_TRACEME)
			reason = EXCLUSION_TRACED;
		else
			silence_tracee(arguments);
		break;
	}
	if (reason != EXCLUSION_NONE)
		sandboxing_begin(reason);
}

/* What the limit allows is the program's: where little is, our image is not to be in it. */
static void unlock_image(void)
{
	extern const char __ehdr_start[] __attribute__((visibility("hidden")));
	extern const char _end[] __attribute__((visibility("hidden")));

	syscall_3(SYS_munlock, (uintptr_t)__ehdr_start, (uintptr_t)(_end - __ehdr_start), 0);
}

void sandboxing_after(long number, const uint64_t arguments[6])
{
	uint32_t excluded = atomic_read_acquire(&handler_state.process.excluded);

	/* the child of a fork that was not in the session yet */
	if (number == SYS_ptrace)
		silence_tracee(arguments);
	if (number == SYS_mlockall && excluded & 1u << EXCLUSION_LOCKED)
		unlock_image();
}
