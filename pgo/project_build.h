/* SPDX-License-Identifier: MIT */
/* The builds of a project: the user's command, with wrappers in place of the compilers. */
#pragma once

#include "pgo/project.h"

/* Where gcc's counters and clang's profile of the project are, below the state. */
#define PROJECT_COUNTERS "counters"
#define PROJECT_SAMPLES	 "profile.prof"

/* Build what can be recorded; what an earlier build has compiled is compiled again. */
int project_build_plain(struct project *p, struct softlbr_error *e);
/* Build with the profile. */
int project_build_profiled(struct project *p, struct softlbr_error *e);
/* Objects that the build which runs has compiled so far; 0: none runs. */
size_t project_built(const struct project *p);
