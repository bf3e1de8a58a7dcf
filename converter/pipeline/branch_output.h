/* SPDX-License-Identifier: MIT */
/* Branches as pre-aggregated records (perf2bolt --pa) of their binary. */
#ifndef CONVERTER_PIPELINE_BRANCH_OUTPUT_H
#define CONVERTER_PIPELINE_BRANCH_OUTPUT_H

#include <stdio.h>

#include "converter/binary/binary.h"
#include "formats/model/branch_profile.h"
#include "softlbr/error.h"

int branch_output_preagg(struct binary *b, const struct branch_profile *p, const char *path,
			 struct softlbr_error *e);
/* The same to a stream, whose own errors are the caller's to look for. */
int branch_output_preagg_to(struct binary *b, const struct branch_profile *p, FILE *out,
			    struct softlbr_error *e);

#endif
