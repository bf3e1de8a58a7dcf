/* SPDX-License-Identifier: MIT */
#include "collector/engine/stopwatch.h"

#include <string.h>

#include "base/atomics.h"

/* Stretches shorter than the depth's eighth are not worth their breakpoints. */
#define SHARE 8u
/* So many branches take no time beside two stops. */
#define EMPTY_BRANCHES 32u
/* A clock that runs so much longer than the thread did counts another's time as well. */
#define AWAY_PS 4000000u
/* What a block of code takes longer that the path comes to for the first time: the stops and the
 * collector put it out of the nearest cache, and what predicts its branches. What a line takes
 * longer that another processor copied. And the most of what is measured that all of them are taken
 * for: hundredths. */
#define COLD_BLOCK_PS	  6000u
#define COLD_LINE_PS	  10000u
#define COLD_MOST_PERCENT 60u
/* Stops vary by this at least, and as far as is known from so few of them. */
#define NOISE_PS     300000u
#define NOISE_FEW_PS 1000000u
#define FEW	     4u
/* What a stretch can take, by its model: hundredths. */
#define LEAST_PERCENT 25u
#define MOST_PERCENT  2000u
/* The pace: one, its limits, and parts of it that are steps, at first and in the end. */
#define PACE		1024u
#define PACE_LEAST	(PACE / 8)
#define PACE_MOST	(PACE * 64)
#define PACE_STEP_FIRST 4u
#define PACE_STEP_LAST	64u
/* Paths without which the trend is not known; its scale; what it is drawn to the model by, as if by
 * so much of the spread of logarithms; and the steepest. */
#define TREND_LEAST 3u
#define TREND_SCALE 1024
#define TREND_MODEL 2.0
#define TREND_MOST  1.2
/* Two stops take microseconds. */
#define EMPTY_MOST_PS UINT64_C(1000000000)

/* Does the path come there for the first time? Blocks may share code, which landmarks don't see. */
static bool is_good(const struct core *c, const struct landmark *l)
{
	if (!core_may_stand(c, l->begin))
		return false;
	return l->kind != LANDMARK_CODE || !core_visits(c, l->address, (unsigned)l->work.branches);
}

static uint64_t branches_between(const struct landmark *a, const struct landmark *b)
{
	return b->work.branches - a->work.branches;
}

/* Where the stretch begins that is timed. */
static const struct landmark *timed_from(const struct stopwatch *w)
{
	return &w->at[w->at[STOPWATCH_FROM].kind ? STOPWATCH_FROM : STOPWATCH_BEGIN];
}

bool stopwatch_start(struct stopwatch *w, const struct core *c)
{
	const struct landmarks *l = c->landmarks;

	*w = (struct stopwatch){.at = {l->first, l->second, l->last}};
	if (!l->first.kind || !l->second.kind)
		return false;
	if (branches_between(&l->first, &l->second) > EMPTY_BRANCHES || !is_good(c, &l->second))
		w->at[STOPWATCH_FROM].kind = LANDMARK_NONE;
	if (branches_between(timed_from(w), &l->last) < c->options.depth / SHARE)
		return false;
	w->running = is_good(c, &l->first) && is_good(c, &l->last);
	return w->running;
}

/* ---- empty stretches ----------------------------------------------------------------------- */

static void note_empty(struct stopwatch_empties *e, uint64_t ps)
{
	uint32_t number = atomic_add_relaxed(&e->count, 1);

	atomic_write_release(&e->ps[number % STOPWATCH_EMPTY], ps);
}

static void copy_trend(struct stopwatch_trend *to, const struct stopwatch_trend *from)
{
	atomic_write_release(&to->x, atomic_read_relaxed(&from->x));
	atomic_write_release(&to->y, atomic_read_relaxed(&from->y));
	atomic_write_release(&to->xx, atomic_read_relaxed(&from->xx));
	atomic_write_release(&to->xy, atomic_read_relaxed(&from->xy));
	atomic_write_release(&to->count, atomic_read_relaxed(&from->count));
}

