/* SPDX-License-Identifier: MIT */
#include "collector/recorder/sufficiency.h"

bool sufficiency_look(const struct sufficiency_options *o, const struct novelty *n,
		      struct control *control)
{
	double noise = novelty_noise(n);
	bool reached = noise <= o->noise; /* not if it is NaN */

	if (o->noise <= 0 || control_state(control) != SESSION_RUN)
		return false;
	if (reached)
		control_end(control);
	if (o->tell)
		o->tell(o->context, noise, (double)(n->last_ns - n->first_ns) / 1e9, reached);
	return reached;
}

bool sufficiency_is_enough(const struct sufficiency_options *o, const struct novelty *n,
			   bool before)
{
	/* false if the noise is NaN */
	return o->thins &&
	       novelty_noise(n) <= (before ? SUFFICIENCY_NOISE_MOST : SUFFICIENCY_NOISE);
}
