/* SPDX-License-Identifier: MIT */
/*
 * Recordings without branch stacks: from how often each address was sampled to how often each
 * branch was taken. Samples of a segment of code over its instructions are how often it ran; which
 * way it was left is what conserves flow, and where that leaves a choice, what the code looks like
 * (converter/cfg/cfg.h). With several events, segments that have more or fewer samples
 * than they ran are told by how long they stalled (Chen et al., Taming Hardware Event
 * Samples, 3.3). docs/smoothing.md has the formulas.
 */
#pragma once

#include "converter/binary/binary.h"
#include "converter/cfg/smooth.h"
#include "formats/model/branch_profile.h"
#include "softlbr/error.h"

enum ip_method {
	IP_STATIC, /* a segment is left as the heuristics say; flow is not conserved */
	IP_FLAT,   /* by minimum-cost flow whose costs do not rise, as in the literature */
	IP_FLOW,
};

struct ip_stats {
	struct smooth_stats smooth;
	uint64_t over_sampled, under_sampled; /* segments */
	bool classified;		      /* there were events to do so by */
};

struct ip_options {
	enum ip_method method;
	const char *cpu;		    /* as perf names it; NULL = unknown */
	const struct branch_profile *exact; /* NULL; or exact counts: segments are classified by the
					     * truth and not by events, at the costs of the paper */
	const struct flow_solver *solver;   /* as in mcf/flow.h */
};

/* @out (zeroed) becomes a profile of the branches and ranges that @clean's samples tell of. 0 or a
 * negative code. */
int ip_profile_make(struct binary *b, const struct branch_profile *clean,
		    const struct ip_options *options, struct branch_profile *out,
		    struct ip_stats *stats, struct softlbr_error *e);
