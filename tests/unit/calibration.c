/* SPDX-License-Identifier: MIT */
/* What samples cost is measured to the end, even where a machine brings each before the last is
 * left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "collector/engine/sampler.h"
#include "collector/kernel/clock.h"
#include "collector/kernel/event.h"
#include "collector/machine/calibration.h"

/* Ten times as many as the work, which is done some twenty times, is sampled by. */
#define SAMPLES_MANY 4000u
#define SPIN_NS	     1000000u

static unsigned samples;

void __real_sampler_fired(struct sampler *s);
void __wrap_sampler_fired(struct sampler *s);

static bool in_handler(void)
{
	sigset_t blocked;

	sigprocmask(SIG_BLOCK, NULL, &blocked);
	return sigismember(&blocked, SIGTRAP) == 1;
}

/* In its handler the event fires again before it is left. */
void __wrap_sampler_fired(struct sampler *s)
{
	uint64_t begin = clock_handler_ns(CLOCK_THREAD_CPUTIME_ID);

	__real_sampler_fired(s);
	if (!in_handler())
		return;
	if (++samples >= SAMPLES_MANY) {
		fputs("FAIL: there is no end of samples\n", stderr);
		_exit(1);
	}
	while (clock_handler_ns(CLOCK_THREAD_CPUTIME_ID) - begin < SPIN_NS)
		;
}

static void ends(void **state)
{
	struct softlbr_error e = {0};
	struct event event;
	int rc = event_parse("task-clock", &event, &e) ?: event_try(&event);
	struct calibration c = {0};

	(void)state;
	if (rc) {
		printf("SKIP: no task-clock here\n");
		skip();
	}
	assert_int_equal(calibration_sample(&c, &event, &e), 0);
	assert_true(c.sample_us > 0);
	assert_true(c.branch_us > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(ends)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
