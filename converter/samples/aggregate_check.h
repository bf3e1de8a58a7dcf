/* SPDX-License-Identifier: MIT */
/* Is what was recorded of the binary at hand? */
#ifndef CONVERTER_SAMPLES_AGGREGATE_CHECK_H
#define CONVERTER_SAMPLES_AGGREGATE_CHECK_H

#include "converter/samples/aggregate.h"

/* Was the recording that was added since @before of the binary, as far as it holds anything?
 * SOFTLBR_E_BINARY if not. @name is the recording, for messages. */
int aggregate_check_added(const struct aggregate *a, const struct funnel *before, const char *name,
			  struct softlbr_error *e);
/* Is there something of the binary in it? An error if not: SOFTLBR_E_BINARY if it is of another,
 * SOFTLBR_E_EMPTY. @name is the input, for messages. */
int aggregate_check(const struct aggregate *a, const char *name, struct softlbr_error *e);

#endif
