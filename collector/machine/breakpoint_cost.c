/* SPDX-License-Identifier: MIT */
/*
 * What a hardware breakpoint costs the calling thread: to move it, and to move it and run into it,
 * again and again, with an empty signal handler. SIGTRAP is taken over meanwhile, which a program
 * that is being recorded can't do.
 */
#include "collector/machine/calibration.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/kernel/clock.h"
#include "collector/kernel/event.h"
#include "isa/host.h"

/* How long an asynchronous event's signal may be under way. */
#define PATIENCE 100000u
/* Untimed operations before the first timed one. */
#define WARM_UP 16u

/* The handler's, of the thread that the signal comes to. */
static _Thread_local volatile sig_atomic_t hit_count;

/* The descriptor of the calling thread's breakpoint. Where a thread does not pass it, the handler
 * switches it off. */
static _Thread_local int own_breakpoint = -1;

static void count_hit(int number)
{
	(void)number;
	hit_count = hit_count + 1;
	if (!ISA_HOST_PASSES_BREAKPOINT)
		ioctl(own_breakpoint, PERF_EVENT_IOC_DISABLE, 0);
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
	return clock_handler_ns(CLOCK_THREAD_CPUTIME_ID);
}

static bool set(struct breakpoint_cost *c, unsigned i)
{
	c->attr.bp_addr = (uintptr_t)targets[i % 2];
	c->attr.disabled = 0;
	if (ioctl(c->fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &c->attr))
		c->error = errno;
	return !c->error;
}

/* Run into the breakpoint; false if no signal came. */
static bool hit(unsigned i)
{
	sig_atomic_t before = hit_count;

	targets[i % 2]();
	for (unsigned waited = 0; waited < PATIENCE; waited++)
		if (hit_count != before)
			return true;
	return false;
}

void breakpoint_cost_set(struct breakpoint_cost *c, unsigned operations)
{
	uint64_t begin = thread_ns();

	for (unsigned i = 0; i < operations && !c->error; i++)
		set(c, i);
	c->set_ns = thread_ns() - begin;
}

void breakpoint_cost_set_hit(struct breakpoint_cost *c, unsigned operations)
{
	uint64_t begin;

	hit_count = 0;
	c->missed = 0;
	begin = thread_ns();
	for (unsigned i = 0; i < operations && !c->error; i++)
		if (set(c, i) && !hit(i))
			c->missed++;
	c->set_hit_ns = thread_ns() - begin;
	c->hits = (uint64_t)hit_count;
}

void breakpoint_cost_begin(struct breakpoint_cost *c, bool asynchronous)
{
	*c = (struct breakpoint_cost){0};
	event_breakpoint_attr((uintptr_t)target_even, asynchronous, &c->attr);
	c->fd = (int)syscall(SYS_perf_event_open, &c->attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	own_breakpoint = c->fd;
	if (c->fd < 0)
		c->error = errno;
	else if (asynchronous)
		c->error = (int)-event_listen(c->fd, (uint32_t)syscall(SYS_gettid));
	breakpoint_cost_set_hit(c, WARM_UP);
}

void breakpoint_cost_end(struct breakpoint_cost *c)
{
	if (c->fd >= 0)
		close(c->fd);
}

void breakpoint_cost_take_signal(struct sigaction *old)
{
	struct sigaction action = {.sa_handler = count_hit, .sa_flags = SA_RESTART};

	sigaction(SIGTRAP, &action, old);
}
