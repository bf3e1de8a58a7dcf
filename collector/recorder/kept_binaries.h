/* SPDX-License-Identifier: MIT */
/* Copies of recorded programs and libraries, beside the recording, for when they were built again.
 */
#pragma once

#include "formats/perfdata_write.h"
#include "softlbr/error.h"

/*
 * Copy each file that @w says a build-id of, and that still has it, to .build-id/xx/yyy in the
 * directory of @output: where converter/elf/module_search.c looks. What is there already stays. 0
 * or a negative code.
 */
int kept_binaries_copy(const struct perfdata_writer *w, const char *output,
		       struct softlbr_error *e);
