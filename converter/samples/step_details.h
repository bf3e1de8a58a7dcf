/* SPDX-License-Identifier: MIT */
/* What hardware says of steps beside that they were made: counted as outcomes and latencies. */
#ifndef CONVERTER_SAMPLES_STEP_DETAILS_H
#define CONVERTER_SAMPLES_STEP_DETAILS_H

#include <stddef.h>
#include <stdint.h>

#include "converter/samples/steps.h"
#include "formats/model/branch_details.h"

/* Of a step. */
struct step_told {
	uint16_t cycles;    /* from its branch to the next one; 0 = not known */
	uint8_t prediction; /* enum branch_prediction: of its branch */
};

/* Count what is told of @count steps: 0, or -1 without memory. */
int step_details_add(struct branch_details *d, const struct step *steps,
		     const struct step_told *told, size_t count);
/* Add what step_details_add counted in @from: 0, or -1 without memory. */
int step_details_merge(struct branch_details *d, const struct branch_details *from);

#endif
