/* SPDX-License-Identifier: MIT */
/* When a thread that is switched often has its events: in turns of a look's length (struct
 * traced_turns). Each look draws anew, so that no moment of the program is preferred, and samples
 * of a turn stand for the time without events as well. */
#include "collector/outside/tracer.h"

#include "collector/engine/budget.h"
#include "collector/engine/sampler.h"

/* What part of the budget switches may take. */
#define SWITCH_PARTS 4u
/* One look in so many is at how often a thread is switched. */
#define SHARE_LOOKS 8u
/* Where switches are dear, it has events for at least such a part of the time. */
#define TURNS_FEWEST 8u
/* To open them costs as much as some switches. */
#define COST_LEAST_NS (50 * TURNS_SWITCH_NS)

/* How often it was switched since the last call, *ns: while it ran for so long. */
static uint64_t switched(struct tracer *t, struct traced *thread, uint64_t *ns)
{
	struct traced_turns *turns = &thread->turns;
	uint64_t before_ns = turns->ran_ns, before = turns->ran;

	if (!tracee_status_ran(thread->tid, &turns->ran_ns, &turns->ran))
		return 0;
	*ns = turns->ran_ns - before_ns;
	t->result->switches += (turns->ran - before) * turns->share / TURNS_WHOLE;
	return turns->ran - before;
}

void tracer_turns_count(struct tracer *t)
{
	struct traced **at;
	uint64_t ns;

	vector_each (&t->threads, at)
		switched(t, *at, &ns);
}

/* How much of the time the thread may have events. */
static void choose_share(struct tracer *t, struct traced *thread)
{
	uint32_t budget = t->options->session.budget;
	uint64_t ns, cost, allowed;

	if (!budget || thread->turns.looks++ % SHARE_LOOKS)
		return;
	cost = switched(t, thread, &ns) * TURNS_SWITCH_NS;
	if (cost < COST_LEAST_NS)
		return;
	allowed = ns * budget / BUDGET_WHOLE / SWITCH_PARTS;
	thread->turns.share = allowed >= cost ? TURNS_WHOLE
			      : allowed * TURNS_FEWEST < cost
				      ? TURNS_WHOLE / TURNS_FEWEST
				      : (uint32_t)(allowed * TURNS_WHOLE / cost);
}

/* Do its samples stand for another part of the time than that in which it has events by now? */
static bool has_changed(const struct traced_turns *turns)
{
	uint32_t more = turns->opened / 4;

	return turns->share > turns->opened + more || turns->share + more < turns->opened;
}

enum tracer_turn tracer_turns_take(struct tracer *t, struct traced *thread)
{
	struct traced_turns *turns = &thread->turns;
	bool busy = thread->tracing || thread->taken || thread->postponed, on;

	choose_share(t, thread);
	if (!turns->rests && (!thread->events.signal ||
			      (turns->share == TURNS_WHOLE && turns->opened == TURNS_WHOLE)))
		return TRACER_TURN_NONE;
	/* even from 0 to TURNS_WHOLE */
	on = sampler_interval(&t->random, TURNS_WHOLE) - TURNS_WHOLE / 2 < turns->share;
	turns->ends = !on;
	if (on && (turns->rests || (has_changed(turns) && !busy)))
		return TRACER_TURN_BEGINS;
	if (!on && !turns->rests && !busy) {
		tracee_events_close(&thread->events);
		turns->rests = true;
	}
	return TRACER_TURN_GOES_ON;
}
