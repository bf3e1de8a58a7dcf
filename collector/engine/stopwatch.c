/* SPDX-License-Identifier: MIT */
#include "collector/engine/stopwatch.h"

#include <string.h>

#include "base/atomics.h"
#include "formats/perfdata_write.h"

/* Segments shorter than the depth's eighth are not worth their breakpoints. */
#define SHARE 8u
/* So many branches take no time beside two stops. */
#define STOPS_BRANCHES 32u
/* A clock that runs so much longer than the thread did counts another's time as well. */
#define AWAY_PS 4000000u
/* What a block of code takes longer that the path comes to for the first time: the stops and the
 * collector put it out of the nearest cache, and what predicts its branches. By how much that may
 * be wrong. What a line takes longer that another processor copied. And the most of what is
 * measured that all of them are taken for: hundredths. */
#define COLD_BLOCK_PS	    10000u
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
/* What a segment between breakpoints can take, by its model: hundredths. And what an instruction
 * takes at least. */
#define LEAST_PERCENT	   25u
#define MOST_PERCENT	   2000u
#define INSTRUCTION_MIN_PS 40u
/* Parts of the calibration that are steps, at first and in the end. */
#define STEP_FIRST 4u
#define STEP_LAST  64u
/* Paths without which the trend is not known; what it is drawn to the model by, as if by so much of
 * the spread of logarithms; and the steepest. */
#define TREND_LEAST 3u
#define TREND_MODEL 2.0
#define TREND_MOST  1.2
/* A time fits into its integer, whatever a program or its trend came to: 53 days. */
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

static uint32_t calibration(const struct stopwatch_costs *e)
{
	uint32_t known = atomic_read_relaxed(&e->calibration);

	return known ? known : STOPWATCH_CALIBRATION;
}

/* A step towards the median of what is measured; they become smaller, to where chance is. */
static void learn_calibration(struct stopwatch_costs *e, bool slower)
{
	uint32_t now = calibration(e), step = atomic_add_relaxed(&e->calibrated, 1) + 2;

	if (step < STEP_FIRST)
		step = STEP_FIRST;
	if (step > STEP_LAST)
		step = STEP_LAST;
	now = slower ? now + now / step : now - now / (step + 1);
	atomic_write_release(&e->calibration,
			     now < STOPWATCH_CALIBRATION_LEAST	? STOPWATCH_CALIBRATION_LEAST
			     : now > STOPWATCH_CALIBRATION_MOST ? STOPWATCH_CALIBRATION_MOST
								: now);
}

/* The exponent and the mantissa, which is next to the logarithm; and the other way round. (There is
 * no libm in a handler.) */
static double logarithm(double of)
{
	union {
		double number;
		uint64_t bits;
	} u = {of};

	return (double)u.bits / 0x1p52 - 1023;
}

static double power(double logarithm)
{
	union {
		uint64_t bits;
		double number;
	} u = {(uint64_t)((logarithm + 1023) * 0x1p52)};

	return u.number;
}

static void learn_trend(struct stopwatch_trend *t, double model, double in_the_end)
{
	int64_t x = (int64_t)(logarithm(model) * STOPWATCH_TREND_SCALE);
	int64_t y = (int64_t)(logarithm(in_the_end) * STOPWATCH_TREND_SCALE);

	atomic_add_relaxed(&t->x, x);
	atomic_add_relaxed(&t->y, y);
	atomic_add_relaxed(&t->xx, x * x);
	atomic_add_relaxed(&t->xy, x * y);
	atomic_add_relaxed(&t->count, 1);
}

/* The regression of y on x at @model; the model at the @usual calibration as long as too few are
 * known. */
static double follow_trend(const struct stopwatch_trend *t, double model, double usual)
{
	double n = atomic_read_relaxed(&t->count), x, y, xx, xy, slope;

	if (n < TREND_LEAST)
		return usual * model;
	x = (double)atomic_read_relaxed(&t->x) / STOPWATCH_TREND_SCALE / n;
	y = (double)atomic_read_relaxed(&t->y) / STOPWATCH_TREND_SCALE / n;
	xx = (double)atomic_read_relaxed(&t->xx) / STOPWATCH_TREND_SCALE / STOPWATCH_TREND_SCALE -
	     n * x * x;
	xy = (double)atomic_read_relaxed(&t->xy) / STOPWATCH_TREND_SCALE / STOPWATCH_TREND_SCALE -
	     n * x * y;
	slope = (TREND_MODEL + xy) / (TREND_MODEL + (xx > 0 ? xx : 0));
	if (slope < 0)
		slope = 0;
	if (slope > TREND_MOST)
		slope = TREND_MOST;
	return power(y + slope * (logarithm(model) - x));
}

