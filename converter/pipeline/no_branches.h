/* SPDX-License-Identifier: MIT */
/* Recordings that hold no taken branches, or none that can be placed: what they hold instead, and
 * how to record or print what is needed. */
#pragma once

#include "converter/samples/aggregate.h"
#include "softlbr/error.h"

/* No entry of a branch stack was read: SOFTLBR_E_EMPTY, with @e set. @name is the recording. */
int no_branches_explain(const struct aggregate_result *r, const char *name,
			struct softlbr_error *e);

/*
 * Of perf script's text alone: SOFTLBR_E_EMPTY if its branches are call stacks by LBR, which its
 * words don't say, or if none lies in the binary for want of lines of mappings or since they are
 * offsets; else 0.
 */
int no_branches_check_script(const struct aggregate_result *r, const char *name,
			     struct softlbr_error *e);
