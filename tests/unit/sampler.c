/* SPDX-License-Identifier: MIT */
/* Distances between samples: their means, and that a short life is sampled evenly; and a sample
 * that comes before the call that asked for it returns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka needs the above first */
#include <cmocka.h>

#include "collector/kernel/event.h"

#define MEAN  25000000u
#define DRAWS 400000u

static void test_distances(void **state)
{
	uint64_t random = 7;
	double sum = 0;

	(void)state;
	for (unsigned i = 0; i < DRAWS; i++) {
		uint64_t d = sampler_interval(&random, MEAN);

		assert_in_range(d, MEAN / 2, MEAN + MEAN / 2);
		sum += (double)d / MEAN;
	}
	assert_true(sum / DRAWS > 0.995 && sum / DRAWS < 1.005);
}

/* Of intervals D the way from anywhere to the next sample is E(D^2) / 2 E(D) on average, 13/24 of
 * the mean; below the shortest interval each moment is as likely. */
static void test_first_interval(void **state)
{
	unsigned tenths[20] = {0};
	uint64_t random = 7;
	double sum = 0;

	(void)state;
	for (unsigned i = 0; i < DRAWS; i++) {
		uint64_t d = sampler_first_interval(&random, MEAN);

		assert_in_range(d, 1, MEAN + MEAN / 2);
		sum += (double)d / MEAN;
		tenths[d * 10 / MEAN]++;
	}
	assert_true(sum / DRAWS > 13 / 24. - 0.005 && sum / DRAWS < 13 / 24. + 0.005);
	for (unsigned i = 0; i < 5; i++)
		assert_in_range(tenths[i], DRAWS / 10 * 98 / 100, DRAWS / 10 * 102 / 100);
	for (unsigned i = 5; i < 15; i++)
		assert_true(tenths[i] <= tenths[i - 1]);
}

/* Threads of a tenth of an interval: one sample of ten of them, wherever in the thread. */
static void test_short_lives_are_sampled_evenly(void **state)
{
	unsigned early = 0, late = 0;

	(void)state;
	for (uint64_t tid = 1; tid <= DRAWS; tid++) {
		uint64_t random = tid * 0x9e3779b97f4a7c15u;
		uint64_t d = sampler_first_interval(&random, MEAN);

		early += d <= MEAN / 20;
		late += d > MEAN / 20 && d <= MEAN / 10;
	}
	assert_in_range(early, DRAWS / 20 * 97 / 100, DRAWS / 20 * 103 / 100);
	assert_in_range(late, DRAWS / 20 * 97 / 100, DRAWS / 20 * 103 / 100);
}

/* ---- what a sample stands for --------------------------------------------------------------- */

static void ignore_period(int fd, uint64_t period)
{
	(void)fd, (void)period;
}

static void ignore_event(int fd)
{
	(void)fd;
}

#define LIVES	200000u
#define PARTS	10u
#define PART_NS 20000000u

/* Lives of ten parts, the first sample of each at intervals of @first, the others of @later: how
 * much time samples stand for in each part, of what it is. */
static void sample_lives(uint64_t first, uint64_t later, double parts[PARTS])
{
	static const struct sampler_source source = {
		.set_period = ignore_period, .enable = ignore_event, .enable_once = ignore_event};
	struct sampler_options o = {.source = &source, .time = true, .mean = first};
	struct sampler s;

	for (unsigned i = 0; i < PARTS; i++)
		parts[i] = 0;
	for (unsigned i = 1; i <= LIVES; i++) {
		uint64_t now;

		o.seed = i * 0x9e3779b97f4a7c15u;
		sampler_prepare(&s, 0, &o);
		sampler_set_mean(&s, later);
		sampler_start(&s);
		for (now = s.period; now < PARTS * (uint64_t)PART_NS; now += s.period) {
			sampler_fired(&s);
			parts[now / PART_NS] += (double)s.ended / PART_NS / LIVES;
		}
	}
}

