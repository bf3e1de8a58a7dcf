/* SPDX-License-Identifier: MIT */
/* The table of all steps, and the choice among them. */
#include <stddef.h>

#include "model.h"

static const struct step *const tables[] = {
	signals_steps,	   timers_steps,  threads_steps, memory_steps, processes_steps,
	descriptors_steps, filters_steps, faults_steps,	 sleeps_steps,
};
#define TABLES (sizeof(tables) / sizeof(tables[0]))

static uint32_t all_weights(void)
{
	uint32_t all = 0;

	for (size_t t = 0; t < TABLES; t++)
		for (const struct step *s = tables[t]; s->name; s++)
			all += s->weight;
	return all;
}

static const struct step *choose(struct dice *d)
{
	uint32_t at = dice_below(d, all_weights());

	for (size_t t = 0; t < TABLES; t++)
		for (const struct step *s = tables[t]; s->name; s++) {
			if (at < s->weight)
				return s;
			at -= s->weight;
		}
	return NULL;
}

void steps_any(struct dice *d)
{
	const struct step *s = choose(d);

	journey_step(model_step, s->name);
	if (!model_is_without(s->name))
		s->run(d);
	model_work(model_step, 200 + dice_below(d, 4000));
}
