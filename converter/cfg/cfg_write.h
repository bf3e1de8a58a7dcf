/* SPDX-License-Identifier: MIT */
/*
 * From a function's network with its flows back to branches and ranges. Flow along fall-throughs is
 * cut into ranges first in, first out.
 */
#ifndef CONVERTER_CFG_CFG_WRITE_H
#define CONVERTER_CFG_CFG_WRITE_H

#include "converter/cfg/cfg.h"

/* Add to @out. Where an instruction can go to several places that the network does not tell apart
 * (calls, returns), what was @seen is shared out in proportion; @branches are those of @seen. 0, or
 * -1 without memory. */
int cfg_write(const struct cfg *cfg, const struct branch_profile *seen,
	      const struct cfg_branches *branches, struct branch_profile *out);
/* The branches alone. */
int cfg_write_branches(const struct cfg *cfg, const struct branch_profile *seen,
		       const struct cfg_branches *branches, struct branch_profile *out);

#endif
