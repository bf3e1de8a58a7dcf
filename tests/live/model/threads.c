/* SPDX-License-Identifier: MIT */
/* Steps about threads: those that have turns, and some that live for one step. */
#include <errno.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "model.h"

static __thread uint64_t sum = 5;
static __thread char large[3000];
static int ends; /* how often a destructor ran */
static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

static void at_end(void *value)
{
	__atomic_add_fetch(&ends, (int)(intptr_t)value, __ATOMIC_RELAXED);
}

static void make_key(void)
{
	pthread_key_create(&key, at_end);
}

static void compute(uint64_t seed)
{
	pthread_once(&key_once, make_key);
	pthread_setspecific(key, (void *)1);
	sum = model_work(sum + seed, 20000);
	large[seed % sizeof(large)] = (char)sum;
	sum += (uint64_t)large[(seed + 1) % sizeof(large)];
}

static void *run_many(void *seed)
{
	compute((uintptr_t)seed);
	return (void *)(uintptr_t)(sum & 0xffff);
}

static int run_c11(void *seed)
{
	compute((uintptr_t)seed);
	thrd_exit((int)(sum & 0xfff));
}

/* All signals are blocked in what is created with it. */
static void all_blocked(sigset_t *before)
{
	sigset_t all;

	dispositions_fill(&all);
	pthread_sigmask(SIG_SETMASK, &all, before);
}

static void many(struct dice *d)
{
	unsigned count = 1 + dice_below(d, 6);
	uint64_t results = 0;
	pthread_t made[6];
	sigset_t before;
	void *value;

	all_blocked(&before);
	for (unsigned i = 0; i < count; i++)
		journey_say("pthread_create = %d",
			    pthread_create(&made[i], NULL, run_many, (void *)(uintptr_t)(i + 1)));
	for (unsigned i = 0; i < count; i++) {
		journey_say("pthread_join = %d", pthread_join(made[i], &value));
		results = results * 31 + (uintptr_t)value;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	journey_say("threads came to %lx, destructors %d", results,
		    __atomic_exchange_n(&ends, 0, __ATOMIC_RELAXED));
}

static void c11(struct dice *d)
{
	sigset_t before;
	thrd_t made;
	int result = 0, rc;

	all_blocked(&before);
	rc = thrd_create(&made, run_c11, (void *)(uintptr_t)dice_below(d, 100));
	journey_say("thrd_create = %d", rc);
	journey_say("thrd_join = %d", thrd_join(made, &result));
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	journey_say("returned %d, destructors %d", result,
		    __atomic_exchange_n(&ends, 0, __ATOMIC_RELAXED));
}

static volatile int cleaned;

static void clean_up(void *how)
{
	cleaned = (int)(intptr_t)how;
}

static void *run_asynchronous(void *unused)
{
	int before;

	(void)unused;
	pthread_cleanup_push(clean_up, (void *)1);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
	for (;;)
		sum = model_work(sum, 1000);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *run_deferred(void *unused)
{
	(void)unused;
	pthread_cleanup_push(clean_up, (void *)2);
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancel(struct dice *d)
{
	struct timespec soon = {.tv_nsec = 100000 + (long)dice_below(d, 900000)};
	bool deferred = dice_one_in(d, 2);
	sigset_t before;
	pthread_t made;
	void *value;
	int rc;

	all_blocked(&before);
	cleaned = 0;
	rc = pthread_create(&made, NULL, deferred ? run_deferred : run_asynchronous, NULL);
	journey_say("pthread_create = %d", rc);
	nanosleep(&soon, NULL);
	/* before it has pushed what cleans up, nothing would */
	if (!deferred && dice_one_in(d, 2))
		model_work(3, 50000);
	journey_say("pthread_cancel = %d", pthread_cancel(made));
	journey_say("pthread_join = %d", pthread_join(made, &value));
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	journey_say("%s", value == PTHREAD_CANCELED ? "canceled" : "returned");
}

static void start(struct dice *d)
{
	lanes_start(d);
}

static void end(struct dice *d)
{
	lanes_end(d);
}

static void other(struct dice *d)
{
	lanes_hand_over(d, steps_any);
}

const struct step threads_steps[] = {
	{"start", 5, start}, {"end", 2, end},	    {"other", 20, other}, {"many", 2, many},
	{"c11", 1, c11},     {"cancel", 2, cancel}, {NULL, 0, NULL},
};
