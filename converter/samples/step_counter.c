/* SPDX-License-Identifier: MIT */
/*
 * Counting steps of control flow, and what hardware tells of them, in other threads than the one
 * that reads them. Counts are sums, so the result does not depend on how many threads there are.
 * Threads get the steps of a space when its table is large: one that stays in the caches is counted
 * faster than handed over. Steps of which something is told take several tables each: threads get
 * those of a space with any number worth the way.
 */
#include "converter/samples/branch_stacks.h"

#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"

#define BLOCK_STEPS 2048
#define WORKERS_MAX 64

/* Steps of one space on their way to a worker. */
struct block {
	struct block *next;
	struct address_space *space;
	size_t count;
	bool is_told;
	struct step items[BLOCK_STEPS];
	struct step_told told[BLOCK_STEPS];
};

/* The counts of one worker in one space. */
struct tally {
	struct address_space *space;
	struct steps steps;
	struct branch_details details;
};

struct worker {
	struct step_counter *counter;
	pthread_t thread;
	VECTOR(struct tally) tallies;
	struct map of_space; /* (space, 0) -> n = number of its tally, from 1 */
};

struct step_counter {
	unsigned wanted, started;
	struct worker *workers;
	struct block *filling; /* the caller's alone */

	pthread_mutex_t lock; /* of all below */
	pthread_cond_t arrived, counted;
	struct block *queue, **queue_end, *idle;
	unsigned busy; /* blocks that are being counted */
	bool ending, failed;
};

static struct tally *tally_of(struct worker *w, struct address_space *space)
{
	return map_item(&w->of_space, (uintptr_t)space, 0, &w->tallies,
			(struct tally){.space = space});
}

static void deinit_tally(struct tally *t)
{
	steps_deinit(&t->steps);
	branch_details_deinit(&t->details);
}

static int count_steps(struct steps *steps, struct branch_details *details,
		       const struct step *items, const struct step_told *told, size_t count)
{
	return steps_add(steps, items, count) ||
			       (told && step_details_add(details, items, told, count))
		       ? -1
		       : 0;
}

static int count_block(struct worker *w, const struct block *b)
{
	struct tally *t = tally_of(w, b->space);

	return t ? count_steps(&t->steps, &t->details, b->items, b->is_told ? b->told : NULL,
			       b->count)
		 : -1;
}

/* The next block, or NULL at the end. */
static struct block *step_counter_take(struct step_counter *c)
{
	struct block *b;

	while (!c->queue && !c->ending)
		pthread_cond_wait(&c->arrived, &c->lock);
	b = c->queue;
	if (!b)
		return NULL;
	c->queue = b->next;
	if (!c->queue)
		c->queue_end = &c->queue;
	c->busy++;
	return b;
}

