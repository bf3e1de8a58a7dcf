/* SPDX-License-Identifier: MIT */
#include "collector/inside/thread.h"

#include <errno.h>
#include <sys/ioctl.h>

#include "base/atomics.h"
#include "collector/inside/altstack.h"
#include "collector/inside/descriptors.h"
#include "collector/inside/handler_state.h"
#include "collector/inside/process_file.h"
#include "collector/engine/budget.h"
#include "collector/kernel/clock.h"
#include "collector/kernel/syscall.h"
#include "collector/inside/trap.h"
#include "isa/host.h"

#define LINE	      64u /* of the caches: no two threads share one */
#define SEGMENT_SLOTS 64u /* mapped at once */

void thread_init(struct arena *slots)
{
	arena_init(slots, (sizeof(struct thread) + LINE - 1) & ~(size_t)(LINE - 1), SEGMENT_SLOTS);
}

struct thread *thread_slot(const struct process *p, uint32_t i)
{
	return arena_at(&p->slots, i);
}

bool thread_is_slot(const struct process *p, const void *address)
{
	uint32_t i = arena_find(&p->slots, (uintptr_t)address);

	return i < PROCESS_THREADS_MAX && thread_slot(p, i) == address;
}

/* The events could not be had, or the memory for what comes with them. */
static void count_failed(struct process *p, int rc)
{
	process_count(p, COUNTER_THREADS_FAILED, 1);
	(void)atomic_swap_if(&p->file.header->refused, 0, -rc);
}

static bool claim(struct thread *t)
{
	/* acquires the release in thread_end */
	return atomic_read_relaxed(&t->state) == THREAD_FREE &&
	       atomic_swap_if(&t->state, THREAD_FREE, THREAD_TAKEN);
}

/* The slot that is claimed now, with its workspace; NULL without memory, or if it is too late. */
static struct thread *take(struct process *p, struct thread *t, uint32_t i)
{
	uint32_t used;

	/* left for good: this was seen to be claimed, or we see that (process.c, wait_for_taken) */
	if (process_is_refused(p) || workspace_make(p, i)) {
		atomic_write_release(&t->state, THREAD_FREE);
		return NULL;
	}
	t->process = p;
	t->sampler.fd = t->break_fd = -1;
	while ((used = atomic_read_relaxed(&p->slots_used)) <= i)
		atomic_swap_if(&p->slots_used, used, i + 1);
	return t;
}

struct thread *thread_take(struct process *p)
{
	struct thread *t = NULL;
	uint32_t i = 0;