void stopwatch_copy(struct stopwatch_empties *to, const struct stopwatch_empties *from)
{
	uint32_t count = atomic_read_relaxed(&from->count);
	uint32_t pace = atomic_read_relaxed(&from->pace);
	uint64_t ps[STOPWATCH_EMPTY];

	if (!count || (pace && pace < PACE_LEAST) || pace > PACE_MOST)
		return;
	for (uint32_t i = 0; i < STOPWATCH_EMPTY; i++) {
		ps[i] = atomic_read_relaxed(&from->ps[i]);
		if (ps[i] > EMPTY_MOST_PS)
			return;
	}
	for (uint32_t i = 0; i < STOPWATCH_EMPTY; i++)
		atomic_write_release(&to->ps[i], ps[i]);
	atomic_write_release(&to->pace, pace);
	atomic_write_release(&to->paced, atomic_read_relaxed(&from->paced));
	copy_trend(&to->trend, &from->trend);
	atomic_write_release(&to->count, count);
}

/* The median of the last ones, and how far apart they are: the quartiles' distance. */
static uint64_t empty_ps(const struct stopwatch_empties *e, uint64_t *noise)
{
	uint64_t sorted[STOPWATCH_EMPTY];
	uint32_t count = atomic_read_relaxed(&e->count), n = 0;

	for (uint32_t i = 0; i < STOPWATCH_EMPTY && i < count; i++) {
		uint64_t ps = atomic_read_relaxed(&e->ps[i]);
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

bool stopwatch_stop(struct stopwatch *w, uint64_t wall_ps, uint64_t cpu_ns,
		    struct stopwatch_empties *e)
{
	bool away = wall_ps > cpu_ns * 1000 + AWAY_PS;

	if (w->awaited == STOPWATCH_FROM && !away)
		note_empty(e, wall_ps);
	if (w->awaited == STOPWATCH_TO && !away)
		w->ps = wall_ps;
	w->running = w->awaited != STOPWATCH_TO;
	w->awaited = w->awaited == STOPWATCH_BEGIN && w->at[STOPWATCH_FROM].kind ? STOPWATCH_FROM
										 : STOPWATCH_TO;
	return w->running;
}

/* ---- what it says of the path -------------------------------------------------------------- */

static uint32_t pace(const struct stopwatch_empties *e)
{
	uint32_t known = atomic_read_relaxed(&e->pace);

	return known ? known : PACE;
}

/* A step towards the median of what is measured; they become smaller, to where chance is. */
static void learn_pace(struct stopwatch_empties *e, bool slower)
{
	uint32_t now = pace(e), step = atomic_add_relaxed(&e->paced, 1) + 2;

	if (step < PACE_STEP_FIRST)
		step = PACE_STEP_FIRST;
	if (step > PACE_STEP_LAST)
		step = PACE_STEP_LAST;
	now = slower ? now + now / step : now - now / (step + 1);
	atomic_write_release(&e->pace, now < PACE_LEAST	 ? PACE_LEAST
				       : now > PACE_MOST ? PACE_MOST
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
	int64_t x = (int64_t)(logarithm(model) * TREND_SCALE);
	int64_t y = (int64_t)(logarithm(in_the_end) * TREND_SCALE);

	atomic_add_relaxed(&t->x, x);
	atomic_add_relaxed(&t->y, y);
	atomic_add_relaxed(&t->xx, x * x);
	atomic_add_relaxed(&t->xy, x * y);
	atomic_add_relaxed(&t->count, 1);
}

/* The regression of y on x at @model; the model at the @usual pace as long as too few are known. */
static double follow_trend(const struct stopwatch_trend *t, double model, double usual)
{
	double n = atomic_read_relaxed(&t->count), x, y, xx, xy, slope;

	if (n < TREND_LEAST)
		return usual * model;
	x = (double)atomic_read_relaxed(&t->x) / TREND_SCALE / n;
	y = (double)atomic_read_relaxed(&t->y) / TREND_SCALE / n;
	xx = (double)atomic_read_relaxed(&t->xx) / TREND_SCALE / TREND_SCALE - n * x * x;
	xy = (double)atomic_read_relaxed(&t->xy) / TREND_SCALE / TREND_SCALE - n * x * y;
	slope = (TREND_MODEL + xy) / (TREND_MODEL + (xx > 0 ? xx : 0));
	if (slope < 0)
		slope = 0;
	if (slope > TREND_MOST)
		slope = TREND_MOST;
	return power(y + slope * (logarithm(model) - x));
}

static struct rate_work work_of_stretch(const struct stopwatch *w)
{
	const struct rate_work *from = &timed_from(w)->work, *to = &w->at[STOPWATCH_TO].work;

	return (struct rate_work){
		.branches = to->branches - from->branches,
		.instructions = to->instructions - from->instructions,
		.lines = to->lines - from->lines,
		.wait_ticks = to->wait_ticks - from->wait_ticks,
		.copied = to->copied - from->copied,
		.range_bytes = to->range_bytes - from->range_bytes,
		.blocks = to->blocks - from->blocks,
	};
}

/* What the stretch took without the stops and what they put out of the caches, and lines that
 * look-ahead left in the nearest one, for which the program would have waited. 0: it was not timed,
 * or took no longer than the stops. */
static double measured_ps(const struct stopwatch *w, const struct rate_work *stretch,
			  const struct rate_machine *m, uint64_t empty)
{
	uint64_t warmed = rate_wait_ps(stretch, m), cold = stretch->blocks * COLD_BLOCK_PS;
	uint64_t took = w->ps > empty ? w->ps - empty : 0;

	if (w->elsewhere)
		cold += stretch->copied * COLD_LINE_PS;
	if (!w->ps || !empty)
		return 0;
	if (cold > took * COLD_MOST_PERCENT / 100)
		cold = took * COLD_MOST_PERCENT / 100;
	if (w->warmed)
		warmed += stretch->lines * m->line_ps;
	return (double)(took - cold) + (double)warmed;
}

uint64_t stopwatch_measured_ps(const struct stopwatch *w, const struct rate_work *path,
			       const struct rate_machine *m, const struct stopwatch_empties *e)
{
	const struct rate_work stretch = work_of_stretch(w);
	uint64_t noise, empty = empty_ps(e, &noise);
	double measured = measured_ps(w, &stretch, m, empty);

	if (measured <= 0)
		return 0;
	return (uint64_t)(measured * (double)rate_model_ps(path, m) /
			  (double)rate_model_ps(&stretch, m));
}

uint64_t stopwatch_path_ps(const struct stopwatch *w, const struct rate_work *path,
			   const struct rate_machine *m, struct stopwatch_empties *e)
{
	const struct rate_work stretch = work_of_stretch(w);
	uint64_t noise = 0, empty = empty_ps(e, &noise);
	double usual = (double)pace(e) / PACE, whole = (double)rate_model_ps(path, m);
	double branches = path->branches ? (double)path->branches : 1;
	double model = usual * (double)rate_model_ps(&stretch, m), sure, took;
	double measured = measured_ps(w, &stretch, m, empty);

	if (measured <= 0)
		return (uint64_t)(follow_trend(&e->trend, whole / branches, usual) * branches);
	/* each counts by how far it may be off: the model by itself, the watch by its noise */
	sure = model * model / (model * model + (double)noise * (double)noise);
	if (sure > 0.5)
		learn_pace(e, measured > model);
	measured = measured * sure + model * (1 - sure);
	if (measured < model * LEAST_PERCENT / 100)
		measured = model * LEAST_PERCENT / 100;
	if (measured > model * MOST_PERCENT / 100)
		measured = model * MOST_PERCENT / 100;
	took = usual * whole * measured / model;
	learn_trend(&e->trend, whole / branches, took / branches);
	return (uint64_t)took;
}

uint64_t stopwatch_weight(const struct stopwatch *w, const struct rate_work *path, enum rates rates,
			  const struct rate_machine *m, struct stopwatch_empties *e,
			  uint64_t distance_ns)
{
	uint64_t ps = rates == RATES_PROBE ? stopwatch_path_ps(w, path, m, e)
					   : rate_model_ps(path, m);

	return rate_weight(path->branches, ps, distance_ns);
}
