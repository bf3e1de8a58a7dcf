/* SPDX-License-Identifier: MIT */
/*
 * Threads that wait for their turns, with all signals blocked, as the one that gave the turn away.
 * So a signal finds one thread that takes it, or none.
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "model.h"

__thread struct lane *lane;
static struct lane lanes[LANES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct lane *holder; /* whose turn it is */
static struct lane *giver;  /* who waits for it to end */
static __thread uint64_t own = 17;

static char *stack_memory(void)
{
	void *memory = mmap(NULL, ALT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void lanes_init(void)
{
	lane = &lanes[0];
	holder = lane;
	lane->used = true;
	lane->thread = pthread_self();
	lane->tid = gettid();
	lane->frame = __builtin_frame_address(0);
	lane->alternate = stack_memory();
}

void lanes_after_fork(void)
{
	memory_after_fork();
	for (unsigned i = 0; i < LANES; i++)
		lanes[i].used = &lanes[i] == lane;
	pthread_mutex_init(&lock, NULL);
	pthread_cond_init(&changed, NULL);
	holder = lane;
	lane->thread = pthread_self();
	lane->tid = gettid();
}

static void unlock(void *unused)
{
	(void)unused;
	pthread_mutex_unlock(&lock);
}

static void wait_for_turn(struct lane *mine)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(unlock, NULL);
	while (holder != mine)
		pthread_cond_wait(&changed, &lock);
	pthread_cleanup_pop(1);
}

static void give_turn(struct lane *to)
{
	pthread_mutex_lock(&lock);
	holder = to;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

/* Gives the turn to @to until it comes back. */
static void hand_over(struct lane *to)
{
	struct lane *mine = lane, *before = giver;
	sigset_t all;

	dispositions_fill(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mine->mask);
	giver = mine;
	give_turn(to);
	wait_for_turn(mine);
	giver = before;
	pthread_sigmask(SIG_SETMASK, &mine->mask, NULL);
}

static void *run_lane(void *slot)
{
	struct lane *mine = slot;
	stack_t alternate;
	sigset_t mask, all;

	lane = mine;
	mine->tid = gettid();
	mine->frame = __builtin_frame_address(0);
	wait_for_turn(mine);
	sigaltstack(NULL, &alternate);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	journey_say("new thread: alternate stack %d %zu, mask %lx, own %lu",
		    state_flags(&alternate), alternate.ss_size, dispositions_bits(&mask), own);
	while (mine->turn) {
		own = model_work(own, 300);
		pthread_sigmask(SIG_SETMASK, &mine->mask, NULL);
		mine->turn(&mine->dice);
		dispositions_fill(&all);
		pthread_sigmask(SIG_SETMASK, &all, &mine->mask);
		give_turn(giver);
		wait_for_turn(mine);
	}
	journey_say("thread ends: own %lx", own);
	give_turn(giver);
	return (void *)(uintptr_t)(own & 0xff);
}

static void nothing(struct dice *d)
{
	journey_say("first turn %u", dice_below(d, 1000));
}

void lanes_start(struct dice *d)
{
	struct lane *new_lane = &lanes[1 + dice_below(d, LANES - 1)];
	pthread_attr_t attributes;
	sigset_t all, before;
	int rc;

	if (new_lane->used || lane->number) {
		journey_say("lane in use");
		return;
	}
	if (!new_lane->alternate)
		new_lane->alternate = stack_memory();
	pthread_attr_init(&attributes);
	if (dice_one_in(d, 2))
		pthread_attr_setstacksize(&attributes, 65536u << dice_below(d, 5));
	new_lane->number = (unsigned)(new_lane - lanes);
	new_lane->turn = nothing;
	new_lane->armed = 0;
	new_lane->dice = *d;
	dispositions_fill(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	new_lane->mask = before;
	rc = pthread_create(&new_lane->thread, &attributes, run_lane, new_lane);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	new_lane->used = !rc;
	journey_say("pthread_create %u = %d", new_lane->number, rc);
	if (!rc)
		hand_over(new_lane);
}

static struct lane *any_other(struct dice *d)
{
	unsigned first = dice_below(d, LANES);

	for (unsigned i = 0; i < LANES; i++) {
		struct lane *l = &lanes[(first + i) % LANES];

		if (l->used && l != lane && l->number)
			return l;
	}
	return NULL;
}

static void end(struct lane *l, bool cancel)
{
	void *value = NULL;

	if (cancel) {
		journey_say("pthread_cancel %u = %d", l->number, pthread_cancel(l->thread));
	} else {
		l->turn = NULL;
		hand_over(l);
	}
	journey_say("pthread_join %u = %d", l->number, pthread_join(l->thread, &value));
	journey_say("returned %ld", (long)value);
	l->used = false;
}

void lanes_end(struct dice *d)
{
	struct lane *l = lane->number ? NULL : any_other(d);

	if (l)
		end(l, dice_one_in(d, 3));
	else
		journey_say("no lane to end");
}

void lanes_wait_for_none(void)
{
	for (unsigned i = 1; i < LANES; i++)
		if (lanes[i].used && !lane->number)
			end(&lanes[i], false);
}

void lanes_hand_over(struct dice *d, void (*turn)(struct dice *))
{
	struct lane *l = lane->number ? NULL : any_other(d);

	if (!l) {
		turn(d);
		return;
	}
	l->turn = turn;
	l->dice = *d;
	hand_over(l);
}