/* The first trace of a program is dear, and its interval long. */
static void test_means_may_differ(void **state)
{
	static const uint64_t means[][2] = {
		{MEAN, MEAN},
		{4 * MEAN, MEAN},
		{16 * MEAN, MEAN},
		{MEAN, 2 * MEAN},
	};
	double parts[PARTS];

	(void)state;
	for (unsigned i = 0; i < sizeof(means) / sizeof(*means); i++) {
		sample_lives(means[i][0], means[i][1], parts);
		for (unsigned at = 0; at < PARTS; at++)
			assert_true(parts[at] > 0.88 && parts[at] < 1.12);
	}
}

/* How much time the samples stand for in each part, where threads begin without a clock, and get it
 * when they have lived for two to four parts, if they do: every other one lives for three, and they
 * come at random. What was due before is another's. */
static void sample_late_lives(double parts[PARTS], uint64_t lived[PARTS])
{
	static const struct sampler_source source = {
		.set_period = ignore_period, .enable = ignore_event, .enable_once = ignore_event};
	struct sampler_options o = {.source = &source, .time = true, .mean = 5 * PART_NS};
	uint64_t random = 1, due[1000] = {0}, moment;
	unsigned waiting = 0;
	struct sampler s;

	for (unsigned i = 1; i <= LIVES; i++) {
		uint64_t length = (sampler_interval(&random, 1000) % 2 ? 3 : PARTS) *
				  (uint64_t)PART_NS;
		uint64_t clock = sampler_interval(&random, 2 * PART_NS) + PART_NS, now = 0;

		for (unsigned at = 0; at < length / PART_NS; at++)
			lived[at]++;
		o.seed = i * 0x9e3779b97f4a7c15u;
		sampler_prepare_unopened(&s, &o);
		if (waiting && sampler_take_over(&s, due[waiting - 1])) {
			moment = due[--waiting];
			now = s.period;
			if (moment >= length)
				due[waiting++] = moment;
		} else {
			uint64_t end = clock < length ? clock : length;

			while (waiting < 999 && (moment = sampler_missed(&s, end)))
				due[waiting++] = moment;
			if (clock >= length)
				continue;
			now = end + sampler_skip(&s, end);
		}
		for (; now < length; now += s.period) {
			parts[now / PART_NS] += 5;
			sampler_fired(&s);
		}
	}
}

/* None is lost, and each moment counts for as much as with a clock from the beginning. */
static void test_clocks_that_come_late(void **state)
{
	double parts[PARTS] = {0};
	uint64_t lived[PARTS] = {0};

	(void)state;
	sample_late_lives(parts, lived);
	for (unsigned at = 0; at < PARTS; at++)
		assert_true(parts[at] / lived[at] > 0.96 && parts[at] / lived[at] < 1.04);
}

/* Events that run on come no sooner than their handlers can, but not much later either. */
static void test_first_samples_of_events_that_run_on(void **state)
{
	static const struct sampler_source source = {
		.set_period = ignore_period, .enable = ignore_event, .enable_once = ignore_event};
	struct sampler_options o = {
		.source = &source, .time = true, .asynchronous = true, .mean = 1000000};
	unsigned tenths[20] = {0};
	struct sampler s;

	(void)state;
	for (unsigned i = 1; i <= LIVES; i++) {
		o.seed = i * 0x9e3779b97f4a7c15u;
		sampler_prepare(&s, 0, &o);
		assert_true(s.period >= 100000);
		tenths[(s.period - 1) * 10 / 1000000]++;
	}
	for (unsigned i = 0; i < 5; i++)
		assert_in_range(tenths[i], LIVES / 10 * 97 / 100, LIVES / 10 * 103 / 100);
}

/* A life of which the kernel has much, whole slices that chance picks: in the first half nine of
 * ten, as pages fault. */
#define SLICE_NS 100000u

static struct {
	uint64_t ns;   /* it lives for so long */
	unsigned late; /* of ten slices of the second half are the program's own */
	uint64_t seed;
	uint64_t now, next; /* when the event fires */
} life;

