/* SPDX-License-Identifier: MIT */
/* Counters for gcc -fprofile-use, of a conversion and a directory of keys. */
#ifndef CONVERTER_PIPELINE_COUNTER_OUTPUT_H
#define CONVERTER_PIPELINE_COUNTER_OUTPUT_H

#include "converter/gcc/counters/arc_counters.h"
#include "converter/gcc/files/key_directory.h"
#include "converter/pipeline/conversion.h"

/* Start zeroed. */
struct counter_output {
	struct key_directory keys;
	struct arc_counters counters;
};

void counter_output_deinit(struct counter_output *o);
/* Of what conversion_make made for CONVERSION_COUNTERS and the keys in @directory. SOFTLBR_E_BINARY
 * if the keys are of another program, or of other sources. */
int counter_output_make(struct counter_output *o, struct conversion *c, const char *directory,
			struct softlbr_error *e);

#endif
