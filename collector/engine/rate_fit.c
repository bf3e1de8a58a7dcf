/* SPDX-License-Identifier: MIT */
/* What the causes of time cost in this program: a ridge regression (rate.h). */
#include "collector/engine/rate.h"

#include "base/atomics.h"

/* A term's factor is drawn to 1 as if by a measurement that is off by so much of the term. */
#define DRAWN (2.0 / 3)
/* What is measured may be off by so much of it, beside its noise, and by so much of what it differs
 * from what was learnt: a time that is out of the ordinary counts less. */
#define OFF_RELATIVE 0.3
#define SURPRISE     3.0
/* Factors, and terms over what their time may be off, stay below. */
#define FACTOR_MOST 64.0
#define TERM_MOST   64.0
#define SUM_SCALE   1024.0
#define COUNT_MOST  (1u << 30) /* sums stay in 64 bits */
/* Rounds of the solver (coordinate descent). */
#define ROUNDS 16u

struct terms {
	double of[RATE_FIT_TERMS];
};

static unsigned pair(unsigned i, unsigned j)
{
	return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
}

static struct terms terms_of(const struct rate_work *w, const struct rate_machine *m)
{
	return (struct terms){{
		[RATE_FIT_INSTRUCTIONS] = (double)w->instructions * RATE_FIT_INSTRUCTION_PS,
		[RATE_FIT_BRANCHES] = (double)w->branches * RATE_FIT_BRANCH_PS,
		[RATE_FIT_LINES] = (double)(w->lines * m->line_ps),
		[RATE_FIT_WAITS] = (double)rate_wait_ps(w, m),
		[RATE_FIT_CYCLES] = (double)(w->wait_cycles * RATE_CYCLE_PS),
		[RATE_FIT_BLOCKS] = (double)w->blocks * RATE_FIT_BLOCK_PS,
	}};
}

bool rate_fit_is_possible(const struct rate_fit *f)
{
	int64_t count = atomic_read_relaxed(&f->count);
	int64_t most = count * (int64_t)(TERM_MOST * TERM_MOST * SUM_SCALE);

	if (count > COUNT_MOST)
		return false;
	for (unsigned i = 0; i < RATE_FIT_PAIRS; i++) {
		int64_t sum = atomic_read_relaxed(&f->pairs[i]);

		if (sum < 0 || sum > most)
			return false;
	}
	for (unsigned i = 0; i < RATE_FIT_TERMS; i++) {
		int64_t sum = atomic_read_relaxed(&f->times[i]);

		if (sum < 0 || sum > most)
			return false;
	}
	return true;
}

/* The factor of term @i that is best with the others as they are. */
static double best_factor(const struct rate_fit *f, const struct rate_factors *c, unsigned i)
{
	const double drawn = 1 / (DRAWN * DRAWN);
	double rest = (double)atomic_read_relaxed(&f->times[i]) / SUM_SCALE + drawn, best;

	for (unsigned j = 0; j < RATE_FIT_TERMS; j++)
		if (j != i)
			rest -= (double)atomic_read_relaxed(&f->pairs[pair(i, j)]) / SUM_SCALE *
				c->of[j];
	best = rest / ((double)atomic_read_relaxed(&f->pairs[pair(i, i)]) / SUM_SCALE + drawn);
	return best < 0 ? 0 : best > FACTOR_MOST ? FACTOR_MOST : best;
}

struct rate_factors rate_fit_solve(const struct rate_fit *f)
{
	struct rate_factors c;

	for (unsigned i = 0; i < RATE_FIT_TERMS; i++)
		c.of[i] = 1;
	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned i = 0; i < RATE_FIT_TERMS; i++)
			c.of[i] = best_factor(f, &c, i);
	return c;
}

double rate_fit_ps(const struct rate_factors *f, const struct rate_work *work,
		   const struct rate_machine *m)
{
	const struct terms t = terms_of(work, m);
	double ps = (double)(work->range_bytes * RATE_RANGE_BYTE_PS);
	double least = (double)((work->instructions ?: 1) * RATE_INSTRUCTION_LEAST_PS);

	for (unsigned i = 0; i < RATE_FIT_BLOCKS; i++)
		ps += f->of[i] * t.of[i];
	return ps > least ? ps : least;
}

double rate_fit_cold_ps(const struct rate_factors *f, const struct rate_work *work)
{
	return f->of[RATE_FIT_BLOCKS] * (double)work->blocks * RATE_FIT_BLOCK_PS;
}

/* What a measurement differs from what was learnt so far. */
static double surprise(const struct rate_factors *known, const struct terms *t, double ps)
{
	for (unsigned i = 0; i < RATE_FIT_TERMS; i++)
		ps -= known->of[i] * t->of[i];
	return ps;
}

static void add_products(struct rate_fit *f, const struct terms *t, double ps, double off2)
{
	for (unsigned i = 0; i < RATE_FIT_TERMS; i++) {
		double by = t->of[i] / off2 * SUM_SCALE;

		for (unsigned j = 0; j <= i; j++)
			atomic_add_relaxed(&f->pairs[pair(i, j)], (int64_t)(by * t->of[j]));
		atomic_add_relaxed(&f->times[i], (int64_t)(by * ps));
	}
	atomic_add_relaxed(&f->count, 1);
}

void rate_fit_learn(struct rate_fit *f, const struct rate_factors *known,
		    const struct rate_work *work, const struct rate_machine *m, double ps,
		    double variance)
{
	const struct terms t = terms_of(work, m);
	double own = OFF_RELATIVE * ps, off, off2 = own * own + variance;

	ps -= (double)(work->range_bytes * RATE_RANGE_BYTE_PS);
	if (ps <= 0 || atomic_read_relaxed(&f->count) >= COUNT_MOST)
		return;
	off = surprise(known, &t, ps) / SURPRISE;
	off2 += off * off;
	for (unsigned i = 0; i < RATE_FIT_TERMS; i++)
		if (t.of[i] * t.of[i] > off2 * TERM_MOST * TERM_MOST)
			return;
	add_products(f, &t, ps, off2);
}