static void set_life_period(int fd, uint64_t period)
{
	(void)fd;
	life.next = life.now + period;
}

static uint64_t count_life(int fd)
{
	(void)fd;
	return life.now;
}

static bool is_in_kernel(uint64_t at)
{
	uint64_t random = (life.seed + at / SLICE_NS) * 0x9e3779b97f4a7c15u;

	random = (random ^ random >> 29) * 0xbf58476d1ce4e5b9u;
	return (random >> 32) % 10 >= (at < life.ns / 2 ? 1 : life.late);
}

/* The numbers of samples that count, in the halves of @lives. */
static void sample_faulting_lives(unsigned lives, unsigned halves[2])
{
	static const struct sampler_source source = {.set_period = set_life_period,
						     .enable = ignore_event,
						     .enable_once = ignore_event,
						     .count = count_life};
	struct sampler_options o = {.source = &source, .time = true, .mean = MEAN};
	struct sampler s;

	halves[0] = halves[1] = 0;
	for (unsigned i = 1; i <= lives; i++) {
		life.now = 0;
		life.seed = (uint64_t)i << 32;
		o.seed = i * 0x9e3779b97f4a7c15u;
		sampler_prepare(&s, 0, &o);
		sampler_start(&s);
		while ((life.now = life.next) < life.ns) {
			life.next = life.now + s.period;
			if (is_in_kernel(life.now) || sampler_came_again(&s))
				continue;
			sampler_fired(&s);
			halves[life.now >= life.ns / 2]++;
		}
	}
}

/* As many as the program's own time has intervals: 20,000 and 200,000 of short lives, 40,000 and
 * 200,000 of long ones. What is due in the kernel's code comes a little too soon where a tenth of a
 * millisecond counts, and too late from one half to the other. The event alone fires twice as often
 * in short lives, at the short intervals that fell into the kernel at first. Standard errors: 0.7
 * and 0.3 % of the numbers. */
static void test_samples_beside_the_kernel(void **state)
{
	unsigned halves[2];

	(void)state;
	life.ns = MEAN / 5;
	life.late = 10;
	sample_faulting_lives(10 * LIVES, halves);
	assert_in_range(halves[0], 19000, 22500);
	assert_in_range(halves[1], 196000, 204000);
	life.ns = 4 * MEAN;
	life.late = 5;
	sample_faulting_lives(LIVES, halves);
	assert_in_range(halves[0] + halves[1], 230000, 250000);
}

/* ---- a sample that comes within the call ---------------------------------------------------- */

static struct {
	struct sampler sampler;
	bool fires; /* when it is armed next */
	unsigned armed, enabled;
	uint64_t period;   /* of the event */
	bool refused;	   /* a timer */
	uint64_t timer_ns; /* it fires in so long; 0: never */
	unsigned deleted;
} kernel;

#define TIMER 11

static void set_period(int fd, uint64_t period)
{
	(void)fd;
	kernel.period = period;
}

static void enable(int fd)
{
	(void)fd;
	kernel.enabled++;
}

static void enable_once(int fd)
{
	(void)fd;
	kernel.armed++;
	if (!kernel.fires)
		return;
	kernel.fires = false;
	sampler_fired(&kernel.sampler);
}

static void disable(int fd)
{
	(void)fd;
}

static bool make_timer(uint32_t tid, uintptr_t data, int *timer)
{
	(void)tid, (void)data;
	*timer = TIMER;
	return !kernel.refused;
}

static void set_timer(int timer, uint64_t ns)
{
	assert_int_equal(timer, TIMER);
	kernel.timer_ns = ns;
}

static void delete_timer(int timer)
{
	assert_int_equal(timer, TIMER);
	kernel.deleted++;
}

static uint64_t count(int fd)
{
	(void)fd;
	return 0;
}

