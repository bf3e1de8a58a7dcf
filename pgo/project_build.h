/* SPDX-License-Identifier: MIT */
/* The builds of a project: the user's command, with wrappers in place of the compilers. */
#pragma once

#include "pgo/project.h"

/* Where gcc's counters and clang's profile of the project are, below the state. */
#define PROJECT_COUNTERS "counters"
#define PROJECT_SAMPLES	 "profile.prof"

/* Flags of a build with the profile, besides those that name it, and, of clang, those of a build
 * that is recorded: each as EACH(flag). */
#define PROJECT_FLAGS_GCC(EACH)                                                              \
	EACH("-fprofile-partial-training")                                                   \
	EACH("-fprofile-correction") /* else it warns of what is called and has no counts */ \
	EACH("-Wno-error=coverage-mismatch")
#define PROJECT_FLAGS_CLANG(EACH) EACH("-mllvm") EACH("-sample-profile-use-profi")
#define PROJECT_FLAGS_CLANG_DEBUG(EACH) \
	EACH("-gline-tables-only") EACH("-fdebug-info-for-profiling")

/* Build what can be recorded; what an earlier build has compiled is compiled again. */
int project_build_plain(struct project *p, struct softlbr_error *e);
/* Build with the profile. */
int project_build_profiled(struct project *p, struct softlbr_error *e);
/* Objects that the build which runs has compiled so far; 0: none runs. */
size_t project_built(const struct project *p);
