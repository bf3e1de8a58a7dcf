/* SPDX-License-Identifier: MIT */
/*
 * A recording that ends when it is long enough: when chance costs no more than was asked for. If
 * nothing was, samples get rarer then (BUDGET_ENOUGH): what is to come later is not missed.
 */
#ifndef COLLECTOR_RECORDER_SUFFICIENCY_H
#define COLLECTOR_RECORDER_SUFFICIENCY_H

#include <stdbool.h>

#include "collector/recorder/control.h"
#include "collector/recorder/novelty.h"

/* What chance costs where there is enough; and where there is not any more, since the program shows
 * something new. */
#define SUFFICIENCY_NOISE      0.02
#define SUFFICIENCY_NOISE_MOST 0.03

struct sufficiency_options {
	double noise; /* that is left, 0 to 1; 0: it does not end by itself */
	bool thins;   /* samples get rarer where there is enough */
	/* How it stands, at each look while it is on: @noise is NaN as long as nothing is known.
	 * May be NULL. */
	void (*tell)(void *context, double noise, double seconds, bool reached);
	void *context;
};

/* Look at it, and end it through @control if there is enough; whether it was just now. */
bool sufficiency_look(const struct sufficiency_options *o, const struct novelty *n,
		      struct control *control);
/* Is there so much that samples may be rarer? @before: the same, when it was looked at last. */
bool sufficiency_is_enough(const struct sufficiency_options *o, const struct novelty *n,
			   bool before);

#endif
