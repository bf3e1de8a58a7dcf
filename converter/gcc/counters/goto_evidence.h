/* SPDX-License-Identifier: MIT */
/*
 * Computed gotos as evidence: how often each label was gone to is exact, but for labels whose code
 * was merged.
 */
#ifndef CONVERTER_GCC_COUNTERS_GOTO_EVIDENCE_H
#define CONVERTER_GCC_COUNTERS_GOTO_EVIDENCE_H

#include "converter/gcc/counters/evidence.h"
#include "converter/gcc/counters/observations.h"

/* Add what is seen of the gotos of function number @function to the evidence of its own code. 0, or
 * -1 without memory. */
int goto_evidence_add(const struct key_index *keys, const struct observations *o, uint32_t function,
		      struct evidence *out);

#endif
