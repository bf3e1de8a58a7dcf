/* SPDX-License-Identifier: MIT */
#include "collector/engine/stopwatch.h"

#include "base/atomics.h"
#include "formats/perfdata_write.h"

/* Segments shorter than the depth's eighth are not worth their breakpoints. */
#define SHARE 8u
/* So many branches take no time beside two stops. */
#define STOPS_BRANCHES 32u
/* A clock that runs so much longer than the thread did counts another's time as well. */
#define AWAY_PS 4000000u
/* By how much may be wrong what a block of cold code takes longer (rate.h). What a line takes
 * longer that another processor copied. And the most of what is measured that both are taken for:
 * hundredths. */
#define COLD_BLOCK_NOISE_PS 30000.0
#define COLD_LINE_PS	    10000u
#define COLD_MOST_PERCENT   60u
/* Stops vary by this at least, and as far as is known from so few of them. */
#define NOISE_PS     300000u
#define NOISE_FEW_PS 1000000u
/* An interrupt's cost is learnt from one that comes so much farther than the one before, and one in
 * so many tells. */
#define INTERRUPT_FARTHER 1.5
#define INTERRUPT_LEARN	  16u
#define FEW		  4u
/* What a segment between breakpoints can take, by its fit. */
#define LEAST 0.25
#define MOST  20.0
/* Taken branches that an interrupted thread is followed: some of them lead to waypoints' places. */
#define LOCATE_BRANCHES (4 * WAYPOINT_BRANCHES)
/* Instructions without one before that is given up. */
#define STRAIGHT_MOST 4096u
/* A time fits into its integer, whatever a program came to: 53 days. */
#define PATH_MOST_PS 0x1p62

/* Does the path come there for the first time? Blocks may share code, which first-touch points
 * don't see. */
static bool is_good(const struct core *c, const struct first_touch *l)
{
	if (!core_may_stand(c, l->begin))
		return false;
	return l->kind != FIRST_TOUCH_CODE ||
	       !core_visits(c, l->address, (unsigned)l->work.branches);
}

static uint64_t branches_between(const struct first_touch *a, const struct first_touch *b)
{
	return b->work.branches - a->work.branches;
}

/* Where the segment begins that is timed. */
static const struct first_touch *timed_from(const struct stopwatch *w)
{
	return &w->at[w->at[STOPWATCH_FROM].kind ? STOPWATCH_FROM : STOPWATCH_BEGIN];
}

bool stopwatch_start(struct stopwatch *w, const struct core *c)
{
	const struct first_touches *l = c->first_touches;

	*w = (struct stopwatch){.at = {l->first, l->second, l->last}};
	if (!l->first.kind || !l->second.kind)
		return false;
	if (branches_between(&l->first, &l->second) > STOPS_BRANCHES || !is_good(c, &l->second))
		w->at[STOPWATCH_FROM].kind = FIRST_TOUCH_NONE;
	if (branches_between(timed_from(w), &l->last) < c->options.depth / SHARE)
		return false;
	return is_good(c, &l->first) && is_good(c, &l->last);
}

/* ---- stop costs ---------------------------------------------------------------------------- */

static void add_cost(uint32_t *count, uint64_t costs[STOPWATCH_STOP_COSTS], uint64_t ps)
{
	uint32_t number = atomic_add_relaxed(count, 1);

	atomic_write_release(&costs[number % STOPWATCH_STOP_COSTS], ps);
}

