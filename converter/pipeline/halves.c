/* SPDX-License-Identifier: MIT */
/*
 * How much of a recording is sampling noise: its traces are cut into two halves at random, and
 * these are compared as two recordings would be.
 */
#include "converter/pipeline/verdict.h"

#include <math.h>

#include "base/error.h"
#include "base/order.h"
#include "base/vector.h"

/* The share of all taken branches that the hot ones make; the rest is too rare to be told from
 * sampling noise. */
#define HOT 0.9

void halves_deinit(struct halves *h)
{
	branch_profile_deinit(&h->of[0]);
	branch_profile_deinit(&h->of[1]);
}

static int add_branches(struct branch_profile *to, const struct branch_profile *from,
			struct softlbr_error *e)
{
	for (struct map_entry *b = NULL; (b = map_next(&from->branches, b));)
		if (branch_profile_add_branch(to, b->a, b->b, b->n, 0))
			return error_set_nomem(e);
	return 0;
}

int halves_add(struct halves *h, struct binary *b, const struct aggregate_options *how,
	       const char *path, uint64_t weight, struct softlbr_error *e)
{
	for (unsigned part = 0; part < 2; part++) {
		struct aggregate_options options = *how;
		struct aggregate a;
		int rc;

		options.parts = 2;
		options.part = part;
		options.keep = false; /* as it is where the program was sought */
		options.progress = (struct aggregate_progress){0};
		rc = aggregate_init(&a, b, &options, e);
		if (rc)
			return rc;
		rc = aggregate_add(&a, path, weight, e)
		       ?: aggregate_estimate(&a, e)
		       ?: add_branches(&h->of[part], &a.result.profile, e);
		aggregate_deinit(&a);
		if (rc)
			return rc;
	}
	return 0;
}

static double sum_of(const struct branch_profile *p)
{
	double sum = 0;

	for (struct map_entry *b = NULL; (b = map_next(&p->branches, b));)
		sum += (double)b->n;
	return sum;
}

/* A branch's share of what each half took. */
struct share {
	double of[2];
};

struct shares {
	VECTOR(struct share) items;
};

ORDER_BY(by_falling_sum, struct share, order_reals(b->of[0] + b->of[1], a->of[0] + a->of[1]));

/* Sum up the branches of half @from; with @others only those that the other half lacks. */
static int add_shares(const struct halves *h, unsigned from, const double sums[2], bool others,
		      struct shares *to)
{
	for (struct map_entry *b = NULL; (b = map_next(&h->of[from].branches, b));) {
		const struct map_entry *other = map_find(&h->of[!from].branches, b->a, b->b);
		struct share *s;

		if (other && others)
			continue;
		s = vector_push(&to->items);
		if (!s)
			return -1;
		s->of[from] = (double)b->n / sums[from];
		s->of[!from] = other ? (double)other->n / sums[!from] : 0;
	}
	return 0;
}

static double overlap_of_hot(const struct shares *s)
{
	double both = 0, same = 0;

	for (size_t i = 0; i < s->items.count && both < 2 * HOT; i++) {
		const double *of = s->items.items[i].of;

		both += of[0] + of[1];
		same += fmin(of[0], of[1]);
	}
	return 2 * same / both;
}

int halves_overlap(const struct halves *h, double *overlap)
{
	double sums[2] = {sum_of(&h->of[0]), sum_of(&h->of[1])};
	struct shares shares = {0};
	int rc = 0;

	*overlap = NAN;
	if (sums[0] <= 0 || sums[1] <= 0)
		return 0;
	if (add_shares(h, 0, sums, false, &shares) || add_shares(h, 1, sums, true, &shares))
		rc = -1;
	if (!rc) {
		vector_sort(&shares.items, by_falling_sum);
		*overlap = overlap_of_hot(&shares);
	}
	vector_deinit(&shares.items);
	return rc;
}

double halves_times_longer(double overlap, double wanted)
{
	double times = (1 - overlap) / (1 - wanted);

	return times > 1 ? times * times : 1;
}
