/* SPDX-License-Identifier: MIT */
#include "collector/machine/interrupt_measure.h"

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
/* From the end of one round to the next. */
#define BETWEEN_NS 60000u
/* Of the thread's own time, where no signal comes. */
#define PATIENCE_NS 20000000u
/* A turn takes some 40 ns: what the thread has run is counted in them. */
#define TURN_STEPS  32u
#define TURNS	    1000u
#define TURN_ROUNDS 5u
/* What look-ahead touches, and so puts out of the caches before it lets the thread go. */
#define TOUCHED_BYTES (512u << 10)

static struct {
	int fd;
	bool begun;
	uint64_t turns, begun_turns, begun_ticks;
	unsigned rounds;
	uint64_t ticks[ROUNDS], ran[ROUNDS];
	volatile uint8_t touched[TOUCHED_BYTES];
} interrupted;

static void set_period(uint64_t ns)
{
	ioctl(interrupted.fd, PERF_EVENT_IOC_PERIOD, &ns);
}

static void touch(void)
{
	for (size_t i = 0; i < TOUCHED_BYTES; i += ISA_LINE_BYTES)
		interrupted.touched[i]++;
}

/* Rounds of two: the first one is where the handler of a sample ends. */
static void on_interrupt(int number, siginfo_t *info, void *context)
{
	uint64_t ticks = isa_ticks();

	(void)number;
	(void)info;
	(void)context;
	if (interrupted.rounds == ROUNDS)
		return;
	interrupted.begun = !interrupted.begun;
	if (interrupted.begun) {
		touch();
		set_period(STOPWATCH_INTERRUPT_NS);
		interrupted.begun_turns = interrupted.turns;
		interrupted.begun_ticks = isa_ticks();
		return;
	}
	interrupted.ticks[interrupted.rounds] = ticks - interrupted.begun_ticks;
	interrupted.ran[interrupted.rounds++] = interrupted.turns - interrupted.begun_turns;
	set_period(BETWEEN_NS);
}

/* Each step waits for the one before it. */
static void turn(uint64_t *value)
{
	for (unsigned i = 0; i < TURN_STEPS; i++)
		*value = *value * 0x9e3779b97f4a7c15u + 1;
	__atomic_store_n(&interrupted.turns, interrupted.turns + 1, __ATOMIC_RELAXED);
}

/* The fastest: nothing came between. */
static double turn_ticks(uint64_t *value)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < TURN_ROUNDS; i++) {
		uint64_t begin = isa_ticks(), took;

		for (unsigned j = 0; j < TURNS; j++)
			turn(value);
		took = isa_ticks() - begin;
		least = took < least ? took : least;
	}
	return (double)least / TURNS;
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median_cost(double each)
{
	double cost[ROUNDS];

	for (unsigned i = 0; i < ROUNDS; i++)
		cost[i] = (double)interrupted.ticks[i] - (double)interrupted.ran[i] * each;
	qsort(cost, ROUNDS, sizeof(*cost), ascending);
	return cost[ROUNDS / 2];
}

/* The interrupts' cost, in ticks; 0: they did not come. */
static double measure(void)
{
	uint64_t value = 1, begin;
	double each = turn_ticks(&value);

	ioctl(interrupted.fd, PERF_EVENT_IOC_ENABLE, 0);
	begin = clock_handler_ns(CLOCK_THREAD_CPUTIME_ID);
	while (__atomic_load_n(&interrupted.rounds, __ATOMIC_RELAXED) < ROUNDS &&
	       clock_handler_ns(CLOCK_THREAD_CPUTIME_ID) - begin < PATIENCE_NS)
		for (unsigned i = 0; i < TURNS; i++)
			turn(&value);
	ioctl(interrupted.fd, PERF_EVENT_IOC_DISABLE, 0);
	/* what was computed is used, lest it is left out */
	return interrupted.rounds == ROUNDS && value ? median_cost(each) : 0;
}

void interrupt_measure(struct rate_machine *m, const struct event *event)
{
	struct sigaction action = {.sa_sigaction = on_interrupt,
				   .sa_flags = SA_SIGINFO | SA_RESTART};
	struct sigaction before;
	struct perf_event_attr attr;
	double ticks;

	event_attr(event, BETWEEN_NS, &attr);
	interrupted.begun = false;
	interrupted.rounds = 0;
	interrupted.fd =
		(int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (interrupted.fd < 0)
		return;
	sigaction(SIGTRAP, &action, &before);
	ticks = measure();
	close(interrupted.fd);
	sigaction(SIGTRAP, &before, NULL);
	if (ticks > 0)
		m->interrupt_ps = (uint64_t)(ticks * (double)m->tick_1024_ps / 1024);
}