static uint64_t whole_ps(double ps)
{
	return (uint64_t)(ps < PATH_MOST_PS ? ps : PATH_MOST_PS);
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

/* How much the watch counts against the model: each by how far it may be off, the model by itself,
 * the watch by the @noise of its stops and by cold code. */
static double sureness(const struct rate_work *segment, double model, uint64_t noise)
{
	double stops = (double)noise, cold = (double)segment->blocks * COLD_BLOCK_NOISE_PS;

	return model * model / (model * model + stops * stops + cold * cold);
}

/* What the segment took without the stops and what they put out of the caches, and lines that
 * look-ahead left in the nearest one, for which the program would have waited. 0: it was not timed,
 * or took no longer than the stops. */
static double measured_ps(const struct stopwatch *w, const struct rate_work *segment,
			  const struct rate_machine *m, uint64_t stops)
{
	uint64_t warmed = rate_wait_ps(segment, m), cold = segment->blocks * COLD_BLOCK_PS;
	uint64_t took = w->ps > stops ? w->ps - stops : 0;

	if (w->elsewhere)
		cold += segment->copied * COLD_LINE_PS;
	if (!w->ps || !stops)
		return 0;
	if (cold > took * COLD_MOST_PERCENT / 100)
		cold = took * COLD_MOST_PERCENT / 100;
	if (w->warmed)
		warmed += segment->lines * m->line_ps;
	return (double)(took - cold) + (double)warmed;
}

uint64_t stopwatch_measured_ps(const struct stopwatch *w, const struct rate_work *path,
			       const struct rate_machine *m, const struct stopwatch_costs *e)
{
	const struct rate_work segment = work_of_segment(w);
	uint64_t noise = 0, stops = cost_of(w, e, &noise);
	double measured = measured_ps(w, &segment, m, stops);

	if (measured <= 0)
		return 0;
	return whole_ps(measured * (double)rate_model_ps(path, m) /
			(double)rate_model_ps(&segment, m));
}

static double limit(double value, double least, double most)
{
	return value < least ? least : value > most ? most : value;
}

uint64_t stopwatch_path_ps(const struct stopwatch *w, const struct rate_work *path,
			   const struct rate_machine *m, struct stopwatch_costs *e)
{
	const struct rate_work segment = work_of_segment(w);
	uint64_t noise = 0, stops = cost_of(w, e, &noise);
	double usual = (double)calibration(e) / STOPWATCH_CALIBRATION,
	       whole = (double)rate_model_ps(path, m);
	double branches = path->branches ? (double)path->branches : 1;
	double plain = (double)rate_model_ps(&segment, m), model = usual * plain, sure, took;
	double measured = measured_ps(w, &segment, m, stops);

	if (measured <= 0)
		return whole_ps(follow_trend(&e->trend, whole / branches, usual) * branches);
	sure = sureness(&segment, model, noise);
	if (sure > 0.5)
		learn_calibration(e, measured > model);
	if (w->interrupted)
		measured = limit(measured, (double)segment.instructions * INSTRUCTION_MIN_PS,
				 STOPWATCH_STOP_MOST_PS);
	else
		measured = limit(measured * sure + model * (1 - sure),
				 (model < plain ? model : plain) * LEAST_PERCENT / 100,
				 model * MOST_PERCENT / 100);
	took = whole * measured / plain;
	learn_trend(&e->trend, whole / branches, took / branches);
	return whole_ps(took);
}

uint64_t stopwatch_weight(const struct stopwatch *w, const struct rate_work *path,
			  enum timer_correction correction, const struct rate_machine *m,
			  struct stopwatch_costs *e, uint64_t interval_ns)
{
	bool timed = correction == CORRECTION_PROBE && stopwatch_measured_ps(w, path, m, e);
	uint64_t ps = correction == CORRECTION_PROBE ? stopwatch_path_ps(w, path, m, e)
						     : rate_model_ps(path, m);

	return perfdata_weight_mark(rate_weight(path->branches, ps, interval_ns), timed);
}
