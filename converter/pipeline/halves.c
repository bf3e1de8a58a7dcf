/* SPDX-License-Identifier: MIT */
#include "converter/pipeline/halves.h"

#include <math.h>

#include "base/error.h"

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
		rc = aggregate_add(&a, path, weight, e);
		if (!rc)
			rc = add_branches(&h->of[part], &a.result.profile, e);
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

double halves_overlap(const struct halves *h)
{
	double sums[2] = {sum_of(&h->of[0]), sum_of(&h->of[1])}, same = 0;

	if (sums[0] <= 0 || sums[1] <= 0)
		return NAN;
	for (struct map_entry *b = NULL; (b = map_next(&h->of[0].branches, b));) {
		const struct map_entry *other = map_find(&h->of[1].branches, b->a, b->b);

		if (other)
			same += fmin((double)b->n / sums[0], (double)other->n / sums[1]);
	}
	return same;
}

double halves_times_longer(double overlap, double wanted)
{
	double times = (1 - overlap) / (1 - wanted);

	return times > 1 ? times * times : 1;
}
