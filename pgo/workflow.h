/* SPDX-License-Identifier: MIT */
/* The way from a build to a faster one: the steps in order, each done once. */
#pragma once

#include "pgo/project.h"

/* Do what is not done yet, up to @last. What stops it leaves the programs of one whole build in
 * their place, and the next call goes on there. The new build stays only if no run is slower. */
int workflow_go(struct project *p, enum project_step last, struct softlbr_error *e);
