/* SPDX-License-Identifier: MIT */
#include "collector/engine/sampler.h"

#include <linux/perf_event.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "collector/kernel/syscall.h"

/* Samples at one distance, of events of time; but of long ones there are few, and as each stands
 * for the mean distance, what runs at a short one would count for more. */
#define KEPT	8u
#define LONG_NS 5000000u

/* How many mean distances a breakpoint is waited for. */
#define GUARD_PERIODS 8u

static void control(const struct sampler *s, unsigned long request, uintptr_t argument)
{
	syscall_3(SYS_ioctl, (uint64_t)s->fd, request, argument);
}

/* 0: it does not run. */
static void set_timer(const struct sampler *s, uint64_t ns)
{
	struct timespec distance = {.tv_sec = (time_t)(ns / 1000000000u),
				    .tv_nsec = (long)(ns % 1000000000u)};
	/* again, should a signal get lost while SIGTRAP is ignored */
	struct itimerspec t = {.it_value = distance, .it_interval = distance};

	syscall_6(SYS_timer_settime, (uint64_t)s->timer, 0, (uintptr_t)&t, 0, 0, 0);
}

static void set_period(const struct sampler *s, uint64_t period)
{
	if (s->by_timer)
		set_timer(s, period);
	else
		control(s, PERF_EVENT_IOC_PERIOD, (uintptr_t)&period);
}

/* xorshift64 */
static uint64_t below(uint64_t *random, uint64_t limit)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random % limit;
}

uint64_t sampler_distance(uint64_t *random, uint64_t mean)
{
	return mean / 2 + below(random, mean);
}

/* Anywhere in some distance, and in a long one rather than in a short one. */
uint64_t sampler_first_distance(uint64_t *random, uint64_t mean)
{
	uint64_t whole;

	do
		whole = sampler_distance(random, mean);
	while (below(random, mean + mean / 2) >= whole);
	return 1 + below(random, whole);
}

/* ns, or events */
#define FIRST_LEAST 100000u

static void draw(struct sampler *s)
{
	bool first = !s->period;

	s->mean = s->wanted;
	s->period = first ? sampler_first_distance(&s->random, s->mean)
			  : sampler_distance(&s->random, s->mean);
	/* what runs on at once must not come again before its handler has begun */
	if (first && s->runs_on && !s->once && s->period < FIRST_LEAST)
		s->period += s->mean / 2;
	s->drawn = first ? s->kept : 0;
	set_period(s, s->period);
}

void sampler_prepare(struct sampler *s, int fd, const struct event *event, uint64_t mean,
		     uint64_t seed)
{
	*s = (struct sampler){
		.fd = fd,
		.runs_on = event->time || event->asynchronous,
		.once = event->time && !event->asynchronous,
		.kept = event->time ? KEPT : 1,
		.wanted = mean,
		.random = seed ? seed : 1,
	};
	if (s->runs_on)
		draw(s);
}

void sampler_set_mean(struct sampler *s, uint64_t mean)
{
	s->wanted = mean;
	if (mean > s->mean + s->mean / 4 || mean + mean / 4 < s->mean)
		s->drawn = s->kept;
}

void sampler_fired(struct sampler *s)
{
	s->armed = false;
	s->ended = s->mean;
	s->waited += s->period;
	if (!s->runs_on)
		return;
	if (++s->drawn >= s->kept || s->mean >= LONG_NS || s->by_timer)
		draw(s);
	if (s->limited)
		control(s, PERF_EVENT_IOC_ENABLE, 0);
	s->limited = false;
}

/* The sample may come before the call returns, and its handler changes what is said here. */
static void arm(struct sampler *s)
{
	bool armed = s->armed;

	s->armed = true;
	if (!armed)
		control(s, PERF_EVENT_IOC_REFRESH, 1);
}

void sampler_arm(struct sampler *s)
{
	if (s->runs_on)
		return;
	draw(s);
	arm(s);
}

void sampler_guard(struct sampler *s)
{
	s->patience = GUARD_PERIODS;
	if (s->runs_on || s->armed)
		return;
	set_period(s, s->mean * GUARD_PERIODS);
	arm(s);
}

bool sampler_lost_patience(struct sampler *s)
{
	return !s->runs_on || s->patience-- == 0;
}

void sampler_stop(struct sampler *s)
{
	if (s->by_timer)
		set_timer(s, 0);
	else
		control(s, PERF_EVENT_IOC_DISABLE, 0);
	s->armed = false;
}

void sampler_start(struct sampler *s)
{
	bool limited = s->limited;

	s->fired_ns = 0;
	if (!s->runs_on) {
		sampler_arm(s);
		return;
	}
	if (s->by_timer) {
		set_timer(s, s->period);
		return;
	}
	s->limited = s->once; /* before it fires: see arm */
	/* the first distance may be shorter than the way to the handler, at whose entry the next
	 * sample would come, and so on */
	if (s->once && !limited)
		control(s, PERF_EVENT_IOC_REFRESH, 1);
	else
		control(s, PERF_EVENT_IOC_ENABLE, 0);
}

bool sampler_use_timer(struct sampler *s, uint32_t tid, uintptr_t data)
{
	struct sigevent event = {.sigev_signo = SIGTRAP, .sigev_notify = SIGEV_THREAD_ID};

	event.sigev_value.sival_ptr = (void *)data;
	event._sigev_un._tid = (pid_t)tid; /* sigev_notify_thread_id, which old headers lack */
	if (syscall_3(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, (uintptr_t)&event,
		      (uintptr_t)&s->timer))
		return false;
	s->by_timer = true;
	s->limited = false;
	return true;
}

void sampler_again(struct sampler *s)
{
	draw(s);
}

void sampler_drop_timer(struct sampler *s)
{
	if (s->by_timer)
		syscall_3(SYS_timer_delete, (uint64_t)s->timer, 0, 0);
	s->by_timer = false;
}
