/* SPDX-License-Identifier: MIT */
/* The training of a project: recordings of its runs, and the profile that is made of them. */
#pragma once

#include "pgo/project.h"

/* Record each run once, or the running processes. */
int project_train_record(struct project *p, struct softlbr_error *e);
/* Convert the recordings, and record again until chance costs little. */
int project_train_profile(struct project *p, struct softlbr_error *e);
/* How much of @test's work is like the training: the overlap of their taken branches, from 0 to 1;
 * NaN: not known. */
double project_train_overlap(struct project *p, const char *test, struct softlbr_error *e);
/* Record @run once, to FILE.data and FILE.json, names in the state. @dense: many samples, whatever
 * it costs the run. */
int project_train_record_one(struct project *p, const char *run, const char *file, bool dense,
			     struct softlbr_error *e);