	/* acquires the release in make_memory: the process is still joining */
	if (!atomic_read_acquire(&p->made))
		return NULL;
	while (i < PROCESS_THREADS_MAX && (t = arena_make(&p->slots, i)) && !claim(t))
		i++;
	t = t && i < PROCESS_THREADS_MAX ? take(p, t, i) : NULL;
	if (!t)
		count_failed(p, -ENOMEM);
	return t;
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
		syscall_3(SYS_close, (uint64_t)fd, 0, 0);
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

void thread_leave_breakpoint(struct thread *t)
{
	if (t->sampler.by_timer)
		close_breakpoint(t);
}

void thread_move_descriptor(struct thread *t, int fd)
{
	if (t->sampler.fd == fd)
		t->sampler.fd = descriptors_move(fd);
	else if (t->break_fd == fd)
		t->break_fd = descriptors_move(fd);
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
	event_breakpoint_attr((uintptr_t)&thread_take, asynchronous, &t->break_attr);
	if (!asynchronous)
		t->break_attr.sig_data = (uintptr_t)t | TRAP_BREAKPOINT;
	t->break_fd = open_event(&t->break_attr, t->tid);
	if (t->break_fd < 0)
		return t->break_fd;
	t->break_id = event_id(t->break_fd);
	t->break_name = t->break_fd;
	return listen(t, t->break_fd);
}

static int open_events(struct thread *t)
{
	const struct session_options *o = &t->process->options;
	struct perf_event_attr attr;
	int rc;

	event_attr(&o->event, o->period, &attr);
	if (!o->event.asynchronous)
		attr.sig_data = (uintptr_t)t | TRAP_SAMPLE;
	t->sampler.fd = open_event(&attr, t->tid);
	if (t->sampler.fd < 0)
		return t->sampler.fd;
	t->sample_id = event_id(t->sampler.fd);
	rc = listen(t, t->sampler.fd);
	return rc ? rc : open_breakpoint(t);
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
	if (t->sampler.by_timer && t->break_fd < 0 && open_breakpoint(t))
		return false;
	if (!count_hits(t, skip))
		return false;
	t->crossed = false;
	t->break_attr.bp_addr = address;
	t->break_attr.bp_type = type;
	t->break_attr.disabled = 0;
	return syscall_3(SYS_ioctl, (uint64_t)t->break_fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
			 (uintptr_t)&t->break_attr) == 0;
}

void thread_disable_breakpoint(struct thread *t)
{
	syscall_3(SYS_ioctl, (uint64_t)t->break_fd, PERF_EVENT_IOC_DISABLE, 0);
}

void thread_note_signal(struct thread *t, uint64_t pc)
{
	if (t->drive.armed && t->break_attr.sample_period > 1 && pc == t->break_attr.bp_addr)
		t->crossed = true;
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

uint64_t thread_distance_ns(const struct thread *t)
{
	const struct process *p = t->process;
	const struct session_options *o = &p->options;

	if (!o->rates)
		return o->period;
	return budget_thinned_ns(
		budget_distance_ns(t->trace_ns, o->period, atomic_read_relaxed(&p->lag)),
		atomic_read_relaxed(&p->control->converged));
}

static bool blocks_trap(uint32_t tid)
{
	const struct altstack_owner *o = atomic_read_relaxed(&handler_state.trap.masked)
						 ? altstack_of(tid)
						 : NULL;

	return o && o->trap.state == TRAP_MASK_REAL;
}

/* What a trace will cost: as those of the process before, or what the period allows. The first ones
 * are dear, when nothing is decoded; from here on average, they delay later ones by what they cost,
 * and not by several times that. */
static uint64_t first_trace_ns(const struct process *p)
{
	uint64_t ns = atomic_read_relaxed(&p->file.header->costs.trace_ns);

	return ns ? ns : budget_first_ns(p->options.period);
}

/* Until the first sample. Where a program's first trace costs most of what is spent on it, as short
 * ones end before the next, its own distance pays for it. */
static uint64_t first_distance_ns(struct thread *t)
{
	const struct process *p = t->process;
	uint64_t ns = atomic_read_relaxed(&p->control->costs.first_ns);
	uint64_t distance_ns = thread_distance_ns(t);

	t->first_paid = p->options.rates && atomic_read_relaxed(&p->cold) && trusted_trace_ns(ns);
	return t->first_paid ? budget_distance_ns(ns, distance_ns, BUDGET_ALL_COME) : distance_ns;
}

int thread_begin(struct thread *t, uint32_t tid)
{
	struct process *p = t->process;
	struct sampler_options sampling;
	int rc;

	t->tid = tid;
	t->drive = (struct drive){0};
	t->stopwatch = (struct stopwatch){0};
	t->spent_ns = 0;
	t->first = false;
	t->trace_ns = first_trace_ns(p);
	t->work = NULL;
	t->work_number = 0;
	t->nested = 0;
	t->held = false;
	t->sent.si_signo = 0;
	process_file_fit(p);
	t->buffer = (struct buffer){.file = &p->file, .pieces = &p->pieces, .hint = tid};
	rc = open_events(t);
	if (rc) {
		count_failed(p, rc);
		thread_close_events(t);
		atomic_write_release(&t->state, THREAD_FREE);
		return rc;
	}
	process_count(p, COUNTER_THREADS, 1);
	atomic_write_release(&t->state, THREAD_LIVE);
	t->muted = blocks_trap(tid);
	if (p->options.timers)
		t->begun_ns = clock_handler_ns(CLOCK_MONOTONIC);
	sampling = event_sampler_options(&p->options.event, first_distance_ns(t),
					 tid * 0x9e3779b97f4a7c15u ^ (uintptr_t)t);
	sampler_prepare(&t->sampler, t->sampler.fd, &sampling);
	sampler_set_mean(&t->sampler, thread_distance_ns(t)); /* from the second on */
	if (!t->muted)
		sampler_start(&t->sampler);
	return 0;
}

void thread_give_back(struct thread *t)
{
	atomic_write_release(&t->state, THREAD_FREE);
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
	return thread_of(&handler_state.process, (uint32_t)syscall_3(SYS_gettid, 0, 0, 0));
}

void thread_end_current(struct process *p)
{
	uint32_t tid = (uint32_t)syscall_3(SYS_gettid, 0, 0, 0);

	for (uint32_t i = 0; i < p->slots_used; i++)
		if (thread_slot(p, i)->tid == tid)
			thread_end(thread_slot(p, i));
}

void thread_end(struct thread *t)
{
	/* Either the handler sees this state, or we see it busy: trap.c, on_trap. */
	if (!atomic_swap_if(&t->state, THREAD_LIVE, THREAD_TAKEN))
		return;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	while (__atomic_load_n(&t->busy, __ATOMIC_SEQ_CST))
		syscall_3(SYS_sched_yield, 0, 0, 0);
	sampler_stop(&t->sampler);
	sampler_drop_timer(&t->sampler);
	thread_disable_breakpoint(t);
	thread_close_events(t);
	buffer_release(&t->buffer);
	if (t->work) {
		workspace_count(t->work, t->process);
		workspace_give_back(t->work);
	}
	t->work = NULL;
	t->tid = 0;
	thread_give_back(t);
}
