/* SPDX-License-Identifier: MIT */
#include "collector/machine/breakpoint_bench.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "isa/host.h"

/* How long a signal may be under way: F_SETSIG's is not synchronous. */
#define PATIENCE 100000u
/* Untimed operations before the first timed one. */
#define WARM_UP 16u

/* The counters of the thread that the signal comes to; written by its handler. */
static _Thread_local volatile sig_atomic_t hit_count, overflow_count;

/* The descriptor of the calling thread's breakpoint. Where a thread does not pass it, the handler
 * switches it off.
 */
static _Thread_local int own_breakpoint = -1;

static void count_hit(int number)
{
	(void)number;
	hit_count = hit_count + 1;
	if (!ISA_HOST_PASSES_BREAKPOINT)
		ioctl(own_breakpoint, PERF_EVENT_IOC_DISABLE, 0);
}

/* The queue of real-time signals is full: the kernel sends SIGIO instead, which would end the
 * process if nobody caught it. */
static void count_overflow(int number)
{
	(void)number;
	overflow_count = overflow_count + 1;
}

/* Two functions, so that setting always moves the breakpoint. */
static __attribute__((noinline)) void target_even(void)
{
	__asm__ volatile("nop" ::: "memory");
}

static __attribute__((noinline)) void target_odd(void)
{
	__asm__ volatile("nop; nop" ::: "memory");
}

static void (*const targets[2])(void) = {target_even, target_odd};

static uint64_t thread_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct shared {
	const struct breakpoint_bench_options *options;
	int signal;	      /* that hits bring */
	pthread_mutex_t gate; /* closed until all threads are there, or some can't be had */
	bool abandoned;
	pthread_barrier_t barrier;
};

struct worker {
	struct shared *shared;
	pthread_t thread;
	struct perf_event_attr attr;
	int fd;
	int error; /* errno, or 0 */
	uint64_t set_ns, set_hit_ns, hits, missed, overflows;
};

/* ---- one thread ---------------------------------------------------------------------------- */

static int send_signals(const struct worker *w)
{
	struct f_owner_ex owner = {F_OWNER_TID, (pid_t)syscall(SYS_gettid)};

	return fcntl(w->fd, F_SETOWN_EX, &owner) || fcntl(w->fd, F_SETSIG, w->shared->signal) ||
	       fcntl(w->fd, F_SETFL, fcntl(w->fd, F_GETFL) | O_ASYNC);
}

