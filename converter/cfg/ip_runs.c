/* SPDX-License-Identifier: MIT */
#include "converter/cfg/ip_runs.h"

#include <math.h>

/* The table: logarithms from LEAST on. */
#define BINS_PER_E 16
#define LEAST	   (-4.0)
#define BLUR_LEAST 0.06
#define BLUR_STEP  1.75

/* Half of all instructions that begin a group take the least time that they can. */
#define AT_LEAST 0.5
/* One in four that are only sometimes a group's first are that in so much of the runs: */
#define IN_PART	   0.25
#define PART_LEAST (-1.5) /* its logarithm */
/* What no rule foresees: caches that miss, groups that begin elsewhere. */
#define STRANGE 0.01

/* Samples of retired instructions come about SKID cycles late: what ran just before a segment is
 * counted in it, and the less the longer a run takes. */
#define SKID	      30.0
#define SKID_SPREAD   0.7
#define DEGREES	      3.0  /* of freedom of the t distribution: outliers are common */
#define PERIOD_SPREAD 1.08 /* periods are random: variance of a sum, against Poisson's */

/* The share of instructions that never begin a group. */
static const double never[IP_HEADS] = {
	[IP_HEAD_TARGET] = 0.03,
	[IP_HEAD_EITHER] = 0.2,
	[IP_HEAD_FULL] = 0.03,
	[IP_HEAD_EARLY] = 0.69,
};

/* ---- the table --------------------------------------------------------------------------------*/

static double below(double x, double blur)
{
	return 0.5 * erfc(-x / (blur * M_SQRT2));
}

/* Of what takes e^@least cycles or more: just that, or longer, the longer the rarer (1 / cycles).
 */
static double waits(double x, double least, double blur)
{
	double d = x - least;
	double bell = exp(-0.5 * d * d / (blur * blur)) / (blur * sqrt(2 * M_PI));

	return AT_LEAST * bell + (1 - AT_LEAST) * exp(fmin(-d, 3)) * below(d, blur);
}

static double density(enum ip_head head, double x, double blur)
{
	double part = (below(x - PART_LEAST, blur) - below(x, blur)) / -PART_LEAST;

	if (head == IP_HEAD_EARLY) /* its turn, and a cycle at least that it waited */
		return waits(x, log(2), blur);
	if (head == IP_HEAD_EITHER)
		return (1 - IN_PART) * waits(x, 0, blur) + IN_PART * part;
	return waits(x, 0, blur);
}

void ip_runs_table_init(struct ip_runs_table *t, double cycles_period)
{
	t->cycles_period = cycles_period;
	for (int h = 0; h < IP_HEADS; h++)
		for (int b = 0; b < IP_RUNS_BLURS; b++)
			for (int i = 0; i < IP_RUNS_BINS; i++) {
				double x = LEAST + (i + 0.5) / BINS_PER_E;
				double blur = BLUR_LEAST * pow(BLUR_STEP, b);

				t->likelihood[h][b][i] = (float)log(
					STRANGE + density((enum ip_head)h, x, blur));
			}
}

/* ---- what is known ----------------------------------------------------------------------------*/

static uint8_t blur_of(double samples)
{
	double blur = sqrt(BLUR_LEAST * BLUR_LEAST + PERIOD_SPREAD / fmax(samples, 1));
	double step = log(blur / BLUR_LEAST) / log(BLUR_STEP) + 0.5;

	return (uint8_t)fmin(step, IP_RUNS_BLURS - 1);
}

int ip_runs_add(struct ip_runs *r, enum ip_head head, double cycles, double samples)
{
	struct ip_runs_head *h;

	r->instructions++;
	if (cycles <= 0) {
		r->unseen[head]++;
		return 0;
	}
	h = vector_push(&r->heads);
	if (!h)
		return -1;
	*h = (struct ip_runs_head){log(cycles), (uint8_t)head, blur_of(samples)};
	return 0;
}

static double by_cycles(const struct ip_runs_table *t, const struct ip_runs *r, double log_runs)
{
	double missed = exp(-exp(log_runs) / t->cycles_period), sum = 0;
	const struct ip_runs_head *h;

	vector_each (&r->heads, h) {
		double bin = (h->log_cycles - log_runs - LEAST) * BINS_PER_E;

		sum += bin >= 0 && bin < IP_RUNS_BINS ? t->likelihood[h->head][h->blur][(int)bin]
						      : log(STRANGE);
	}
	for (int i = 0; i < IP_HEADS; i++)
		if (r->unseen[i])
			sum += (double)r->unseen[i] * log(never[i] + (1 - never[i]) * missed);
	return sum;
}

double ip_runs_skid(double cycles)
{
	return SKID_SPREAD * SKID / (SKID + cycles);
}

static double by_instructions(const struct ip_runs *r, double log_runs)
{
	double cycles = r->cycles / exp(log_runs), skid, spread, d;

	if (r->counted <= 0)
		return 0;
	skid = ip_runs_skid(cycles);
	spread = sqrt(skid * skid + PERIOD_SPREAD / fmax(r->samples, 1));
	d = (log(r->counted / r->instructions) - log_runs) / spread;
	return -(DEGREES + 1) / 2 * log(1 + d * d / DEGREES) - log(spread);
}

/* ---- the estimate -----------------------------------------------------------------------------*/

void ip_runs_solve(const struct ip_runs_table *t, struct ip_runs *r)
{
	double least = INFINITY, most = -INFINITY, best = -INFINITY;
	double sum = 0, mean = 0, square = 0;
	const struct ip_runs_head *h;

	r->log = -INFINITY;
	r->deviation = 1;
	vector_each (&r->heads, h) {
		least = fmin(least, h->log_cycles);
		most = fmax(most, h->log_cycles);
	}
	if (r->counted > 0) {
		least = fmin(least, log(r->counted / r->instructions));
		most = fmax(most, log(r->counted / r->instructions));
	}
	if (least > most)
		return;
	/* Around @least, so that squares lose no digits. */
	for (double x = -2.5; least + x < most + 1.5; x += 1.0 / BINS_PER_E) {
		double l = by_cycles(t, r, least + x) + by_instructions(r, least + x), weight;

		if (l > best) {
			double shrink = exp(best - l);

			sum *= shrink;
			mean *= shrink;
			square *= shrink;
			best = l;
		}
		weight = exp(l - best);
		sum += weight;
		mean += weight * x;
		square += weight * x * x;
	}
	mean /= sum;
	r->log = least + mean;
	r->deviation = sqrt(fmax(square / sum - mean * mean, 0));
}
