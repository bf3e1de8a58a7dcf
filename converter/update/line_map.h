/* SPDX-License-Identifier: MIT */
/*
 * Which line of a function's newer text was which of its older one: by the longest common
 * subsequence of the lines that have tokens (E. Myers, "An O(ND) Difference Algorithm and Its
 * Variations", 1986); what is left between two common lines is paired in order by likeness, and a
 * line that is nowhere else goes where it stands.
 */
#pragma once

#include "converter/update/function_body.h"

struct line_map {
	uint32_t first_line; /* of the older text */
	VECTOR(uint32_t) to; /* by older line: the newer one, 0 if it is gone */
};

/* @out is zeroed. 0, or -1 without memory. */
int line_map_make(struct line_map *out, const struct function_body *before,
		  const struct function_body *after);
void line_map_deinit(struct line_map *m);
/* The newer line; 0 if it is gone, or was outside of the function. */
uint32_t line_map_at(const struct line_map *m, uint32_t line);
