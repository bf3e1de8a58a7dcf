/* SPDX-License-Identifier: MIT */
#include "collector/machine/calibration.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/order.h"
#include "collector/engine/core.h"
#include "collector/engine/memory_reader.h"
#include "collector/engine/sampler.h"
#include "collector/kernel/clock.h"
#include "collector/kernel/event.h"
#include "collector/kernel/process_memory.h"
#include "isa/host.h"

#define ROUNDS		 9u
#define ROUNDS_MOST	 72u /* while what samples cost is lost in the machine's noise */
#define SAMPLES_PER_WORK 20u
/* More come where each takes longer than what is between them: then the work ends without. */
#define SAMPLES_MOST (5 * SAMPLES_PER_WORK)
#define DEPTH	     64u /* of the traces that are timed */
#define CACHE_BYTES  (4u << 20)
#define ITEMS	     (256u << 10)
#define ITEM_BYTES   16u
#define WORDS	     12000u
#define ARMS	     2000u
#define SWITCHES     100u
#define REPEATS_MOST 5u /* of breakpoints */

/* All that the handler touches is mapped before the first sample. */
struct sampling {
	struct isa_state states[2]; /* first: aligned as they ask for */
	struct core core;
	struct decode_cache cache;
	struct memory_reader reader;
	struct memory_known known;
	struct isa_taken entries[DEPTH];
	uint8_t kinds[DEPTH];
	struct sampler sampler;
	const struct event *event;
	uint64_t period;
	bool look_ahead;
	uint64_t samples, ticks, branches;
	char items[ITEMS][ITEM_BYTES];
	uint8_t cache_memory[CACHE_BYTES];
};

/* The handler's; set in sample, around what is measured. */
static struct sampling *running;

static void on_sample(int number, siginfo_t *info, void *context)
{
	struct sampling *s = running;
	int error = errno;
	uint64_t begin;

	(void)number;
	(void)info;
	if (!s)
		return;
	sampler_fired(&s->sampler);
	s->samples++;
	if (s->look_ahead) {
		begin = isa_ticks();
		memory_reader_begin(&s->reader, process_memory_is_shared());
		isa_state_load_context(core_state(&s->core), context);
		core_begin(&s->core, &s->reader.memory);
		s->ticks += isa_ticks() - begin;
		s->branches += s->core.trace.count;
	}
	if (s->samples < SAMPLES_MOST)
		sampler_arm(&s->sampler);
	else
		sampler_stop(&s->sampler);
	errno = error;
}

/* The built-in program: the same work each time. It formats, hashes and compares text, with calls
 * into libc and branches that data decides, in a table that does not fit the inner caches: what
 * look-ahead reads and its own code are as cold as in other programs. */
static void work(struct sampling *s)
{
	uint32_t value = 1;

	memset(s->items, 0, sizeof(s->items));
	for (unsigned i = 0; i < WORDS; i++) {
		char word[ITEM_BYTES];
		uint32_t hash = 2166136261u; /* FNV-1a */

		value ^= value << 13; /* xorshift32 */
		value ^= value >> 17;
		value ^= value << 5;
		snprintf(word, sizeof(word), "%x", value % (WORDS / 2));
		for (const char *c = word; *c; c++)
			hash = (hash ^ (uint8_t)*c) * 16777619u;
		while (s->items[hash % ITEMS][0] && strcmp(s->items[hash % ITEMS], word))
			hash++;
		memcpy(s->items[hash % ITEMS], word, sizeof(word));
	}
}

static uint64_t work_ns(struct sampling *s)
{
	uint64_t begin = clock_handler_ns(CLOCK_THREAD_CPUTIME_ID);

	work(s);
	return clock_handler_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
}

static int open_event(const struct event *event, uint64_t period)
{
	struct perf_event_attr attr;
	int fd;

	event_attr(event, period, &attr);
	attr.sigtrap &= period != 0;
	fd = event_open(&attr, 0, -1);
	if (fd >= 0 && period && event->asynchronous)
		event_listen(fd, syscall_tid());
	return fd;
}

/* The event's distance at which the work meets SAMPLES_PER_WORK samples. */
static int choose_period(struct sampling *s, const struct event *event, struct softlbr_error *e)
{
	uint64_t count = 0;
	int fd = open_event(event, 0);

	if (fd < 0)
		return error_set_errno(e, NULL, "the event %s cannot be counted", event->name);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	work(s);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, &count, sizeof(count)) != sizeof(count))
		count = 0;
	close(fd);
	s->period = count / SAMPLES_PER_WORK;
	if (s->period < 1000)
		return error_set(e, SOFTLBR_E_SYSTEM, NULL, "the event %s counts nothing",
				 event->name);
	return 0;
}

ORDER_BY(ascending, double, (*a > *b) - (*a < *b));

static double median(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), ascending);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static void start(struct sampling *s, uint64_t period)
{
	const struct sampler_options o = event_sampler_options(s->event, period, 1);

	sampler_prepare(&s->sampler, s->sampler.fd, &o);
	sampler_start(&s->sampler);
}