static void *step_counter_work(void *context)
{
	struct worker *w = context;
	struct step_counter *c = w->counter;
	struct block *b;

	pthread_mutex_lock(&c->lock);
	while ((b = step_counter_take(c))) {
		bool failed;

		pthread_mutex_unlock(&c->lock);
		failed = count_block(w, b);
		pthread_mutex_lock(&c->lock);
		c->failed |= failed;
		c->busy--;
		b->next = c->idle;
		c->idle = b;
		pthread_cond_signal(&c->counted);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

struct step_counter *step_counter_new(unsigned threads)
{
	struct step_counter *c = memory_alloc(sizeof(*c));

	if (!c)
		return NULL;
	c->wanted = threads > WORKERS_MAX ? WORKERS_MAX : threads > 1 ? threads - 1 : 0;
	c->queue_end = &c->queue;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->arrived, NULL);
	pthread_cond_init(&c->counted, NULL);
	return c;
}

/* Two blocks for each worker, so that it need not wait, and one to fill. */
static int make_blocks(struct step_counter *c)
{
	for (unsigned i = 0; i < 2 * c->wanted + 1; i++) {
		struct block *b = memory_alloc(sizeof(*b));

		if (!b)
			return -1;
		b->next = c->idle;
		c->idle = b;
	}
	return 0;
}

/* As many threads as there can be; without any, the caller goes on alone. */
static int step_counter_start(struct step_counter *c)
{
	c->workers = memory_alloc_array(c->wanted, sizeof(*c->workers));
	if (!c->workers || make_blocks(c))
		return -1;
	for (; c->started < c->wanted; c->started++) {
		struct worker *w = &c->workers[c->started];

		w->counter = c;
		if (pthread_create(&w->thread, NULL, step_counter_work, w))
			break;
	}
	c->wanted = c->started;
	return 0;
}

static void hand_over(struct step_counter *c)
{
	struct block *b = c->filling;

	c->filling = NULL;
	pthread_mutex_lock(&c->lock);
	b->next = NULL;
	*c->queue_end = b;
	c->queue_end = &b->next;
	pthread_cond_signal(&c->arrived);
	pthread_mutex_unlock(&c->lock);
}

static struct block *idle_block(struct step_counter *c)
{
	struct block *b;

	pthread_mutex_lock(&c->lock);
	while (!c->idle)
		pthread_cond_wait(&c->counted, &c->lock);
	b = c->idle;
	c->idle = b->next;
	pthread_mutex_unlock(&c->lock);
	b->count = 0;
	return b;
}

static bool has_room(const struct block *b, const struct address_space *space, bool is_told,
		     size_t count)
{
	return b->space == space && b->is_told == is_told && BLOCK_STEPS - b->count >= count;
}

static int count_alone(struct address_space *space, const struct step *items,
		       const struct step_told *told, size_t n)
{
	struct branch_details *details = told ? address_space_details(space) : NULL;

	return told && !details ? -1 : count_steps(&space->steps, details, items, told, n);
}

int step_counter_add(struct step_counter *c, struct address_space *space, const struct step *items,
		     const struct step_told *told, size_t n)
{
	const bool wanted = c->wanted && space->steps.count >= (told ? STEP_COUNTER_ALONE_TOLD
								     : STEP_COUNTER_ALONE);

	if (wanted && !c->started && step_counter_start(c))
		return -1;
	if (!wanted || !c->started || n > BLOCK_STEPS)
		return count_alone(space, items, told, n);
	if (c->filling && !has_room(c->filling, space, told, n))
		hand_over(c);
	if (!c->filling) {
		c->filling = idle_block(c);
		c->filling->space = space;
		c->filling->is_told = told;
	}
	memcpy(c->filling->items + c->filling->count, items, n * sizeof(*items));
	if (told)
		memcpy(c->filling->told + c->filling->count, told, n * sizeof(*told));
	c->filling->count += n;
	return 0;
}

/* The smaller table of steps goes into the larger one. */
static int step_counter_merge(struct tally *t)
{
	struct steps *into = &t->space->steps;
	struct branch_details *details;
	int rc;

	if (into->count < t->steps.count) {
		struct steps swap = *into;

		*into = t->steps;
		t->steps = swap;
	}
	rc = steps_merge(into, &t->steps);
	if (!rc && (t->details.outcomes.count || t->details.latencies.count)) {
		details = address_space_details(t->space);
		rc = details ? step_details_merge(details, &t->details) : -1;
	}
	deinit_tally(t);
	return rc;
}

int step_counter_finish(struct step_counter *c)
{
	struct tally *t;
	int rc = 0;

	if (c->filling)
		hand_over(c);
	pthread_mutex_lock(&c->lock);
	while (c->queue || c->busy)
		pthread_cond_wait(&c->counted, &c->lock);
	if (c->failed)
		rc = -1;
	for (unsigned i = 0; i < c->started; i++) {
		vector_each (&c->workers[i].tallies, t)
			rc |= step_counter_merge(t);
		vector_deinit(&c->workers[i].tallies);
		map_deinit(&c->workers[i].of_space);
	}
	pthread_mutex_unlock(&c->lock);
	return rc;
}

static void free_blocks(struct block *b)
{
	while (b) {
		struct block *next = b->next;

		memory_free(b);
		b = next;
	}
}

void step_counter_free(struct step_counter *c)
{
	struct tally *t;

	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	c->ending = true;
	pthread_cond_broadcast(&c->arrived);
	pthread_mutex_unlock(&c->lock);
	for (unsigned i = 0; i < c->started; i++) {
		pthread_join(c->workers[i].thread, NULL);
		vector_each (&c->workers[i].tallies, t)
			deinit_tally(t);
		vector_deinit(&c->workers[i].tallies);
		map_deinit(&c->workers[i].of_space);
	}
	memory_free(c->workers);
	memory_free(c->filling);
	free_blocks(c->queue);
	free_blocks(c->idle);
	pthread_cond_destroy(&c->counted);
	pthread_cond_destroy(&c->arrived);
	pthread_mutex_destroy(&c->lock);
	memory_free(c);
}
