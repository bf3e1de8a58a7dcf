/* SPDX-License-Identifier: MIT */
/* Branches as pre-aggregated records (perf2bolt --pa) of their binary. */
#ifndef CONVERTER_PIPELINE_BRANCH_OUTPUT_H
#define CONVERTER_PIPELINE_BRANCH_OUTPUT_H

#include "converter/binary/binary.h"
#include "formats/model/branch_profile.h"
#include "softlbr/error.h"

int branch_output_preagg(struct binary *b, const struct branch_profile *p, const char *path,
			 struct softlbr_error *e);

#endif
