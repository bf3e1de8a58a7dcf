/* SPDX-License-Identifier: MIT */
/* What is written of a conversion for Propeller, which takes a clang that has said which code is
 * which of its blocks (formats/bb_addr_map.h). */
#pragma once

#include <stdio.h>

#include "converter/pipeline/conversion.h"
#include "converter/pipeline/profile_outputs.h"

/* Fill c->layout, once, of what conversion_make made for CONVERSION_BOLT. SOFTLBR_E_INPUT if the
 * binary has no block address map, with how to get one. */
int block_outputs_make(struct conversion *c, struct softlbr_error *e);
/* Write the blocks. The streams' own errors are the caller's to look for. */
int block_outputs_blocks_to(const struct conversion *c, FILE *out, struct softlbr_error *e);
/* Write the symbols of the functions and of their cold parts. */
int block_outputs_symbols_to(const struct conversion *c, enum profile_order by, FILE *out,
			     struct softlbr_error *e);
