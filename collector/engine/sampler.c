/* SPDX-License-Identifier: MIT */
#include "collector/engine/sampler.h"

/* Samples at one interval, of events of time; but of long ones there are few, and as each stands
 * for the mean interval, what runs at a short one would count for more. */
#define KEPT	8u
#define LONG_NS 5000000u

/* How many mean intervals a breakpoint is waited for. */
#define GUARD_PERIODS 8u

static void set_period(const struct sampler *s, uint64_t period)
{
	if (s->by_timer)
		s->source->set_timer(s->timer, period);
	else
		s->source->set_period(s->fd, period);
}

/* xorshift64 */
static uint64_t below(uint64_t *random, uint64_t limit)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random % limit;
}

uint64_t sampler_interval(uint64_t *random, uint64_t mean)
{
	return mean / 2 + below(random, mean);
}

/* Anywhere in some interval, and in a long one rather than in a short one. */
uint64_t sampler_first_interval(uint64_t *random, uint64_t mean)
{
	uint64_t whole;

	do
		whole = sampler_interval(random, mean);
	while (below(random, mean + mean / 2) >= whole);
	return 1 + below(random, whole);
}

/*
 * The samples behind one stand for less than the time that passes behind it: in the long run for
 * (1 - 1/12) / 2 of a mean interval less, for which the one itself stood (renewal theory; 1/12 is
 * the variance of the intervals by the square of their mean). Where another mean begins, the next
 * sample comes later or earlier by as much as these differ. Else what a program runs behind its
 * first trace, which is dear and has a long interval, would count for more than its time.
 */
static uint64_t shift(uint64_t interval, uint64_t before, uint64_t mean)
{
	return before > mean ? interval + (before - mean) * 11 / 24
			     : interval - (mean - before) * 11 / 24;
}

/* ns, or events */
#define FIRST_LEAST 100000u

/* What runs on at once must not come again before its handler has begun. */
static uint64_t least_at_once(const struct sampler *s, uint64_t interval)
{
	if (s->runs_on && !s->once && interval < FIRST_LEAST)
		return FIRST_LEAST < s->mean ? FIRST_LEAST : s->mean;
	return interval;
}

static uint64_t first_interval(struct sampler *s)
{
	return least_at_once(s, sampler_first_interval(&s->random, s->mean));
}

static void choose_period(struct sampler *s)
{
	bool once = !s->ended || s->ended != s->wanted;

	s->partial = s->then || !s->ended;
	if (s->then) {
		s->period = s->then;
		s->then = 0;
		s->drawn = s->kept;
		return;
	}
	s->mean = s->wanted;
	s->period = s->ended ? shift(sampler_interval(&s->random, s->mean), s->ended, s->mean)
			     : first_interval(s);
	s->drawn = once ? s->kept : 0;
}

static void draw(struct sampler *s)
{
	choose_period(s);
	set_period(s, s->period);
}

uint64_t sampler_prepare_unopened(struct sampler *s, const struct sampler_options *o)
{
	*s = (struct sampler){
		.source = o->source,
		.fd = -1,
		.runs_on = o->time || o->asynchronous,
		.once = o->time && !o->asynchronous,
		.kept = o->time ? KEPT : 1,
		.wanted = o->mean,
		.random = o->seed ? o->seed : 1,
	};
	if (s->runs_on)
		choose_period(s);
	return s->period;
}

uint64_t sampler_missed(struct sampler *s, uint64_t passed)
{
	uint64_t moment = s->period;

	if (passed < moment)
		return 0;
	s->period += sampler_interval(&s->random, s->mean);
	return moment;
}

uint64_t sampler_skip(struct sampler *s, uint64_t passed)
{
	s->skipped = passed;
	return least_at_once(s, s->period - passed);
}

bool sampler_take_over(struct sampler *s, uint64_t moment)
{
	if (moment >= s->period)
		return false;
	s->then = s->period - moment > FIRST_LEAST ? s->period - moment : FIRST_LEAST;
	s->period = moment;
	return true;
}

void sampler_prepare(struct sampler *s, int fd, const struct sampler_options *o)
{
	uint64_t period = sampler_prepare_unopened(s, o);

	s->fd = fd;
	if (period)
		set_period(s, period);
}

void sampler_set_mean(struct sampler *s, uint64_t mean)
{
	s->wanted = mean;
	if (mean > s->mean + s->mean / 4 || mean + mean / 4 < s->mean)
		s->drawn = s->kept;
}

/* Let it run on, if it was to fire once. */
static void run_on(struct sampler *s)
{
	if (s->limited)
		s->source->enable(s->fd);
	s->limited = false;
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
	run_on(s);
}

/* What is left until @due of what is counted. */
static uint64_t later(const struct sampler *s, uint64_t due)
{
	uint64_t least = FIRST_LEAST < s->mean ? FIRST_LEAST : s->mean;

	return due > s->began + least ? due - s->began : least;
}

bool sampler_came_again(struct sampler *s)
{
	bool asked = s->partial && s->runs_on && !s->by_timer;
	uint64_t count = asked ? s->source->count(s->fd) : 0, due = s->began + s->period;

	if (!count)
		return false;
	count += s->skipped;
	if (count < due + s->period / 2 + FIRST_LEAST) {
		s->began = count;
		return false;
	}
	while (due + s->period <= count) /* those that fell into the kernel's code */
		due += sampler_interval(&s->random, s->mean);
	s->began = count;
	s->drawn = s->kept;
	if (due <= count) {
		s->then = later(s, due + sampler_interval(&s->random, s->mean));
		return false;
	}
	s->waited += s->period;
	s->ended = s->mean;
	s->period = later(s, due);
	set_period(s, s->period);
	run_on(s);
	return true;
}

/* The sample may come before the call returns, and its handler changes what is said here. */
static void arm(struct sampler *s)
{
	bool armed = s->armed;

	s->armed = true;
	if (!armed)
		s->source->enable_once(s->fd);
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

bool sampler_interrupt(struct sampler *s, uint64_t ns)
{
	if (!s->once || s->by_timer || s->limited)
		return false;
	s->drawn = s->kept; /* whatever comes next: an interval is drawn behind it */
	set_period(s, ns);
	return true;
}

void sampler_stop(struct sampler *s)
{
	if (s->by_timer)
		s->source->set_timer(s->timer, 0);
	else
		s->source->disable(s->fd);
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
		s->source->set_timer(s->timer, s->period);
		return;
	}
	s->limited = s->once; /* before it fires: see arm */
	/* the first interval may be shorter than the way to the handler, at whose entry the next
	 * sample would come, and so on */
	if (s->once && !limited)
		s->source->enable_once(s->fd);
	else
		s->source->enable(s->fd);
}

bool sampler_use_timer(struct sampler *s, uint32_t tid, uintptr_t data)
{
	if (!s->source->make_timer(tid, data, &s->timer))
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
		s->source->delete_timer(s->timer);
	s->by_timer = false;
}