static int open_breakpoint(struct worker *w)
{
	bool sigtrap = w->shared->options->delivery == BREAKPOINT_SIGTRAP;

	w->attr = (struct perf_event_attr){
		.size = sizeof(w->attr),
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = (uintptr_t)target_even,
		.bp_len = ISA_HOST_BREAKPOINT_BYTES,
		.sample_period = 1,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sigtrap = sigtrap,
		.remove_on_exec = sigtrap,
	};
	w->fd = (int)syscall(SYS_perf_event_open, &w->attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	own_breakpoint = w->fd;
	if (w->fd < 0 || (!sigtrap && send_signals(w)))
		return errno;
	return 0;
}

static int set(struct worker *w, unsigned i)
{
	w->attr.bp_addr = (uintptr_t)targets[i % 2];
	w->attr.disabled = 0;
	return ioctl(w->fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &w->attr);
}

/* Run into the breakpoint; false if no signal came. */
static bool hit(unsigned i)
{
	sig_atomic_t before = hit_count + overflow_count;

	targets[i % 2]();
	for (unsigned waited = 0; waited < PATIENCE; waited++)
		if (hit_count + overflow_count != before)
			return true;
	return false;
}

static void set_and_hit(struct worker *w, unsigned operations)
{
	for (unsigned i = 0; i < operations; i++)
		if (set(w, i))
			w->error = errno;
		else if (!hit(i))
			w->missed++;
}

static void set_only(struct worker *w, unsigned operations)
{
	for (unsigned i = 0; i < operations; i++)
		if (set(w, i))
			w->error = errno;
}

static void measure(struct worker *w)
{
	unsigned operations = w->shared->options->operations;
	uint64_t begin;

	if (!w->error)
		set_and_hit(w, WARM_UP);
	hit_count = overflow_count = 0;
	w->missed = 0;
	pthread_barrier_wait(&w->shared->barrier);
	begin = thread_ns();
	if (!w->error)
		set_only(w, operations);
	w->set_ns = thread_ns() - begin;
	pthread_barrier_wait(&w->shared->barrier);
	begin = thread_ns();
	if (!w->error)
		set_and_hit(w, operations);
	w->set_hit_ns = thread_ns() - begin;
	w->hits = (uint64_t)hit_count;
	w->overflows = (uint64_t)overflow_count;
}

static void *work(void *argument)
{
	struct worker *w = argument;

	pthread_mutex_lock(&w->shared->gate);
	pthread_mutex_unlock(&w->shared->gate);
	if (w->shared->abandoned)
		return NULL;
	w->error = open_breakpoint(w);
	measure(w);
	if (w->fd >= 0)
		close(w->fd);
	return NULL;
}

/* ---- all of them --------------------------------------------------------------------------- */

static int join(struct worker *workers, unsigned count, struct softlbr_error *e)
{
	int rc = 0;

	for (unsigned i = 0; i < count; i++) {
		pthread_join(workers[i].thread, NULL);
		if (!workers[i].error)
			continue;
		errno = workers[i].error;
		rc = error_set_errno(
			e, NULL,
			"cannot set a hardware breakpoint in thread %u of %u by %s "
			"(`softlbr doctor` tells what this machine can do)",
			i + 1, count,
			breakpoint_bench_delivery_text(workers[i].shared->options->delivery));
	}
	return rc;
}

/* The mean over the threads of one repeat. */
static void add_up(const struct worker *workers, const struct breakpoint_bench_options *o,
		   double *set_us, double *set_hit_us, struct breakpoint_cost *cost)
{
	uint64_t set_ns = 0, set_hit_ns = 0;
	double operations = (double)o->threads * o->operations;

	for (unsigned i = 0; i < o->threads; i++) {
		set_ns += workers[i].set_ns;
		set_hit_ns += workers[i].set_hit_ns;
		cost->hits += workers[i].hits;
		cost->missed += workers[i].missed;
		cost->overflows += workers[i].overflows;
	}
	*set_us = (double)set_ns / operations / 1e3;
	*set_hit_us = (double)set_hit_ns / operations / 1e3;
}

/* Threads that could not all be had would wait for each other for ever: all or none. */
static int start(struct shared *shared, struct worker *workers, struct softlbr_error *e)
{
	unsigned wanted = shared->options->threads, started = 0;
	int rc = 0;

	pthread_mutex_lock(&shared->gate);
	for (; started < wanted && !rc; started += !rc) {
		workers[started] = (struct worker){.shared = shared, .fd = -1};
		rc = pthread_create(&workers[started].thread, NULL, work, &workers[started]);
	}
	shared->abandoned = rc != 0;
	pthread_mutex_unlock(&shared->gate);
	if (!rc)
		return 0;
	for (unsigned i = 0; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	errno = rc;
	return error_set_errno(e, NULL, "cannot start thread %u of %u", started + 1, wanted);
}

static int repeat(struct shared *shared, struct worker *workers, double *set_us, double *set_hit_us,
		  struct breakpoint_cost *cost, struct softlbr_error *e)
{
	int rc;

	if (pthread_barrier_init(&shared->barrier, NULL, shared->options->threads))
		return error_set_nomem(e);
	rc = start(shared, workers, e);
	if (!rc)
		rc = join(workers, shared->options->threads, e);
	if (!rc)
		add_up(workers, shared->options, set_us, set_hit_us, cost);
	pthread_barrier_destroy(&shared->barrier);
	return rc;
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), ascending);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static int run(struct shared *shared, struct breakpoint_cost *cost, struct softlbr_error *e)
{
	const struct breakpoint_bench_options *o = shared->options;
	double set_us[BREAKPOINT_BENCH_REPEATS_MAX], set_hit_us[BREAKPOINT_BENCH_REPEATS_MAX];
	struct worker *workers = memory_alloc_array(o->threads, sizeof(*workers));
	int rc = workers ? 0 : error_set_nomem(e);

	for (unsigned i = 0; i < o->repeats && !rc; i++)
		rc = repeat(shared, workers, &set_us[i], &set_hit_us[i], cost, e);
	memory_free(workers);
	if (rc)
		return rc;
	cost->set_us = median(set_us, o->repeats);
	cost->set_hit_us = median(set_hit_us, o->repeats);
	return 0;
}

int breakpoint_bench_run(const struct breakpoint_bench_options *o, struct breakpoint_cost *cost,
			 struct softlbr_error *e)
{
	struct shared shared = {.options = o, .signal = SIGRTMIN + 5};
	struct sigaction hit_action = {.sa_handler = count_hit, .sa_flags = SA_RESTART};
	struct sigaction full_action = {.sa_handler = count_overflow, .sa_flags = SA_RESTART};
	struct sigaction old[2];
	int rc;

	*cost = (struct breakpoint_cost){0};
	if (o->threads < 1 || o->threads > BREAKPOINT_BENCH_THREADS_MAX || o->operations < 1 ||
	    o->repeats < 1 || o->repeats > BREAKPOINT_BENCH_REPEATS_MAX)
		return error_set(
			e, SOFTLBR_E_USAGE, NULL,
			"a benchmark of %u threads, %u operations and %u repeats cannot be",
			o->threads, o->operations, o->repeats);
	if (o->delivery == BREAKPOINT_SIGTRAP)
		shared.signal = SIGTRAP;
	sigaction(shared.signal, &hit_action, &old[0]);
	sigaction(SIGIO, &full_action, &old[1]);
	pthread_mutex_init(&shared.gate, NULL);
	rc = run(&shared, cost, e);
	pthread_mutex_destroy(&shared.gate);
	sigaction(shared.signal, &old[0], NULL);
	sigaction(SIGIO, &old[1], NULL);
	return rc;
}

const char *breakpoint_bench_delivery_text(enum breakpoint_delivery delivery)
{
	static const char *const texts[BREAKPOINT_DELIVERIES] = {
		[BREAKPOINT_SIGTRAP] = "sigtrap", [BREAKPOINT_SETSIG] = "F_SETSIG"};

	return texts[delivery];
}