static uint64_t sampled_work_ns(struct sampling *s, bool look_ahead)
{
	uint64_t ns;

	s->look_ahead = look_ahead;
	s->samples = s->ticks = s->branches = 0;
	start(s, s->period);
	ns = work_ns(s);
	sampler_stop(&s->sampler);
	return ns;
}

/* Arming alone: the event is far from its period, so that no sample comes. */
static double arm_us(struct sampling *s)
{
	uint64_t begin, ns;

	start(s, s->period * SAMPLES_PER_WORK * 1000);
	begin = clock_handler_ns(CLOCK_THREAD_CPUTIME_ID);
	for (unsigned i = 0; i < ARMS; i++) {
		sampler_fired(&s->sampler);
		sampler_arm(&s->sampler);
	}
	ns = clock_handler_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
	sampler_stop(&s->sampler);
	return (double)ns / ARMS / 1e3;
}

/* A sample is a stop, too, which is many times what arming is. */
static bool is_noise(const struct calibration *c)
{
	return c->sample_us < 5 * c->sample_arm_us;
}

/*
 * Plain and sampled work in turn. What samples cost is the difference between the fastest of each:
 * other programs make the work slower, by more than its samples do, but never faster.
 */
static int measure(struct sampling *s, struct calibration *c, struct softlbr_error *e)
{
	uint64_t begin_ns = clock_now_ns(), begin_ticks = isa_ticks();
	double branch_ticks[ROUNDS_MOST], tick_us, plain = INFINITY, sampled = INFINITY;
	uint64_t samples = 0;
	unsigned i;

	c->sample_arm_us = arm_us(s);
	sampled_work_ns(s, true); /* decodes */
	for (i = 0; i < ROUNDS || (i < ROUNDS_MOST && is_noise(c)); i++) {
		double ns = (double)work_ns(s);

		if (ns < plain)
			plain = ns;
		ns = (double)sampled_work_ns(s, false);
		if (!s->samples)
			return error_set(e, SOFTLBR_E_SYSTEM, NULL, "no sample came");
		if (ns < sampled) {
			sampled = ns;
			samples = s->samples;
		}
		sampled_work_ns(s, true);
		if (!s->branches)
			return error_set(e, SOFTLBR_E_SYSTEM, NULL, "no branch was recorded");
		branch_ticks[i] = (double)s->ticks / (double)s->branches;
		c->sample_us = (sampled - plain) / (double)samples / 1e3;
	}
	tick_us = (double)(clock_now_ns() - begin_ns) / 1e3 / (double)(isa_ticks() - begin_ticks);
	c->branch_us = median(branch_ticks, i) * tick_us;
	if (is_noise(c))
		c->sample_us = c->sample_arm_us;
	return 0;
}

static int sample(struct sampling *s, struct calibration *c, const struct event *event,
		  struct softlbr_error *e)
{
	struct sigaction action = {.sa_sigaction = on_sample, .sa_flags = SA_SIGINFO | SA_RESTART};
	struct sigaction old;
	int rc = choose_period(s, event, e);

	if (rc)
		return rc;
	s->event = event;
	s->sampler.fd = open_event(event, s->period);
	if (s->sampler.fd < 0)
		return error_set_errno(e, NULL, "the event %s cannot sample", event->name);
	sigaction(SIGTRAP, &action, &old);
	running = s;
	rc = measure(s, c, e);
	running = NULL;
	close(s->sampler.fd);
	sigaction(SIGTRAP, &old, NULL);
	return rc;
}

int calibration_sample(struct calibration *c, const struct event *event, struct softlbr_error *e)
{
	struct core_options options = {.depth = DEPTH, .lookahead = CORE_FULL};
	struct core_memory lent;
	uint64_t begin_ns = clock_handler_ns(CLOCK_PROCESS_CPUTIME_ID);
	struct sampling *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	int rc;

	if (s == MAP_FAILED)
		return error_set_nomem(e);
	decode_cache_init(&s->cache, s->cache_memory, sizeof(s->cache_memory));
	process_memory_init(&s->reader, &s->known);
	lent = (struct core_memory){
		.entries = s->entries, .kinds = s->kinds, .states = s->states, .cache = &s->cache};
	core_init(&s->core, &options, &lent);
	rc = sample(s, c, event, e);
	munmap(s, sizeof(*s));
	c->spent_s += (double)(clock_handler_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns) / 1e9;
	return rc;
}

/* ---- one breakpoint ------------------------------------------------------------------------- */

/*
 * What a hardware breakpoint costs the calling thread: to move it, and to move it and run into it,
 * again and again, with an empty signal handler. SIGTRAP is taken over meanwhile, which a program
 * that is being recorded can't do.
 */

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

void calibration_breakpoint_set(struct breakpoint_cost *c, unsigned operations)
{
	uint64_t begin = clock_handler_ns(CLOCK_THREAD_CPUTIME_ID);

	for (unsigned i = 0; i < operations && !c->error; i++)
		set(c, i);
	c->set_ns = clock_handler_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
}

