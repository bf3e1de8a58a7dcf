/* SPDX-License-Identifier: MIT */
#include "collector/machine/interrupt_measure.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/engine/stopwatch.h"
#include "collector/kernel/clock.h"
#include "isa/host.h"

#define ROUNDS 15u
/* Of the thread's own time, where no signal comes. */
#define PATIENCE_NS 20000000u
/* A turn takes some 40 ns: what the thread has run is counted in them. */
#define TURN_STEPS  32u
#define TURNS	    1000u
#define TURN_ROUNDS 5u
/* What look-ahead touches, and so puts out of the caches before it lets the thread go. */
#define TOUCHED_BYTES (512u << 10)

static struct {
	struct perf_event_attr attr;
	int fd;
	bool by_kernel; /* it tells when the event fired */
	unsigned rounds;
	uint64_t turns, begun_turns, begun;
	uint64_t took[ROUNDS], ran[ROUNDS];
	volatile uint8_t touched[TOUCHED_BYTES];
} interrupted;

static void touch(void)
{
	for (size_t i = 0; i < TOUCHED_BYTES; i += ISA_LINE_BYTES)
		interrupted.touched[i]++;
}

/* Nanoseconds for which the event was enabled; it disables itself where it fires. */
static uint64_t enabled_ns(void)
{
	uint64_t counted[2] = {0}; /* the count, and that time (perf_event_open(2)) */

	return read(interrupted.fd, counted, sizeof(counted)) < 0 ? 0 : counted[1];
}

static uint64_t clock_of(uint64_t ticks)
{
	return interrupted.by_kernel ? enabled_ns() : ticks;
}

static bool open_event(void)
{
	long fd = syscall_6(SYS_perf_event_open, (uintptr_t)&interrupted.attr, 0, (uint64_t)-1,
			    (uint64_t)-1, PERF_FLAG_FD_CLOEXEC, 0);

	interrupted.fd = (int)fd;
	if (fd < 0 || !interrupted.by_kernel)
		return fd >= 0;
	return event_listen((int)fd, (uint32_t)syscall_3(SYS_gettid, 0, 0, 0)) >= 0;
}

/* The event fires in its period from now on. */
static void begin_round(void)
{
	uint64_t ns = interrupted.attr.sample_period;

	touch();
	interrupted.begun_turns = interrupted.turns;
	if (!interrupted.by_kernel) {
		ioctl(interrupted.fd, PERF_EVENT_IOC_PERIOD, &ns);
		interrupted.begun = isa_ticks();
		return;
	}
	/* one that has fired would do so sooner the next time */
	close(interrupted.fd);
	if (open_event())
		ioctl(interrupted.fd, PERF_EVENT_IOC_REFRESH, 1);
	interrupted.begun = 0;
}

static void on_interrupt(int number, siginfo_t *info, void *context)
{
	uint64_t now = clock_of(isa_ticks()), begun = interrupted.begun;

	(void)number;
	(void)info;
	(void)context;
	if (interrupted.rounds == ROUNDS)
		return;
	interrupted.took[interrupted.rounds] = now - begun;
	interrupted.ran[interrupted.rounds++] = interrupted.turns - interrupted.begun_turns;
	begin_round();
}

/* Each step waits for the one before it. */
static void turn(uint64_t *value)
{
	for (unsigned i = 0; i < TURN_STEPS; i++)
		*value = *value * 0x9e3779b97f4a7c15u + 1;
	__atomic_store_n(&interrupted.turns, interrupted.turns + 1, __ATOMIC_RELAXED);
}

/* The fastest: nothing came between. */
static uint64_t turns_ticks(uint64_t *value)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < TURN_ROUNDS; i++) {
		uint64_t begin = isa_ticks(), took;

		for (unsigned j = 0; j < TURNS; j++)
			turn(value);
		took = isa_ticks() - begin;
		least = took < least ? took : least;
	}
	return least;
}

static int cost_ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* A turn takes @turn_ps. */
static double median_ps(double turn_ps, double tick_ps)
{
	double unit_ps = interrupted.by_kernel ? 1000 : tick_ps, cost[ROUNDS];

	for (unsigned i = 0; i < ROUNDS; i++)
		cost[i] = (double)interrupted.took[i] * unit_ps -
			  (double)interrupted.ran[i] * turn_ps;
	qsort(cost, ROUNDS, sizeof(*cost), cost_ascending);
	return cost[ROUNDS / 2];
}

/* Picoseconds; 0: the interrupts did not come. */
static double measure(double tick_ps)
{
	uint64_t value = 1, begin, turns = turns_ticks(&value);

	begin = clock_handler_ns(CLOCK_THREAD_CPUTIME_ID);
	begin_round();
	if (!interrupted.by_kernel)
		ioctl(interrupted.fd, PERF_EVENT_IOC_ENABLE, 0);
	while (__atomic_load_n(&interrupted.rounds, __ATOMIC_RELAXED) < ROUNDS &&
	       clock_handler_ns(CLOCK_THREAD_CPUTIME_ID) - begin < PATIENCE_NS)
		for (unsigned i = 0; i < TURNS; i++)
			turn(&value);
	ioctl(interrupted.fd, PERF_EVENT_IOC_DISABLE, 0);
	/* what was computed is used, lest it is left out */
	if (interrupted.rounds < ROUNDS || !value)
		return 0;
	return median_ps((double)turns * tick_ps / TURNS, tick_ps);
}

/* Let the signal come to this thread. False: one that is the program's waits to do so. */
static bool unblock_signal(sigset_t *before)
{
	sigset_t trap;

	if (sigpending(&trap) || sigismember(&trap, SIGTRAP))
		return false;
	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	return !pthread_sigmask(SIG_UNBLOCK, &trap, before);
}

void interrupt_measure(struct rate_machine *m, const struct event *event)
{
	struct sigaction action = {.sa_sigaction = on_interrupt,
				   .sa_flags = SA_SIGINFO | SA_RESTART};
	struct sigaction before;
	sigset_t blocked;
	double ps = 0;

	if (!unblock_signal(&blocked))
		return;
	event_attr(event,
		   event->asynchronous ? STOPWATCH_INTERRUPT_OUTSIDE_NS : STOPWATCH_INTERRUPT_NS,
		   &interrupted.attr);
	interrupted.attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	interrupted.by_kernel = event->asynchronous;
	interrupted.rounds = 0;
	interrupted.turns = interrupted.begun = 0;
	sigaction(SIGTRAP, &action, &before);
	if (open_event())
		ps = measure((double)m->tick_1024_ps / 1024);
	close(interrupted.fd);
	sigaction(SIGTRAP, &before, NULL);
	pthread_sigmask(SIG_SETMASK, &blocked, NULL);
	if (ps > 0)
		m->interrupt_ps = (uint64_t)ps;
}
