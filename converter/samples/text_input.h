/* SPDX-License-Identifier: MIT */
/*
 * Branch profiles that come as text, with addresses of the binary: BOLT's pre-aggregated records
 * and the ranges of autofdo and llvm-profgen, which do not name it, and exact counts of callgrind.
 */
#pragma once

#include "converter/binary/binary.h"
#include "formats/model/branch_profile.h"
#include "formats/profile_kind.h"
#include "softlbr/error.h"

/*
 * Read one (profile_kind_is_counts) into @out (zeroed), at virtual addresses of @b. In ranges the
 * addresses may be virtual ones, file offsets (autofdo), or offsets from the first executable
 * segment (llvm-profgen): taken for what makes the most of its branches begin at branch
 * instructions.
 */
int text_input_read(struct binary *b, enum profile_kind kind, const uint8_t *data, size_t size,
		    const char *name, struct branch_profile *out, struct softlbr_error *e);
