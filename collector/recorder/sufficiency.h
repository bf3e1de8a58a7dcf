/* SPDX-License-Identifier: MIT */
/* A recording that ends when it is long enough: when chance costs no more than was asked for. */
#ifndef COLLECTOR_RECORDER_SUFFICIENCY_H
#define COLLECTOR_RECORDER_SUFFICIENCY_H

#include <stdbool.h>

#include "collector/recorder/control.h"
#include "collector/recorder/novelty.h"

struct sufficiency_options {
	double noise; /* that is left, 0 to 1; 0: it does not end by itself */
	/* How it stands, at each look while it is on: @noise is NaN as long as nothing is known.
	 * May be NULL. */
	void (*tell)(void *context, double noise, double seconds, bool reached);
	void *context;
};

/* Look at it, and end it through @control if there is enough; whether it was just now. */
bool sufficiency_look(const struct sufficiency_options *o, const struct novelty *n,
		      struct control *control);

#endif
