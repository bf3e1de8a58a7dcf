/* SPDX-License-Identifier: MIT */
/*
 * The event that picks the moments where a thread's traces start.
 *
 * Events of time run on by themselves: the kernel restarts its timer in the interrupt, where arming
 * a one-shot event again programs it twice more and sends the processor an interrupt to disable the
 * event (16 us a sample against 32 on a virtual machine, where each of these leaves the guest). The
 * interval is drawn anew every few samples, if it is short, which is enough: the moments of timer
 * interrupts keep step with nothing. Counters could keep step with a loop, to the very branch: they
 * fire once, and are armed again at an interval of their own each time, when the trace is done.
 * Asynchronous signals (event.h) may get lost, where the program blocks SIGTRAP: their events run
 * on all.
 *
 * A thread that is switched often pays for its event at each switch, when the kernel takes it off
 * the processor and puts it on again. A timer of its processor time (timer_create(2)) costs nothing
 * there: the kernel looks at it at its ticks, every 1 to 10 ms.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The shortest period at which timers are of use. */
#define SAMPLER_TIMER_PERIOD_NS 8000000u

/* What is asked of the kernel for an event @fd that was opened disabled (kernel/event.h). */
struct sampler_source {
	void (*set_period)(int fd, uint64_t period);
	void (*enable)(int fd);
	void (*enable_once)(int fd); /* until it fires */
	void (*disable)(int fd);
	uint64_t (*count)(int fd); /* of what a period counts, since it was opened; 0: not known */
	/* A timer of the processor time of the calling thread, @tid, whose signals have @data. It
	 * fires each @ns; 0: never. */
	bool (*make_timer)(uint32_t tid, uintptr_t data, int *timer);
	void (*set_timer)(int timer, uint64_t ns);
	void (*delete_timer)(int timer);
};

struct sampler_options {
	const struct sampler_source *source;
	bool time;	   /* its unit is nanoseconds */
	bool asynchronous; /* signals may get lost */
	uint64_t mean;	   /* of the intervals that are drawn */
	uint64_t seed;
};

struct sampler {
	const struct sampler_source *source;
	int fd;
	int timer;	   /* the kernel's number */
	bool by_timer;	   /* and by no event: fd is -1 */
	bool runs_on;	   /* an event of time, or an asynchronous one */
	unsigned kept;	   /* samples at one interval */
	bool armed;	   /* one-shot: a sample will come */
	bool once;	   /* an event of time that is to fire once before it runs on */
	bool limited;	   /* it is to fire once, and has not */
	uint64_t mean;	   /* of the intervals that are drawn */
	uint64_t wanted;   /* the next mean */
	uint64_t ended;	   /* the mean of the intervals of which the last sample ended one; 0: none
			    * came yet */
	uint64_t period;   /* the interval of samples now; 0: none */
	bool partial;	   /* it is a part of an interval that is drawn */
	uint64_t skipped;  /* of the first one, before there was an event */
	uint64_t began;	   /* the count at which a partial one began */
	uint64_t then;	   /* the interval behind this one, if it is known; else 0 */
	uint64_t waited;   /* since the last sample that was taken for a trace */
	uint64_t fired_ns; /* the thread's time then, by who owns it; 0: not since it was started */
	uint64_t random;   /* state of the generator, not 0 */
	unsigned drawn;	   /* samples at this interval */
	unsigned patience; /* samples to let pass while a breakpoint is awaited */
};

/* A random interval to the next sample, mean/2 to 3/2 @mean; *@random is the generator's state, not
 * 0. */
uint64_t sampler_interval(uint64_t *random, uint64_t mean);
/* A random interval to a thread's first sample, as if samples had come all along: each moment of a
 * thread that lives for less than an interval is as likely as each other. */
uint64_t sampler_first_interval(uint64_t *random, uint64_t mean);

/* For an event that is yet to be opened, disabled, with the period that this returns, and to be put
 * into s->fd; 0: with any. To set one costs more than to open the event with it. */
uint64_t sampler_prepare_unopened(struct sampler *s, const struct sampler_options *o);
/*
 * A thread may live for a while without an event. Of its first interval, which is drawn, @passed
 * has gone by then:
 *
 * Was a sample due meanwhile? When, from the thread's beginning; 0: none was. Asked until then.
 */
uint64_t sampler_missed(struct sampler *s, uint64_t passed);
/* The event is opened now: with this period. */
uint64_t sampler_skip(struct sampler *s, uint64_t passed);
/* Let this thread have a sample at @moment of its life, which another one missed, besides its own.
 * False if its own comes first. */
bool sampler_take_over(struct sampler *s, uint64_t moment);

/* For an event that was opened disabled, of any thread. */
void sampler_prepare(struct sampler *s, int fd, const struct sampler_options *o);
/* Start, also after sampler_stop. */
void sampler_start(struct sampler *s);
/* Draw around @mean from the next interval on; at the next sample, if it differs by more than a
 * quarter. Each moment counts for as much before and behind that. */
void sampler_set_mean(struct sampler *s, uint64_t mean);
/* A sample came, which sampler_fired is to be told of, unless this says true: it does not count,
 * and another one is to come. What fires in the kernel's code makes no sample, and the event fires
 * again at the same interval. Where that is only a part of one, as the first is, the program's own
 * code would be sampled more often than elsewhere: then a sample counts only if one was due since
 * the event fired before. */
bool sampler_came_again(struct sampler *s);
/* A sample came. */
void sampler_fired(struct sampler *s);
/* The trace is done, or none was started: the next sample may come. */
void sampler_arm(struct sampler *s);
/* A breakpoint is awaited, which may never be hit: let a sample come after a while. */
void sampler_guard(struct sampler *s);
/* Has the awaited breakpoint been waited for too long? To be asked at a sample. */
bool sampler_lost_patience(struct sampler *s);
/* Let the next sample come in @ns, behind which sampler_again is to be called. False: this event is
 * none of time, or a timer that the kernel looks at too rarely. */
bool sampler_interrupt(struct sampler *s, uint64_t ns);
/* No more samples; the descriptor stays open. */
void sampler_stop(struct sampler *s);

/* Let a timer of the calling thread, @tid, send the samples' signals, with @data, and no longer the
 * event; false if the kernel does not give one. Its samples come in the kernel's code, too. It is
 * started by the next sample that fires, or by sampler_start. */
bool sampler_use_timer(struct sampler *s, uint32_t tid, uintptr_t data);
/* A sample came that does not count: another one is to come. */
void sampler_again(struct sampler *s);
/* Delete it, if there is one. */
void sampler_drop_timer(struct sampler *s);