static struct sampler_options with(const struct event *event, uint64_t mean)
{
	static const struct sampler_source source = {set_period, enable,      enable_once,
						     disable,	 count,	      make_timer,
						     set_timer,	 delete_timer};
	struct sampler_options o = event_sampler_options(event, mean, 7);

	o.source = &source;
	return o;
}

static void prepare(const struct event *event)
{
	struct sampler_options o;

	kernel.fires = true;
	kernel.armed = kernel.enabled = 0;
	o = with(event, MEAN);
	sampler_prepare(&kernel.sampler, 0, &o);
}

/* It fires once, and then has to be let run on. */
static void test_first_sample_of_a_timer_within_the_call(void **state)
{
	const struct event timer = {.time = true};

	(void)state;
	prepare(&timer);
	sampler_start(&kernel.sampler);
	assert_int_equal(kernel.armed, 1);
	assert_int_equal(kernel.enabled, 1);
}

/* A counter's handler is waited for by nobody: the next trace arms it again. */
static void test_sample_of_a_counter_within_the_call(void **state)
{
	const struct event counter = {0};

	(void)state;
	prepare(&counter);
	sampler_start(&kernel.sampler);
	assert_int_equal(kernel.armed, 1);
	sampler_guard(&kernel.sampler);
	assert_int_equal(kernel.armed, 2);
	sampler_arm(&kernel.sampler);
	assert_int_equal(kernel.armed, 2);
}

/* A sample stands for the interval that it ended, not for the one that it begins: the first trace
 * of a program is dear, and the second one would stand for as long as it delays the third. */
static void test_sample_ends_an_interval(void **state)
{
	const struct event timer = {.time = true};
	const struct sampler_options o = with(&timer, MEAN);
	struct sampler s;

	(void)state;
	sampler_prepare(&s, 0, &o);
	sampler_fired(&s);
	assert_int_equal(s.ended, MEAN);
	sampler_set_mean(&s, 8 * MEAN);
	sampler_fired(&s);
	assert_int_equal(s.ended, MEAN);
	assert_int_equal(s.mean, 8 * MEAN);
	assert_in_range(s.period, 4 * MEAN, 12 * MEAN);
	sampler_fired(&s);
	assert_int_equal(s.ended, 8 * MEAN);
}

/* Each sample sets the next one, and no call goes to the event any more. */
static void test_timer_in_place_of_an_event(void **state)
{
	const struct event timer = {.time = true};
	struct sampler *s = &kernel.sampler;

	(void)state;
	prepare(&timer);
	sampler_start(s);
	kernel.refused = true;
	assert_false(sampler_use_timer(s, 1, 64));
	assert_false(s->by_timer);
	kernel.refused = false;
	assert_true(sampler_use_timer(s, 1, 64));
	kernel.armed = kernel.enabled = 0;
	for (unsigned i = 0; i < 100; i++) {
		sampler_fired(s);
		assert_in_range(kernel.timer_ns, MEAN / 2, MEAN + MEAN / 2);
		assert_int_equal(kernel.timer_ns, s->period);
	}
	assert_in_range(s->waited, 100 * (uint64_t)MEAN * 9 / 10, 101 * (uint64_t)MEAN * 11 / 10);
	sampler_again(s); /* of the same sample: nothing was waited for */
	assert_in_range(s->waited, 100 * (uint64_t)MEAN * 9 / 10, 101 * (uint64_t)MEAN * 11 / 10);
	sampler_stop(s);
	assert_int_equal(kernel.timer_ns, 0);
	sampler_start(s);
	assert_int_equal(kernel.timer_ns, s->period);
	assert_int_equal(kernel.armed + kernel.enabled, 0);
	sampler_drop_timer(s);
	sampler_drop_timer(s);
	assert_int_equal(kernel.deleted, 1);
}

