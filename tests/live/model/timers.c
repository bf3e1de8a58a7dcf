/* SPDX-License-Identifier: MIT */
/* Steps about timers: armed, waited for and gone within the step. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "model.h"

#define LONG_ENOUGH_S 10

static bool spin_until(sig_atomic_t count)
{
	struct timespec begin, now;
	uint64_t sum = 1;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		sum = model_work(sum, 2000);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (dispositions_count < count && now.tv_sec < begin.tv_sec + LONG_ENOUGH_S);
	return dispositions_count >= count;
}

/* Of CPU time too: works until it comes, blocked or not. @before: dispositions_count before the
 * timer was set. */
static void await(int number, sig_atomic_t before)
{
	static const struct timespec no_time;
	struct timespec begin, now;
	sigset_t mask, one;
	siginfo_t info;
	uint64_t sum = 2;
	int got;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	if (!sigismember(&mask, number)) {
		journey_say("%s", spin_until(before + 1) ? "fired" : "never fired");
		return;
	}
	sigemptyset(&one);
	sigaddset(&one, number);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		sum = model_work(sum, 2000);
		got = sigtimedwait(&one, &info, &no_time);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (got < 0 && errno == EAGAIN && now.tv_sec < begin.tv_sec + LONG_ENOUGH_S);
	journey_result(got, "waited for, code %d", info.si_code);
}

/* Pending already: what the timer sends would be lost. */
static bool is_fit(int number)
{
	sigset_t pending;

	sigpending(&pending);
	if (dispositions_is_caught(number) && !sigismember(&pending, number))
		return true;
	journey_say("%s is not fit", dispositions_name(number));
	return false;
}

static void interval_timer(struct dice *d)
{
	static const int kinds[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF},
			 numbers[] = {SIGALRM, SIGVTALRM, SIGPROF};
	unsigned i = dice_below(d, 3);
	struct itimerval once = {.it_value.tv_usec = 200 + (int)dice_below(d, 900)}, old;
	sig_atomic_t before = dispositions_count;
	int rc;

	if (!is_fit(numbers[i]))
		return;
	rc = setitimer(kinds[i], &once, &old);
	/* said when it has come: it may be quicker than we are */
	await(numbers[i], before);
	journey_result(rc, "setitimer %u, was %ld", i, (long)old.it_value.tv_sec);
}

static void posix_timer(struct dice *d)
{
	int number = dispositions_any(d), rc;
	clockid_t clock = dice_one_in(d, 2) ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
	struct itimerspec once = {.it_value.tv_nsec = 200000 + (long)dice_below(d, 900000)};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = number};
	sig_atomic_t before = dispositions_count;
	timer_t timer;

	if (!is_fit(number))
		return;
	event.sigev_value.sival_int = (int)dice_below(d, 1000);
	if (dice_one_in(d, 2)) {
		event.sigev_notify = SIGEV_THREAD_ID;
		event._sigev_un._tid = gettid();
	}
	rc = timer_create(clock, &event, &timer);
	journey_result(rc, "timer_create");
	if (rc)
		return;
	rc = timer_settime(timer, 0, &once, NULL);
	await(number, before);
	journey_result(rc, "timer_settime");
	journey_result(timer_delete(timer), "timer_delete");
}

static void storm(struct dice *d)
{
	struct itimerval often = {.it_value.tv_usec = 150,
				  .it_interval.tv_usec = 100 + (int)dice_below(d, 300)},
			 none = {.it_value.tv_sec = 0};
	sig_atomic_t before = dispositions_count;
	sigset_t mask;
	bool done;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	if (!is_fit(SIGALRM) || sigismember(&mask, SIGALRM) || dispositions_is_reset(SIGALRM))
		return;
	journey_quiet = 1;
	dispositions_storm = before + 12;
	setitimer(ITIMER_REAL, &often, NULL);
	done = spin_until(before + 12);
	setitimer(ITIMER_REAL, &none, NULL);
	dispositions_storm = 0;
	journey_quiet = 0;
	journey_say(done ? "stormed" : "no storm");
}

const struct step timers_steps[] = {
	{"itimer", 3, interval_timer},
	{"timer", 3, posix_timer},
	{"storm", 1, storm},
	{NULL, 0, NULL},
};
