/* SPDX-License-Identifier: MIT */
#include "collector/inside/handler/thread.h"

#include <fcntl.h>
#include <linux/stat.h>
#include <sys/ioctl.h>

#include "base/atomics.h"
#include "collector/inside/handler/altstack.h"
#include "collector/inside/handler/descriptors.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/engine/budget.h"
#include "collector/kernel/clock.h"
#include "collector/kernel/syscall.h"
#include "collector/inside/handler/trap.h"
#include "isa/host.h"

struct thread *thread_slot(const struct process *p, uint32_t i)
{
	return arena_at(&p->slots, i);
}

bool thread_is_slot(const struct process *p, const void *address)
{
	uint32_t i = arena_find(&p->slots, (uintptr_t)address);

	return i < PROCESS_THREADS_MAX && thread_slot(p, i) == address;
}

static int open_event(struct perf_event_attr *attr, uint32_t tid)
{
	long fd = syscall_6(SYS_perf_event_open, (uintptr_t)attr, tid, (uint64_t)-1, (uint64_t)-1,
			    PERF_FLAG_FD_CLOEXEC, 0);

	return fd < 0 ? (int)fd : descriptors_take((int)fd);
}

/* The kernel's number for the event behind @fd; 0 if there is none. */
static uint64_t event_id(int fd)
{
	uint64_t id = 0;

	return syscall_3(SYS_ioctl, (uint64_t)fd, PERF_EVENT_IOC_ID, (uintptr_t)&id) ? 0 : id;
}

/* A program that closes descriptors which it does not know (closefrom) may have opened others under
 * the same numbers since: those are not ours to close. */
static void close_event(int fd, uint64_t id)
{
	descriptors_forget(fd);
	if (fd >= 0 && id && event_id(fd) == id)
		syscall_close(fd);
}

static void close_breakpoint(struct thread *t)
{
	close_event(t->break_fd, t->break_id);
	t->break_fd = -1;
}

void thread_close_events(struct thread *t)
{
	close_event(t->sampler.fd, t->sample_id);
	t->sampler.fd = -1;
	close_breakpoint(t);
}

void thread_use_timer(struct thread *t)
{
	if (!sampler_use_timer(&t->sampler, t->tid, (uintptr_t)t | TRAP_SAMPLE))
		return;
	thread_close_events(t);
	process_count(t->process, COUNTER_THREADS_BY_TIMER, 1);
}

void thread_note_suspended(struct thread *t)
{
	t->sampling = THREAD_SUSPENDED;
	atomic_add_relaxed(&handler_state.trap.suspensions, 1);
}

void thread_leave_breakpoint(struct thread *t)
{
	if (t->sampler.by_timer)
		close_breakpoint(t);
}

static int listen(const struct thread *t, int fd)
{
	return t->process->options.event.asynchronous ? (int)event_listen(fd, t->tid) : 0;
}

static int open_breakpoint(struct thread *t)
{
	bool asynchronous = t->process->options.event.asynchronous;

	t->break_name = -1;
	if (atomic_read_relaxed(&t->process->without_breakpoints))
		return 0; /* setting one fails */
	/* any valid code address */
	event_breakpoint_attr((uintptr_t)&thread_of, asynchronous, &t->break_attr);
	if (!asynchronous)
		t->break_attr.sig_data = (uintptr_t)t | TRAP_BREAKPOINT;
	t->break_fd = open_event(&t->break_attr, t->tid);
	if (t->break_fd < 0)
		return t->break_fd;
	t->break_id = event_id(t->break_fd);
	t->break_name = t->break_fd;
	return listen(t, t->break_fd);
}

int thread_open_events(struct thread *t, uint64_t period)
{
	const struct session_options *o = &t->process->options;
	struct perf_event_attr attr;

	event_attr(&o->event, period ? period : o->period, &attr);
	if (!o->event.asynchronous)
		attr.sig_data = (uintptr_t)t | TRAP_SAMPLE;
	t->sampler.fd = open_event(&attr, t->tid);
	if (t->sampler.fd < 0)
		return t->sampler.fd;
	t->sample_id = event_id(t->sampler.fd);
	return listen(t, t->sampler.fd);
}

/* The kernel counts hits from now on, and sends a signal with the one behind @skip others. The
 * attribute has to say what the event has. */
static bool count_hits(struct thread *t, unsigned skip)
{
	uint64_t period = skip + 1;

	if (ISA_HOST_PASSES_BREAKPOINT || (period == 1 && t->break_attr.sample_period == 1))
		return true;
	if (syscall_3(SYS_ioctl, (uint64_t)t->break_fd, PERF_EVENT_IOC_PERIOD, (uintptr_t)&period))
		return false;
	t->break_attr.sample_period = period;
	return true;
}

bool thread_set_breakpoint(struct thread *t, uint64_t address, uint32_t type, unsigned skip)
{
	if (t->break_fd < 0 && open_breakpoint(t))
		return false;
	if (!count_hits(t, skip))
		return false;
	t->miscounted = false;
	t->break_attr.bp_addr = address;
	t->break_attr.bp_type = type;
	t->break_attr.disabled = 0;
	return syscall_3(SYS_ioctl, (uint64_t)t->break_fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
			 (uintptr_t)&t->break_attr) == 0;
}

void thread_disable_breakpoint(struct thread *t)
{
	if (t->break_fd >= 0)
		syscall_3(SYS_ioctl, (uint64_t)t->break_fd, PERF_EVENT_IOC_DISABLE, 0);
}

void thread_note_signal(struct thread *t, uint64_t pc)
{
	if (t->drive.armed && t->break_attr.sample_period > 1 && pc == t->break_attr.bp_addr)
		t->miscounted = true;
}

void thread_note_signal_current(uint64_t pc)
{
	struct thread *t = ISA_HOST_PASSES_BREAKPOINT ? NULL : thread_current();

	if (t)
		thread_note_signal(t, pc);
}

void thread_clear_breakpoint(struct thread *t)
{
	if (!t->drive.armed)
		return;
	t->drive.armed = false;
	thread_disable_breakpoint(t);
}

uint64_t thread_interval_ns(const struct thread *t)
{
	const struct process *p = t->process;
	const struct session_options *o = &p->options;

	if (!o->budget)
		return o->period;
	return budget_thinned_ns(budget_interval_ns(t->trace_ns, process_share(p), o->period,
						    atomic_read_relaxed(&p->lag)),
				 atomic_read_relaxed(&p->control->converged));
}

/* Links of a process's folder of tasks, beside one for each thread (fs/proc/base.c,
 * proc_task_getattr). */
#define TASKS_LINKS 2u

bool thread_is_alone(const struct process *p)
{
	struct statx tasks = {0};
	unsigned ours = atomic_read_relaxed(&p->has_writer);

	ours += atomic_read_relaxed(&p->switch_tid) != 0;
	ours += atomic_read_relaxed(&p->late.tid) != 0;
	return ours &&
	       !syscall_6(SYS_statx, (uint64_t)AT_FDCWD, (uintptr_t) "/proc/self/task", 0,
			  STATX_NLINK, (uintptr_t)&tasks, 0) &&
	       tasks.stx_nlink == TASKS_LINKS + 1 + ours;
}

struct thread *thread_of(const struct process *p, uint32_t tid)
{
	for (uint32_t i = 0; i < p->slots_used; i++)
		if (thread_slot(p, i)->tid == tid)
			return thread_slot(p, i);
	return NULL;
}

struct thread *thread_current(void)
{
	return thread_of(&handler_state.process, syscall_tid());
}