/* Long intervals differ each from the next; short ones stay for a while. */
static void test_long_distances_are_drawn_anew(void **state)
{
	static const uint64_t means[] = {MEAN, 250000};
	const struct event timer = {.time = true};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const struct sampler_options o = with(&timer, means[i]);
		unsigned changes = 0;
		struct sampler s;

		sampler_prepare(&s, 0, &o);
		for (unsigned n = 0; n < 64; n++) {
			uint64_t before = s.period;

			sampler_fired(&s);
			changes += s.period != before;
		}
		assert_int_equal(changes, i ? 8 : 64);
	}
}

#define SOON 40000u

/* Of short intervals, of which several are drawn at once; the last one's event runs. */
static void run(struct sampler *s, const struct event *event, unsigned samples)
{
	const struct sampler_options o = with(event, 250000);

	kernel.fires = false;
	kernel.period = kernel.timer_ns = 0;
	sampler_prepare(s, 0, &o);
	sampler_start(s);
	for (unsigned i = 0; i < samples; i++)
		sampler_fired(s);
}

/* Between two samples; it stands for no interval, and the next one is drawn anew. */
static void test_an_interrupt_between_samples(void **state)
{
	const struct event timer = {.time = true};
	unsigned changes = 0;
	struct sampler s;

	(void)state;
	run(&s, &timer, 2);
	assert_int_equal(s.period, kernel.period); /* the third one of its interval */
	for (unsigned i = 0; i < 16; i++) {
		uint64_t before = s.period, waited = s.waited;

		assert_true(sampler_interrupt(&s, SOON));
		assert_int_equal(kernel.period, SOON);
		sampler_again(&s);
		assert_int_equal(s.waited, waited);
		assert_int_equal(kernel.period, s.period);
		assert_in_range(s.period, 125000, 375000);
		changes += s.period != before;
		sampler_fired(&s);
		assert_int_equal(s.waited, waited + s.period);
	}
	assert_int_equal(changes, 16);
}

/* A sample that is taken for another one, as it came late, draws as well. */
static void test_an_interrupt_that_was_not_awaited(void **state)
{
	const struct event timer = {.time = true};
	struct sampler s;

	(void)state;
	run(&s, &timer, 2);
	assert_true(sampler_interrupt(&s, SOON));
	sampler_fired(&s);
	assert_int_equal(kernel.period, s.period);
	assert_in_range(s.period, 125000, 375000);
}

static void test_events_that_do_not_interrupt(void **state)
{
	const struct event timer = {.time = true}, counter = {0},
			   late = {.time = true, .asynchronous = true};
	struct sampler s;

	(void)state;
	run(&s, &counter, 2);
	assert_false(sampler_interrupt(&s, SOON));
	run(&s, &late, 2);
	assert_false(sampler_interrupt(&s, SOON));
	run(&s, &timer, 0); /* its first sample would be the last */
	assert_false(sampler_interrupt(&s, SOON));
	sampler_fired(&s);
	assert_true(sampler_interrupt(&s, SOON));
	sampler_again(&s);
	kernel.refused = false;
	assert_true(sampler_use_timer(&s, 1, 64));
	assert_false(sampler_interrupt(&s, SOON));
	assert_int_not_equal(kernel.period, SOON);
	assert_int_not_equal(kernel.timer_ns, SOON);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distances),
		cmocka_unit_test(test_first_interval),
		cmocka_unit_test(test_short_lives_are_sampled_evenly),
		cmocka_unit_test(test_means_may_differ),
		cmocka_unit_test(test_clocks_that_come_late),
		cmocka_unit_test(test_first_samples_of_events_that_run_on),
		cmocka_unit_test(test_samples_beside_the_kernel),
		cmocka_unit_test(test_sample_ends_an_interval),
		cmocka_unit_test(test_timer_in_place_of_an_event),
		cmocka_unit_test(test_long_distances_are_drawn_anew),
		cmocka_unit_test(test_first_sample_of_a_timer_within_the_call),
		cmocka_unit_test(test_sample_of_a_counter_within_the_call),
		cmocka_unit_test(test_an_interrupt_between_samples),
		cmocka_unit_test(test_an_interrupt_that_was_not_awaited),
		cmocka_unit_test(test_events_that_do_not_interrupt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