/* The median of the last ones, and how far apart they are: the quartiles' distance. */
static uint64_t median_cost(const uint32_t *counter, const uint64_t costs[STOPWATCH_STOP_COSTS],
			    uint64_t *noise)
{
	uint64_t sorted[STOPWATCH_STOP_COSTS];
	uint32_t count = atomic_read_relaxed(counter), n = 0;

	for (uint32_t i = 0; i < STOPWATCH_STOP_COSTS && i < count; i++) {
		uint64_t ps = atomic_read_relaxed(&costs[i]);
		uint32_t at = n++;

		for (; at && sorted[at - 1] > ps; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = ps;
	}
	if (!n)
		return 0;
	*noise = sorted[n * 3 / 4] - sorted[n / 4];
	if (*noise < NOISE_PS)
		*noise = NOISE_PS;
	if (n < FEW && *noise < NOISE_FEW_PS)
		*noise = NOISE_FEW_PS;
	return sorted[n / 2];
}

static bool is_away(uint64_t wall_ps, uint64_t cpu_ns)
{
	return wall_ps > cpu_ns * 1000 + AWAY_PS;
}

bool stopwatch_stop(struct stopwatch *w, uint64_t wall_ps, uint64_t cpu_ns,
		    struct stopwatch_costs *e)
{
	bool ended, away = is_away(wall_ps, cpu_ns);

	if (w->awaited == STOPWATCH_FROM && !away)
		add_cost(&e->count, e->ps, wall_ps);
	if (w->awaited == STOPWATCH_TO && !away)
		w->ps = wall_ps;
	ended = w->awaited == STOPWATCH_TO;
	w->awaited = w->awaited == STOPWATCH_BEGIN && w->at[STOPWATCH_FROM].kind ? STOPWATCH_FROM
										 : STOPWATCH_TO;
	return !ended;
}

/* Both times are what an interrupt costs and a rate, which is the same, times the branches. */
static void learn_interrupt(struct stopwatch *w, uint64_t branches, uint64_t ps,
			    struct stopwatch_costs *e)
{
	double first = (double)w->ran.branches, second = (double)branches - first;
	double cost = ((double)w->ps * second - (double)ps * first) / (second - first);

	if (second > first * INTERRUPT_FARTHER && cost > 0 && cost < (double)w->ps)
		add_cost(&e->interrupts, e->interrupt_ps, (uint64_t)cost);
}

bool stopwatch_interrupt(struct stopwatch *w, const struct rate_work *ran, uint64_t wall_ps,
			 uint64_t cpu_ns, struct stopwatch_costs *e)
{
	uint32_t known = atomic_read_relaxed(&e->interrupts);

	if (is_away(wall_ps, cpu_ns))
		return false;
	if (w->ps) {
		learn_interrupt(w, ran->branches, wall_ps, e);
		return false;
	}
	w->ran = *ran;
	w->ps = wall_ps;
	return known < STOPWATCH_STOP_COSTS || ran->branches % INTERRUPT_LEARN == 0;
}

/* ---- what it says of the path -------------------------------------------------------------- */

static uint64_t whole_ps(double ps)
{
	return (uint64_t)(ps < PATH_MOST_PS ? ps : PATH_MOST_PS);
}

static double limit(double value, double least, double most)
{
	return value < least ? least : value > most ? most : value;
}

static struct rate_work work_of_segment(const struct stopwatch *w)
{
	const struct rate_work *from = &timed_from(w)->work, *to = &w->at[STOPWATCH_TO].work;

	if (w->interrupted)
		return w->ran;
	return (struct rate_work){
		.branches = to->branches - from->branches,
		.instructions = to->instructions - from->instructions,
		.lines = to->lines - from->lines,
		.wait_ticks = to->wait_ticks - from->wait_ticks,
		.copied = to->copied - from->copied,
		.range_bytes = to->range_bytes - from->range_bytes,
		.wait_cycles = to->wait_cycles - from->wait_cycles,
		.blocks = to->blocks - from->blocks,
	};
}

/* What belongs to no program of the time that was measured; 0: not known. */
static uint64_t cost_of(const struct stopwatch *w, const struct stopwatch_costs *e, uint64_t *noise)
{
	if (w->interrupted)
		return median_cost(&e->interrupts, e->interrupt_ps, noise);
	return median_cost(&e->count, e->ps, noise);
}

/* A time that was measured. */
struct timed {
	double ps; /* without stops, with lines that look-ahead left in the nearest cache, for
		    * which the program would have waited; 0: not timed, or no more than stops */
	double cold_most; /* of that, cold code */
	double variance;  /* how far it may be off, squared */
};

static struct timed time_of(const struct stopwatch *w, const struct rate_work *segment,
			    const struct rate_machine *m, const struct stopwatch_costs *e)
{
	uint64_t noise = 0, stops = cost_of(w, e, &noise), copied = 0;
	uint64_t took = w->ps > stops ? w->ps - stops : 0, most = took * COLD_MOST_PERCENT / 100;
	double cold = (double)segment->blocks * COLD_BLOCK_NOISE_PS;
	uint64_t warmed = rate_wait_ps(segment, m);

	if (!w->ps || !stops || !took)
		return (struct timed){0};
	if (w->elsewhere)
		copied = segment->copied * COLD_LINE_PS;
	if (copied > most)
		copied = most;
	if (w->warmed)
		warmed += segment->lines * m->line_ps;
	return (struct timed){.ps = (double)(took - copied + warmed),
			      .cold_most = (double)(most - copied),
			      .variance = (double)noise * (double)noise + cold * cold};
}

uint64_t stopwatch_measured_ps(const struct stopwatch *w, const struct rate_work *path,
			       const struct rate_machine *m, const struct stopwatch_costs *e)
{
	const struct rate_work segment = work_of_segment(w);
	const struct timed timed = time_of(w, &segment, m, e);
	double cold = limit((double)segment.blocks * RATE_FIT_BLOCK_PS, 0, timed.cold_most);

	if (!timed.ps)
		return 0;
	return whole_ps((timed.ps - cold) * (double)rate_model_ps(path, m) /
			(double)rate_model_ps(&segment, m));
}

/* How many times as long as by the fit the program takes for what it ran in the segment. */
static double slower_than_fit(const struct stopwatch *w, const struct rate_work *segment,
			      const struct rate_machine *m, const struct rate_factors *factors,
			      const struct timed *timed)
{
	double fit = rate_fit_ps(factors, segment, m), sure;
	double ps = timed->ps - limit(rate_fit_cold_ps(factors, segment), 0, timed->cold_most);

	if (w->interrupted)
		return limit(ps, (double)segment->instructions * RATE_INSTRUCTION_LEAST_PS,
			     STOPWATCH_STOP_MOST_PS) /
		       fit;
	/* each counts by how far it may be off: the fit by itself, the watch by its variance */
	sure = fit * fit / (fit * fit + timed->variance);
	return limit(1 + sure * (ps / fit - 1), LEAST, MOST);
}

/* *is_timed: it was, and not by the fit alone. */
static uint64_t path_ps(const struct stopwatch *w, const struct rate_work *path,
			const struct rate_machine *m, struct stopwatch_costs *e, bool *is_timed)
{
	const struct rate_work segment = work_of_segment(w);
	const struct timed timed = time_of(w, &segment, m, e);
	const struct rate_factors factors = rate_fit_solve(&e->fit);
	double whole = rate_fit_ps(&factors, path, m);

	*is_timed = timed.ps > 0;
	if (!*is_timed)
		return whole_ps(whole);
	rate_fit_learn(&e->fit, &factors, &segment, m, timed.ps, timed.variance);
	return whole_ps(whole * slower_than_fit(w, &segment, m, &factors, &timed));
}

uint64_t stopwatch_path_ps(const struct stopwatch *w, const struct rate_work *path,
			   const struct rate_machine *m, struct stopwatch_costs *e)
{
	bool timed;

	return path_ps(w, path, m, e, &timed);
}

uint64_t stopwatch_weight(const struct stopwatch *w, const struct rate_work *path,
			  enum timer_correction correction, const struct rate_machine *m,
			  struct stopwatch_costs *e, uint64_t interval_ns)
{
	bool timed = false;
	uint64_t ps = correction == CORRECTION_PROBE ? path_ps(w, path, m, e, &timed)
						     : rate_model_ps(path, m);

	return perfdata_weight_mark(rate_weight(path->branches, ps, interval_ns), timed);
}

/* ---- where an interrupted thread is -------------------------------------------------------- */

/* Evaluate up to a taken branch; false where that can't be. */
static bool run_to_branch(struct core *c, const struct isa_memory *m, const struct isa_block **b,
			  bool *taken)
{
	enum isa_outcome outcome = ISA_NEXT;
	const struct isa_record *r;
	enum core_reason why;

	for (unsigned straight = 0; outcome == ISA_NEXT && straight < STRAIGHT_MOST;
	     straight += (*b)->count) {
		*b = core_block_behind(c, *b, *taken, isa_state_pc(c->now), m, &why);
		if (!*b)
			return false;
		r = (*b)->records;
		outcome = isa_evaluate_line(&r, c->now, m);
		*taken = outcome == ISA_TAKEN;
	}
	return outcome == ISA_TAKEN;
}

static bool follow_to_waypoint(struct core *c, const struct isa_memory *m, struct rate_work *work)
{
	const struct isa_block *b = NULL;
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

bool stopwatch_locate(struct core *c, const struct isa_memory *m, struct rate_work *work)
{
	bool found;

	core_take_stop(c);
	found = follow_to_waypoint(c, m, work);
	core_take_stop(c); /* the path's end again */
	return found;
}