void calibration_breakpoint_set_hit(struct breakpoint_cost *c, unsigned operations)
{
	uint64_t begin;

	hit_count = 0;
	c->missed = 0;
	begin = clock_handler_ns(CLOCK_THREAD_CPUTIME_ID);
	for (unsigned i = 0; i < operations && !c->error; i++)
		if (set(c, i) && !hit(i))
			c->missed++;
	c->set_hit_ns = clock_handler_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
	c->hits = (uint64_t)hit_count;
}

void calibration_breakpoint_begin(struct breakpoint_cost *c, bool asynchronous)
{
	*c = (struct breakpoint_cost){0};
	event_breakpoint_attr((uintptr_t)target_even, asynchronous, &c->attr);
	c->fd = event_open(&c->attr, 0, -1);
	own_breakpoint = c->fd;
	if (c->fd < 0)
		c->error = errno;
	else if (asynchronous)
		c->error = (int)-event_listen(c->fd, syscall_tid());
	calibration_breakpoint_set_hit(c, WARM_UP);
}

void calibration_breakpoint_end(struct breakpoint_cost *c)
{
	if (c->fd >= 0)
		close(c->fd);
}

void calibration_take_signal(struct sigaction *old)
{
	struct sigaction action = {.sa_handler = count_hit, .sa_flags = SA_RESTART};

	sigaction(SIGTRAP, &action, old);
}

/* Medians over @repeats, in microseconds of processor time: to move a breakpoint, and to run into
 * it. */
static int measure_breakpoint(bool asynchronous, unsigned operations, unsigned repeats,
			      double *set_us, double *hit_us, struct softlbr_error *e)
{
	double set[REPEATS_MOST], set_hit[REPEATS_MOST];
	struct breakpoint_cost cost;
	struct sigaction old;

	calibration_take_signal(&old);
	calibration_breakpoint_begin(&cost, asynchronous);
	for (unsigned i = 0; i < repeats; i++) {
		calibration_breakpoint_set(&cost, operations);
		calibration_breakpoint_set_hit(&cost, operations);
		set[i] = (double)cost.set_ns / operations / 1e3;
		set_hit[i] = (double)cost.set_hit_ns / operations / 1e3;
	}
	calibration_breakpoint_end(&cost);
	sigaction(SIGTRAP, &old, NULL);
	errno = cost.error;
	if (errno)
		return error_set_errno(e, NULL, "cannot set a hardware breakpoint");
	*set_us = median(set, repeats);
	*hit_us = median(set_hit, repeats) - *set_us;
	if (*hit_us < 0)
		*hit_us = 0;
	return 0;
}

int calibration_breakpoint(struct calibration *c, struct softlbr_error *e)
{
	uint64_t begin_ns = clock_handler_ns(CLOCK_PROCESS_CPUTIME_ID);
	int rc = measure_breakpoint(false, 300, REPEATS_MOST, &c->breakpoint_set_us,
				    &c->breakpoint_hit_us, e);

	c->spent_s += (double)(clock_handler_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns) / 1e9;
	return rc;
}

int calibration_stop(const struct event *event, double *us, struct softlbr_error *e)
{
	double set_us;

	*us = 0;
	return measure_breakpoint(event->asynchronous, 100, 3, &set_us, us, e);
}

static bool pass_byte(int from, int to)
{
	char byte = 0;

	return (from < 0 || read(from, &byte, 1) == 1) && write(to, &byte, 1) == 1;
}

int calibration_switch(double *us, struct softlbr_error *e)
{
	int there[2], back[2], rc = 0;
	uint64_t begin_ns;
	char byte;
	pid_t child;

	if (pipe2(there, O_CLOEXEC))
		return error_set_errno(e, NULL, "cannot make a pipe");
	if (pipe2(back, O_CLOEXEC)) {
		close(there[0]);
		close(there[1]);
		return error_set_errno(e, NULL, "cannot make a pipe");
	}
	child = fork();
	if (!child) {
		close(there[1]);
		while (pass_byte(there[0], back[1]))
			;
		_exit(0);
	}
	close(there[0]);
	close(back[1]);
	begin_ns = clock_now_ns();
	for (unsigned i = 0; i < SWITCHES && child > 0 && !rc; i++)
		rc = !pass_byte(-1, there[1]) || read(back[0], &byte, 1) != 1;
	*us = (double)(clock_now_ns() - begin_ns) / SWITCHES / 1e3;
	close(there[1]);
	close(back[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	return rc || child < 0 ? error_set_errno(e, NULL, "cannot measure a switch") : 0;
}

unsigned calibration_depth(const struct calibration *c)
{
	double depth = c->branch_us > 0 ? c->sample_us / c->branch_us : 0;

	if (depth < CALIBRATION_DEPTH_MIN)
		return CALIBRATION_DEPTH_MIN;
	return depth > CALIBRATION_DEPTH_MAX ? CALIBRATION_DEPTH_MAX : (unsigned)depth;
}
