/* SPDX-License-Identifier: MIT */
#include "converter/samples/step_details.h"

static int add_one(struct branch_details *d, const struct step *s, const struct step_told *told)
{
	const struct branch_latency latency = {s->to, s->next, told->cycles,
					       (enum branch_prediction)told->prediction};

	if (told->prediction != BRANCH_UNTOLD &&
	    branch_details_add_outcome(d, s->from, s->to,
				       told->prediction == BRANCH_PREDICTED ? s->n : 0,
				       told->prediction == BRANCH_MISPREDICTED ? s->n : 0))
		return -1;
	return told->cycles ? branch_details_add_latency(&d->latencies, &latency, s->n) : 0;
}

int step_details_add(struct branch_details *d, const struct step *steps,
		     const struct step_told *told, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (add_one(d, &steps[i], &told[i]))
			return -1;
	return 0;
}

static int merge(struct map *into, const struct map *from)
{
	const struct map_entry *i = NULL;

	while ((i = map_next(from, (struct map_entry *)i))) {
		struct map_entry *e = map_at(into, i->a, i->b);

		if (!e)
			return -1;
		e->n += i->n;
		e->m += i->m;
	}
	return 0;
}

int step_details_merge(struct branch_details *d, const struct branch_details *from)
{
	return merge(&d->outcomes, &from->outcomes) || merge(&d->latencies, &from->latencies) ? -1
											      : 0;
}
