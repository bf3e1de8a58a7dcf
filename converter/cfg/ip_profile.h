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

#include "base/vector.h"
#include "converter/binary/binary.h"
#include "converter/cfg/cfg.h"
#include "converter/cfg/smooth.h"
#include "converter/samples/sample_events.h"
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

/* ---- the parts of it (ip_estimate.c) -------------------------------------------------------- */

/* Why an instruction is the first of a group, if it is. */
enum ip_head {
	IP_HEAD_TARGET, /* control comes here by taken branches alone: it always is */
	IP_HEAD_EITHER, /* by taken branches, and from the instruction in front of it */
	IP_HEAD_FULL,	/* the group in front of it is full */
	IP_HEAD_EARLY,	/* it is not: this one waited */
	IP_HEADS
};

#define IP_RUNS_BLURS 6
#define IP_RUNS_BINS  192

struct ip_runs_table {
	/* Of so many cycles in each run, by how exactly they are known: logarithms of densities,
	 * by logarithms. */
	float likelihood[IP_HEADS][IP_RUNS_BLURS][IP_RUNS_BINS];
	double cycles_period;
};

struct ip_runs_head {
	double log_cycles;
	uint8_t head, blur;
};

/* The samples of code all of whose parts run equally often. */
struct ip_runs {
	double counted, samples; /* periods of instructions, and how many */
	double cycles, instructions;
	VECTOR(struct ip_runs_head) heads; /* sampled */
	uint64_t unseen[IP_HEADS];	   /* not sampled */
	double log, deviation;		   /* the result: of the logarithm of how often it ran */
};

void ip_runs_table_init(struct ip_runs_table *t, double cycles_period);
/* One more instruction; @cycles that it did not stall. 0, or -1 without memory. */
int ip_runs_add(struct ip_runs *r, enum ip_head head, double cycles, double samples);
/* Samples of retired instructions are late: the logarithm's standard deviation of the number of
 * them in code that takes so many cycles in each run, without chance. */
double ip_runs_skid(double cycles);
/* Estimate; where nothing was sampled it never ran, and the deviation is 1. */
void ip_runs_solve(const struct ip_runs_table *t, struct ip_runs *r);

/* Figures of the whole recording. */
struct ip_estimate_totals {
	enum sample_event counting; /* the event whose samples are instructions that ran */
	double stalls[IP_EVENTS];   /* cycles of each event */
	double scale;		    /* of estimates, so that a sample stands for many runs */
	double unstalled_cycles;    /* of an instruction that does not stall */
	double period;		    /* of the counting event, mean */
	bool classify;		    /* there are events to tell stalls by */
	struct ip_runs_table table;
};

enum ip_class {
	IP_AS_RUN,
	IP_OVER_SAMPLED,  /* it stalled, and more samples hit it than it ran */
	IP_UNDER_SAMPLED, /* in the shadow of a stall */
};

/* Samples of one segment of code. */
struct ip_segment {
	uint64_t instructions; /* that it has */
	double counted;	       /* the sum of the counting event's periods */
	double samples;	       /* of that event */
	double cycles;	       /* as sampled */
	double stalled;	       /* of them: the paper's aggregation factor A */
	uint8_t class;	       /* enum ip_class */
	double runs;	       /* the estimate, scaled */
	uint32_t cost;	       /* of steps away from it */
};

void ip_estimate_totals_init(struct ip_estimate_totals *t, const struct branch_profile *clean,
			     const char *cpu);
/* Estimate all segments of @cfg, which is of @code (@segments: zeroed but for their instructions),
 * by the function's @samples, sorted. 0, or -1 without memory. */
int ip_estimate_runs(const struct ip_estimate_totals *t, const struct cfg *cfg,
		     const struct code *code, struct map_entry *const *samples, size_t count,
		     struct ip_segment *segments);
