/* SPDX-License-Identifier: MIT */
#include "collector/engine/locate.h"

/* Taken branches that an interrupted thread is followed: some of them lead to waypoints' places. */
#define LOCATE_BRANCHES (4 * WAYPOINT_BRANCHES)
/* Instructions without one before that is given up. */
#define STRAIGHT_MOST 4096u

/* Evaluate up to a taken branch; false where that can't be. */
static bool run_to_branch(struct core *c, const struct isa_memory *m,
			  const struct decode_cache_block **b, bool *taken)
{
	enum isa_outcome outcome = ISA_NEXT;
	enum core_reason why;

	for (unsigned straight = 0; outcome == ISA_NEXT && straight < STRAIGHT_MOST;
	     straight += (*b)->count) {
		*b = core_block_behind(c, *b, *taken, isa_state_pc(c->now), m, &why);
		if (!*b)
			return false;
		isa_evaluate_line((*b)->records, &(*b)->records[(*b)->count], c->now, m, &outcome);
		*taken = outcome == ISA_TAKEN;
	}
	return outcome == ISA_TAKEN;
}

static bool follow_to_waypoint(struct core *c, const struct isa_memory *m, struct rate_work *work)
{
	const struct decode_cache_block *b = NULL;
	/* the path's end is what stopped last */
	const struct waypoint_memory memory = {isa_state_shadow(c->stop), isa_state_shadow(c->now),
					       m};
	uint64_t registers[ISA_GENERAL_REGISTERS], branches;
	bool taken = false;

	for (unsigned i = 1; i <= LOCATE_BRANCHES; i++) {
		if (!run_to_branch(c, m, &b, &taken) ||
		    !isa_state_general_registers(c->now, registers))
			return false;
		if (!waypoints_find(c->waypoints, isa_state_pc(c->now), registers, &memory, work))
			continue;
		if (work->branches <= i)
			return false;
		/* all of it, not the branches alone, is less by what is still to come */
		branches = work->branches - i;
		*work = rate_scale(work, (double)branches / (double)work->branches);
		work->branches = branches;
		return true;
	}
	return false;
}

bool locate_thread(struct core *c, const struct isa_memory *m, struct rate_work *work)
{
	bool found;

	core_take_stop(c);
	found = follow_to_waypoint(c, m, work);
	core_take_stop(c); /* the path's end again */
	return found;
}
